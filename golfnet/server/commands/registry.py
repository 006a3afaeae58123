"""Which function carries out which command: each module here has the handlers of its subject, by their verbs."""

from collections.abc import Callable
from typing import Any, TypeVar

from golfnet.protocol.commands.parse import Request
from golfnet.server.lookups import Steps

Handler = Callable[[Any, Request], Steps[None] | None]
"""Carries out a request in the context that its signature names: sends exactly one ok, or raises ``Refused``.

One that has to look something up does so in steps.
"""

H = TypeVar("H", bound=Handler)


class Handlers(dict[str, Handler]):
    """The handlers of one module."""

    def on(self, *verbs: str) -> Callable[[H], H]:
        """Return a decorator that makes a function the handler of commands."""

        def register(handler: H) -> H:
            self.update(dict.fromkeys(verbs, handler))
            return handler

        return register
