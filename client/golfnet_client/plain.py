"""``--plain``: a line-by-line client for screen readers and simple terminals.

It shows the server's own text mode in speech style. What is typed is sent line by line, and nothing on the terminal
is ever overwritten. Like the full-screen client, it reconnects into the same seat, seals cuts and checks deals.

Invariant: a line of text is never mistaken for an answer, whoever wrote it. Answers come as JSON objects, which are not
shown, on lines that begin with a word. That word is random, differs for each connection, and is known only to the
server (``objects``).
"""

import io
import secrets
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec
import trio

from golfnet.connect import GOODBYE_SECONDS, Connecting, Disconnected, Untrusted, keep_connected
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.commands.settings import MAX_WIDTH
from golfnet.protocol.conversation import FOR_GOOD
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import LineFault, LineReader, clean_line, encode_line
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Bye, Error, Ok
from golfnet.protocol.text.typeset import display_width, wrapped
from golfnet.protocol.witness import Witness
from golfnet_client.model.remembered import Remembered

LEAST_WIDTH: Final = 20
"""Lines are wrapped here only for terminals with more columns than this."""

ANSWER_SECONDS: Final = 10.0
"""Seconds of silence from the server after which the client reports it."""

_ENTRY: Final = 1
"""The id of the command that logs the player in: the first command with an id on each connection."""


def _print(line: str) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    print("\n".join(fitted(clean_line(line), width)), flush=True)


def fitted(line: str, width: int) -> list[str]:
    """Wrap a line between words to fit a terminal; if ``width`` is 0, leave it unchanged."""
    # Terminals break a line that is exactly as wide as they are.
    return wrapped(line, width - 1) if width > LEAST_WIDTH and display_width(line) >= width else [line]


