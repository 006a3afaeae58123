"""The command line: label, history, completion, and secrets that are neither shown nor stored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.layout import BufferControl, Window
from prompt_toolkit.layout.processors import (
    AppendAutoSuggestion,
    ConditionalProcessor,
    PasswordProcessor,
    Processor,
    Transformation,
    TransformationInput,
)

from golfnet.engine.notation import SEAT_LETTERS
from golfnet.protocol.commands.catalog import COMMANDS, resolve
from golfnet.protocol.commands.completion import Context, complete
from golfnet.protocol.commands.specs import Group, Kind
from golfnet.protocol.errors import Refused
from golfnet.protocol.replies.replies import offer_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prompt_toolkit.formatted_text import StyleAndTextTuples

    from golfnet.protocol.commands.specs import CommandSpec
    from golfnet_client.model.model import Model
    from golfnet_client.terminal.client import Client


class Commands(Completer):
    """A completer for command lines."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions of the word before the cursor."""
        text = document.text_before_cursor
        typed = len(text.rpartition(" ")[2])
        for offer, meaning in complete(text, context_of(self._client.model)).items():
            yield Completion(offer, start_position=-typed, display_meta=meaning)


def context_of(model: Model) -> Context:
    """Return what a line can name now: players, tables, rule sets and so on."""
    view, lobby = model.table, model.lobby
    return Context(
        names={
            Kind.VARIANT: [row["name"] for row in lobby.variants],
            Kind.TABLE: [row["table"] for row in lobby.tables],
            Kind.PLAYER: [row["name"] for row in lobby.players],
            Kind.SEAT: SEAT_LETTERS[: len(view.seats)] if view is not None else SEAT_LETTERS,
        },
        offer=view.offer if view is not None else offer_of(()),
        seated=model.is_seated,
    )


class CommandLine:
    """The command line, with the lines from earlier runs."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.buffer = Buffer(
            completer=Commands(client),
            complete_while_typing=Condition(lambda: not client.types),
            history=InMemoryHistory(client.remembered.typed),
            auto_suggest=AutoSuggestFromHistory(),
            multiline=False,
        )
        self.control = BufferControl(
            self.buffer,
            input_processors=[
                ConditionalProcessor(PasswordProcessor(), Condition(lambda: client.hides)),
                _HideSecrets(),
                ConditionalProcessor(AppendAutoSuggestion(), Condition(lambda: not client.types)),
            ],
        )
        self.window = Window(self.control, height=1, style="class:input", get_line_prefix=self._label)

    def _label(self, line: int, wrapped: int) -> StyleAndTextTuples:
        return [("class:prompt", f" {self._client.label}")]

    def fill(self, text: str) -> None:
        """Replace the typed text."""
        self.buffer.document = Document(text)

    def accept(self) -> bool:
        """Carry out the typed line; return whether it was refused, and stays to be corrected.

        Names, addresses and lines with secrets stay out of the history.
        """
        text = self.buffer.text
        is_remembered = not self._client.types and not secret_parts(text)
        stays = bool(self._client.typed(text))
        if is_remembered:
            self.buffer.append_to_history()
            if not stays and may_be_kept(text):
                self._client.remembered.keep_typed(text.strip())
        if not stays:
            self.buffer.reset()
        return stays

    def complete(self) -> None:
        """Select the next completion in the menu or, before it appears, use the likeliest one."""
        buffer = self.buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
            return
        asked = CompleteEvent(completion_requested=True)
        first = next(iter(buffer.completer.get_completions(buffer.document, asked)), None)
        if first is not None:
            buffer.apply_completion(first)

    def take_suggestion(self) -> None:
        """Append the suggested text, if there is any."""
        if self.buffer.suggestion is not None:
            self.buffer.insert_text(self.buffer.suggestion.text)


class _HideSecrets(Processor):
    """A processor that shows secrets in a command line as stars."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Return the line with its secrets replaced."""
        text = transformation_input.document.text
        parts = secret_parts(text)
        if not parts:
            return Transformation(transformation_input.fragments)
        shown = list(text)
        for start, end in parts:
            shown[start:end] = "*" * (end - start)
        return Transformation([("", "".join(shown))])


_WORD: Final = re.compile(r'(?:"[^"]*"?|[^ "])+')
"""A word of a line; quoted text is one word, even if the quotation is not finished."""


def secret_parts(line: str) -> list[tuple[int, int]]:
    """Return the ranges of secrets in an unfinished line; from the first secret on, everything is secret."""
    spec = _spec_of(line)
    if spec is None:
        return []
    options = {option.name for option in spec.options if option.secret}
    places = [place for place, parameter in enumerate(spec.parameters) if parameter.secret]
    found = []
    place = 0
    _, *words = _WORD.finditer(line, len(line) - len(line.lstrip(_PREFIX)))
    for word in words:
        name, equals, _ = word[0].partition("=")
        if equals and name.lower() in options:
            found.append((word.start() + len(name) + 1, word.end()))
        elif places and place >= places[0]:
            found.append((word.start(), len(line)))
            break
        else:
            place += 1
    return found


def may_be_kept(line: str) -> bool:
    """Return whether a typed line may be stored for the next run: it must be a command without secrets or chat."""
    spec = _spec_of(line)
    if spec is None or spec.group is Group.TALK or secret_parts(line):
        return False
    return spec.verb in COMMANDS and spec.verb not in ("cut", "name")


def _spec_of(line: str) -> CommandSpec | None:
    try:
        return resolve(line.lstrip(_PREFIX).partition(" ")[0], machine=False)
    except Refused:
        return None


_PREFIX: Final = ":/ "
"""Characters that may precede a command."""
