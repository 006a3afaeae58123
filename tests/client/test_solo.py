"""A server for playing alone: it starts, and the opening commands start a match with bots."""

import pytest
import trio

from golfnet.connect import Trust, open_stream
from golfnet_client.solo import open_solo, opening_lines


def test_the_opening_commands_fit_the_rule_set() -> None:
    bots = ("bot easy", "bot medium", "bot hard")
    assert opening_lines("six-card", None) == ("create six-card", *bots, "start")
    assert len(opening_lines("four-turn", 11)) == 2 + 5
    assert len(opening_lines("cactus", 1)) == 3


@pytest.mark.parametrize(("rules", "bots"), [("six-card", 1), ("six-card-final", 11)])
async def test_a_match_begins_at_once_however_many_bots_play(rules: str, bots: int) -> None:
    async with trio.open_nursery() as nursery:
        address = await open_solo(nursery)
        stream = await open_stream(address, Trust())
        lines = ["hello 1", "name Golfer", *opening_lines(rules, bots)]
        await stream.send_all("".join(f"{line}\n" for line in lines).encode())
        heard = b""
        with trio.fail_after(60):
            while b'"dealt"' not in heard:
                heard += await stream.receive_some()
        assert b'"error"' not in heard
        await trio.aclose_forcefully(stream)
        nursery.cancel_scope.cancel()
