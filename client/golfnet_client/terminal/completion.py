"""Completion of the command line, from the protocol's own table of commands and what the model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion

from golfnet.protocol.commands.completion import Context, complete
from golfnet.protocol.names.reserved import LEVELS
from golfnet.protocol.replies.offers import offer_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prompt_toolkit.document import Document

    from golfnet_client.model.model import Model
    from golfnet_client.terminal.client import Client


class Commands(Completer):
    """Completes command lines."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield what the word before the cursor may become."""
        text = document.text_before_cursor
        for offer in complete(text, context_of(self._client.model)):
            yield Completion(offer.text, start_position=offer.start - len(text), display_meta=offer.meaning)


def context_of(model: Model) -> Context:
    """Return what can be named in a line now."""
    view, lobby = model.table, model.lobby
    return Context(
        variants=tuple(row["name"] for row in lobby.variants),
        tables=tuple(row["table"] for row in lobby.tables),
        players=tuple(row["name"] for row in lobby.players),
        levels=LEVELS,
        offer=view.offer if view is not None else offer_of(()),
        seats=len(view.seats) if view is not None else 12,
        seated=model.is_seated,
    )
