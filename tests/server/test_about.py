"""What the server says of itself, and that it is so."""

from golfnet.protocol.telnet.wire import Command, TelnetOption, negotiation
from golfnet.server import about
from golfnet.server.config import Config
from tests.server.house import open_house


def test_welcome_tells_the_limits_that_are_set() -> None:
    limits = about.welcome(Config(commands_per_second=7, grace=33, outbox=70_000)).limits
    assert (limits.commands_per_second, limits.grace_seconds, limits.outbox) == (7, 33, 70_000)


async def test_a_listing_is_told_how_many_players_are_connected(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        await ann.done("create four-turn")
        await house.program("Bob")
        await house.program()  # a stranger is no player
        await ann.drop()  # whose seat is kept
        crawler = await house.connect(telnet=True)
        await crawler.take()
        await crawler.send(negotiation(Command.DO, TelnetOption.MSSP))
        assert b"\1PLAYERS\x021\1" in await crawler.take()
