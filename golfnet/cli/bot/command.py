"""The command line of ``golfnet bot``: the server, the bot's level and name, and what to play."""

import argparse
import random
import secrets
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio

from golfnet import __version__
from golfnet.bots.bot import LEVELS, BotChoice, BotPlayer, Executor, Work
from golfnet.cli.bot.client import MOST_LEFT_OUT, BotClient
from golfnet.cli.bot.player import USUAL_RULES, Task
from golfnet.cli.main import positive
from golfnet.cli.output import FAILED, Failed, complain, show
from golfnet.connect import GOODBYE_SECONDS, Connection, ConnectionEvent, Disconnected, Trust, open_stream
from golfnet.engine.rules import RuleSet
from golfnet.protocol.address import PORT, TLS_PORT, BadAddress, parse_address
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import LINE_LIMIT, encode_line
from golfnet.protocol.names import InvalidName, check_name
from golfnet.protocol.witness import Witness
from golfnet.server.table.turns import make_bot_player, thread_executor
from golfnet.storage.files import SeenFiles, state_folder

MOST_WAITING: Final = 1000
"""Maximum replies received while the bot makes one choice; a choice usually takes no longer than a few dozen."""


class BotRunner:
    """One bot on one server; ``executor`` computes slow choices."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        client: BotClient,
        executor: Executor | None = None,
    ) -> None:
        self._connection = Connection(
            connect, self._receive, client=f"golfnet-bot/{__version__}", name=client.name
        )
        self._client = client
        self._executor = executor
        self._waiting = 0
        self._wake = trio.Event()
        self._scope = trio.CancelScope()

    def leave(self) -> None:
        """Give up the seat, then quit; without a connection, quit at once. Allow ``GOODBYE_SECONDS`` for this."""
        self._client.leave()
        self._wake.set()
        if self._connection.is_connected:
            self._scope.deadline = min(self._scope.deadline, trio.current_time() + GOODBYE_SECONDS)
        else:
            self._scope.cancel()

    async def run(self) -> None:
        """Stay connected until the task has ended; fail if the first connection cannot be made."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                self._executor = self._executor or thread_executor(nursery.start_soon)
                nursery.start_soon(self._act)
                await self._connection.run()
                nursery.cancel_scope.cancel()

    def _receive(self, event: ConnectionEvent) -> None:
        self._client.receive(event, trio.current_time())
        if isinstance(event, Disconnected):
            self._connection.conversation.discard_unsent()
        self._waiting += self._client.is_thinking
        if self._waiting >= MOST_WAITING:
            self._connection.pause_receiving()
        self._wake.set()

    async def _act(self) -> None:
        client = self._client
        while not client.is_over:
            self._wake = trio.Event()
            if client.gives_up_at <= trio.current_time():
                self._connection.reconnect()
                await self._wake.wait()
            elif client.due <= trio.current_time():
                line = client.act(trio.current_time(), self._execute)
                if line is not None:
                    self._connection.send(line)
                await trio.lowlevel.checkpoint()
            else:
                with trio.move_on_at(min(client.due, client.gives_up_at)):
                    await self._wake.wait()
        self._connection.quit()

    def _execute(self, work: Work, callback: Callable[[BotChoice], None]) -> None:

        def made(choice: BotChoice) -> None:
            callback(choice)
            self._waiting = 0
            self._connection.resume_receiving()
            self._wake.set()

        assert self._executor is not None
        self._executor(work, made)


CHEATED: Final = 3
INTERRUPTED: Final = 130

LONGEST_LINE: Final = LINE_LIMIT - 10
"""Maximum bytes in a command; the line also has the command's number, of up to nine digits, and a space."""

DESCRIPTION = """\
Let a bot play on a server as any other client would: it connects, sits down, plays, and reconnects by itself if the
connection is lost. Without --table and --rules it goes to the first open table, and opens one if there is none."""

