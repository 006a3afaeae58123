"""All sessions, and the timeouts for idle ones.

Every session has exactly one timer, which is set for the session's next possible timeout. Connections without a name
are closed after a while, and sooner if nothing has been typed. Players who are idle for too long are disconnected after
a warning, unless their match is running.
"""

from functools import partial
from typing import Final

import trio

from golfnet.protocol.errors import Code
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.clock import Timer, Timers
from golfnet.server.config import Config
from golfnet.server.session.session import Session

SILENT_SECONDS: Final = 60
"""How many seconds a connection may stay without a name if nothing has been typed: enough for a screen reader to read
the greeting, but too few to hold many connections for free."""


class Sessions(dict[Session, Timer]):
    """All sessions, each from the greeting until it ends, with its timer."""

    def __init__(self, config: Config, timers: Timers) -> None:
        super().__init__()
        self._config = config
        self._timers = timers

    def enter(self, session: Session) -> None:
        """Add a session, and limit the time until it has a name; time spent on another node counts, too."""
        had = trio.current_time() - session.connected
        self._check_after(session, max(0.0, min(SILENT_SECONDS, self._config.name_time) - had))

    def leave(self, session: Session) -> None:
        """Remove a session."""
        if (timer := self.pop(session, None)) is not None:
            timer.cancel()

    def announce(self, code: str, text: str) -> None:
        """Send a notice to everyone, after any replies that are held."""
        for session in list(self):
            session.send(Notice(code=code, text=text))

    def interject(self, code: str, text: str) -> None:
        """Send a notice to everyone at once, before any replies that are held."""
        for session in list(self):
            session.interject(Notice(code=code, text=text))

    def _check_after(self, session: Session, seconds: float) -> None:
        self[session] = self._timers.after(seconds, partial(Sessions._check, self, session))

    def _check(self, session: Session) -> None:
        """Close a session that gave no name in time, or has been idle too long while no match was running."""
        now = trio.current_time()
        if session.player is None:
            waited, most = now - session.connected, self._config.name_time
            if session.is_silent:
                most = min(SILENT_SECONDS, most)
            if session.is_suspended:  # the session is waiting for the server, not for the peer
                self._check_after(session, 1)
            elif waited >= most:
                session.close(
                    Code.NAME_TIMEOUT,
                    f"You gave no name within {in_words(most * 1000)}, so the connection is closed. "
                    "Connect again and type: name YOURNAME",
                )
            else:
                self._check_after(session, most - waited)
            return
        silent, limit = now - session.last_input, float(self._config.idle_time)
        warning = limit - min(60.0, limit / 2)
        playing = session.player.table is not None and session.player.table.is_running
        if playing or silent < warning:
            self._check_after(session, warning if playing else max(1.0, warning - silent))
        elif silent < limit:
            session.send(
                Notice(
                    code="IDLE",
                    text="Are you still there? Type anything, or you will be disconnected in "
                    f"{limit - silent:.0f} seconds.",
                    ms=round((limit - silent) * 1000),
                )
            )
            self._check_after(session, limit - silent)
        else:
            session.close(
                Code.IDLE, f"You typed nothing for {limit / 60:.0f} minutes, so the connection is closed."
            )