class PlainClient:
    """A line-by-line client that reconnects as needed; ``remembered`` stores its name and token for the next run.

    The lines ``first`` are sent before those that the player types.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        remembered: Remembered | None,
        server: str,
        *,
        name: str = "",
        show: Callable[[str], None] = _print,
        witness: Witness | None = None,
        first: Iterable[str] = (),
    ) -> None:
        self._connect = connect
        self._remembered = remembered
        self._server = server
        self._show = show
        self._witness = witness
        self._alarms = self._left_out = 0
        self._name, self._token = (name, "") if remembered is None else remembered.player(server, name)
        self._stream: trio.abc.Stream | None = None
        self._unsent = list(first)
        self._word = ""
        """The word that marks JSON objects on this connection."""
        self._is_entering = False
        self._typed_token = ""
        """The token of the last ``resume`` that was typed."""
        self.is_over = False
        """Whether the player has quit."""
        self.is_refused = False
        """Whether nothing was sent to the server because its key has changed."""

    async def run(self, lines: Callable[[], Awaitable[str | None]]) -> None:
        """Pass lines in both directions until the player quits or ``lines`` returns None."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._type, lines, nursery.cancel_scope)
            await keep_connected(self._connect, self._stay, self._refuse, self._report, lambda: self.is_over)
            nursery.cancel_scope.cancel()

    async def _type(self, lines: Callable[[], Awaitable[str | None]], scope: trio.CancelScope) -> None:
        while (line := await lines()) is not None:
            if line.strip().lower() == "quit":
                self.is_over = True
                scope.deadline = trio.current_time() + GOODBYE_SECONDS  # the server may never answer
            await self._send(line)
        self.is_over = True
        scope.cancel()

    async def _send(self, line: str) -> None:
        if not line.strip():
            return
        words = _argument("cut", line)
        if words and self._witness is not None and self._witness.add(words):
            self._show("Your words are part of the text that is sealed for the next shuffle.")
            lines, self._witness.lines = self._witness.lines, []
            line = "\n".join(lines)
        self._typed_token = _argument("resume", line) or self._typed_token
        if self._stream is None:
            self._unsent.append(line)
            return
        try:
            await self._stream.send_all(encode_line(line))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._unsent.append(line)

    async def _refuse(self, problem: Untrusted) -> None:
        self._show(
            f"{problem}. Nothing was sent to the server. If its operator has set it up again, start the client "
            "with --trust. If you are not sure, ask the operator for the first digits of the key."
        )
        self.is_over = self.is_refused = True

    def _report(self, event: Connecting | Disconnected) -> None:
        match event:
            case Disconnected(reason=""):
                self._show("The connection was lost. Reconnecting.")
            case Disconnected(reason=why, retry_in=wait):
                seconds = "1 second" if wait == 1 else f"{wait:g} seconds"
                self._show(f"No connection to {self._server}: {why}. Trying again in {seconds}.")

    async def _stay(self, stream: trio.abc.Stream) -> bool:
        """Use a stream until it is closed or lost; return True: the player may log in without this program's help."""
        reader = LineReader(limit=65536)
        try:
            await stream.send_all(b"".join(map(encode_line, self._opening())))
            while self._unsent:
                await stream.send_all(encode_line(self._unsent[0]))
                del self._unsent[0]
            self._stream = stream
            with trio.move_on_after(ANSWER_SECONDS) as patience:
                chunk = await stream.receive_some()
            if patience.cancelled_caught:
                self._show(f"{self._server} is not answering. Still waiting; type quit to stop.")
                chunk = await stream.receive_some()
            while chunk:
                for line in reader.feed(bytes(chunk)):
                    if not isinstance(line, LineFault):
                        await self._receive(line, stream)
                chunk = await stream.receive_some()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._stream = None
        return True

    def _opening(self) -> list[str]:
        """Return the lines to send first on a new connection, before anything that the player types."""
        self._word = secrets.token_urlsafe(18)
        # The maximum width: the server need not wrap lines, since this client or the screen reader does.
        objects = f"{self._word}{'' if self._witness is None else ' table'}"
        lines = [f"objects {objects}", "set style speech", f"set width {MAX_WIDTH}"]
        entry = f"resume {self._token}" if self._token else f"name {self._name}" if self._name else ""
        self._is_entering = bool(entry)
        return [*lines, f"{_ENTRY} {entry}"] if entry else lines

    async def _receive(self, line: str, stream: trio.abc.Stream) -> None:
        word, _, rest = line.partition(" ")
        if word != self._word:
            self._show(line)
            return
        try:
            answer = data.decode(rest)
        except msgspec.MsgspecError:
            return  # a newer server may send what this version does not know
        if answer is not None and self._witness is not None:
            await self._check_deals(self._witness, answer, stream)
        is_entry = self._is_entering and isinstance(answer, Ok | Error) and answer.id == _ENTRY
        self._is_entering = self._is_entering and not is_entry
        match answer:
            case Ok() if is_entry:
                self._keep(answer.name or self._name, answer.token or self._token)
            case Ok() if answer.name or answer.token:
                self._keep(answer.name or self._name, answer.token or self._typed_token or self._token)
            case Error(code="BAD_TOKEN") if is_entry:
                self._keep(self._name, "")
                if self._name:
                    await stream.send_all(encode_line(f"name {self._name}"))
            case Error(code="BAD_TOKEN"):
                self._typed_token = ""
            case Bye():
                self.is_over = self.is_over or answer.code in FOR_GOOD

    async def _check_deals(self, witness: Witness, reply: AnyReply, stream: trio.abc.Stream) -> None:
        """Pass a reply to the witness, send the lines it asks for, and report the problems it finds."""
        witness.receive(reply)
        lines, witness.lines = witness.lines, []
        for line in lines:
            await stream.send_all(encode_line(line))
        for sentence in witness.left_out[self._left_out :]:
            self._left_out += 1
            self._show(f"{sentence} Such holes so far: {self._left_out}.")
        for problem in witness.problems[self._alarms :]:
            self._show(
                f"THE DEAL IS NOT WHAT WAS PROMISED. {problem} Nothing that happens here counts for anything."
            )
        self._alarms = len(witness.problems)

    def _keep(self, name: str, token: str) -> None:
        self._name, self._token, self._typed_token = name, token, ""
        if self._remembered is not None:
            self._remembered.keep_player(self._server, name, token)


def _argument(verb: str, line: str) -> str:
    """Return the first argument of a command with this verb, or ``""`` for any other line."""
    try:
        request = parse(line, machine=False)
    except Refused:
        return ""
    return request.words[0] if request.verb == verb else ""


def accept_any_bytes() -> None:
    """Make standard input and output replace what they cannot decode or encode, instead of ending the program."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


async def typed_lines() -> str | None:
    """Return the next line of standard input, or None at its end."""
    try:
        line = await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
    except ValueError:
        return None
    return line.rstrip("\r\n") if line else None