EPILOG = f"""\
examples:
  golfnet bot --connect golf.example.org             a hard bot at the first open table, or at a new one
  golfnet bot --connect golf.example.org --table t3 --level easy
  golfnet bot --connect 127.0.0.1 --rules cactus --option seats=3 --matches 5

The bot seals a text for every shuffle, and checks each deal against its commitment. What it saw is kept in a file for
golfnet verify --seen. If a deal does not match, the bot says so, gives up its seat and exits with status 3. It does the
same after a second hole dealt without its text, for example because its connection was cut.

Exit status: 0 the matches are over, the table is closed, or it got TERM; 1 there is no server, or it refused;
2 the command line cannot be used; 3 a deal did not match, or {MOST_LEFT_OUT} holes were dealt without its
text; 130 interrupted. The bot gives up its seat first, if it can still reach the server.
Without --rules a bot that finds no open table seeks one for {USUAL_RULES}."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the server, the bot's level and name, and what to play."""
    where = parser.add_argument_group("where")
    where.add_argument(
        "--connect",
        type=_address,
        required=True,
        metavar="HOST[:PORT]",
        help=f"the server (default port {PORT}, with TLS {TLS_PORT}); put tls:// before it for TLS",
    )
    where.add_argument("--tls", action="store_true", help="connect with TLS")
    where.add_argument(
        "--fingerprint",
        type=_fingerprint,
        metavar="SHA256",
        help="the public key or certificate that the server must show (default: one that the system trusts, "
        "or else the first key it shows, for as long as the bot runs)",
    )
    who = parser.add_argument_group("who")
    who.add_argument(
        "--level", choices=list(LEVELS), default="hard", help="how well it plays (default %(default)s)"
    )
    who.add_argument(
        "--name", type=_name, help="its name (default: LEVEL-robot, with a number if that is taken)"
    )
    who.add_argument("--seed", type=int, metavar="N", help="the seed of the bot's random choices")
    who.add_argument("--fast", action="store_true", help="take no time to think")
    what = parser.add_argument_group("what")
    what.add_argument("--table", type=_table, metavar="ID", help="sit down at this table")
    what.add_argument("--password", default="", metavar="WORD", help="the password of a private table")
    what.add_argument(
        "--rules",
        default="",
        metavar="NAME",
        help="look for a table with these rules, and open one if there is none",
    )
    what.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="with --rules: an option of the table or its rules; repeatable",
    )
    what.add_argument(
        "--seen",
        type=Path,
        metavar="DIR",
        help="where to save what it sees in its matches (default: %(default)s)",
        default=state_folder() / "seen",
    )
    what.add_argument(
        "--matches",
        type=positive,
        metavar="N",
        help="leave after this number of matches (default: play until stopped)",
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(args: argparse.Namespace) -> int:
    """Play until the task is done; return the exit status."""
    task = _task(args)
    address = parse_address(args.connect, tls=args.tls)
    chance = random.Random(args.seed)

    def make(rules: RuleSet) -> BotPlayer:
        return make_bot_player(args.level, rules, random.Random(chance.getrandbits(64)))

    # Names that show the level and differ from those of the server's own bots, which are reserved.
    numbered = (f"{args.level}-robot", *(f"{args.level}-robot-{number}" for number in range(2, 100)))
    names = (args.name,) if args.name else numbered
    files = SeenFiles(args.seen, str(address))
    witness = Witness(entropy=secrets.token_bytes, keep=files.keep)
    client = BotClient(
        task,
        names,
        make,
        hurries=args.fast,
        witness=witness,
        notify=(lambda _: None) if args.quiet else show,
    )
    connect = partial(open_stream, address, Trust(only=args.fingerprint or ""))
    ended_by = trio.run(_until_ended, BotRunner(connect, client))
    kept = f"; see {files.path}, and golfnet verify --seen" if files.path is not None else ""
    for what in witness.left_out:
        complain("bot", f"{address}: {what}")
    if len(witness.left_out) >= MOST_LEFT_OUT:
        complain(
            "bot",
            f"anyone who can cut this bot's connection may have chosen {len(witness.left_out)} deals{kept}",
        )
    for what in witness.problems:
        complain("bot", f"{address}: THE DEAL IS NOT WHAT WAS PROMISED. {what}")
    if witness.problems:
        complain("bot", f"the operator of this server has cheated, or the server is broken{kept}")
    if witness.problems or len(witness.left_out) >= MOST_LEFT_OUT:
        return CHEATED
    if ended_by is not None:
        return INTERRUPTED if ended_by == signal.SIGINT else 0
    if client.problem:
        raise Failed(f"{address}: {client.problem}", FAILED)
    return 0


async def _until_ended(runner: BotRunner) -> int | None:
    ended_by: int | None = None

    async def end() -> None:
        nonlocal ended_by
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                ended_by = number
                runner.leave()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(end)
        await runner.run()
        nursery.cancel_scope.cancel()
    return ended_by


def _task(args: argparse.Namespace) -> Task:
    has_tls = parse_address(args.connect, tls=args.tls).tls
    table, rules, options = args.table, args.rules, args.option
    for is_wrong, why in (
        (table and rules, "--table and --rules cannot be used together: a table's host has chosen its rules"),
        (args.password and rules, "--password can only be used with --table"),
        (
            args.fingerprint and not has_tls,
            "--fingerprint can only be used with --tls: a plain connection shows no certificate",
        ),
        (options and not rules, "--option can only be used with --rules"),
        *(("=" not in each.strip("="), f"--option needs NAME=VALUE, not {each!r}") for each in options),
    ):
        if is_wrong:
            raise Failed(why)
    task = Task(
        table=table or "", password=args.password, rules=rules, options=tuple(options), matches=args.matches
    )
    if task.line:
        _check_line(task.line)
    return task


def _check_line(line: str) -> None:
    """Raise ``Failed`` for a command that every server would refuse, or ignore because it is too long."""
    try:
        if len(encode_line(line, b"")) > LONGEST_LINE:
            raise Failed(f"{line[:40]}...: a command can have at most {LONGEST_LINE} bytes")
        parse(line, machine=True)
    except UnicodeEncodeError:
        raise Failed(f"{line!r} is not UTF-8 text") from None
    except Refused as refused:
        raise Failed(f"{line}: {refused.message}") from None


def _address(text: str) -> str:
    """Check an address and return it unparsed: its meaning depends on ``--tls``."""
    try:
        parse_address(text)
    except BadAddress as problem:
        raise argparse.ArgumentTypeError(f"expected {problem}") from None
    return text


def _name(text: str) -> str:
    try:
        return check_name(text)
    except InvalidName as problem:
        raise argparse.ArgumentTypeError(f"{problem}; not {text!r}") from None


def _table(text: str) -> str:
    if not text or any(char.isspace() for char in text):
        raise argparse.ArgumentTypeError(f"expected a table such as t3, not {text!r}")
    return text


def _fingerprint(text: str) -> str:
    bare = text.replace(":", "").lower()
    if len(bare) != 64 or any(digit not in "0123456789abcdef" for digit in bare):
        raise argparse.ArgumentTypeError(f"expected the 64 hex digits of a SHA-256, not {text!r}")
    return bare
