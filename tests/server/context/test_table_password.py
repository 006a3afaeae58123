"""Passwords of private tables: hashed, slow to guess, and no word of them anywhere."""

from __future__ import annotations

import pytest
import trio

from golfnet.protocol.errors import Refused
from golfnet.server.context.table_password import SECONDS, WRONG, TableLock
from tests.server.house import Program, open_house


def test_a_lock_opens_for_its_password_alone_and_does_not_hold_it() -> None:
    lock, same = TableLock.of("sésame"), TableLock.of("sésame")
    assert lock.opens("sésame", "", 0.0)
    assert not lock.opens("Sésame", "", 0.0)
    assert "sésame" not in lock.stored
    assert lock.stored != same.stored
    assert TableLock(lock.stored).opens("sésame", "", 0.0)


@pytest.mark.parametrize("stored", ["", "sesame", "scrypt-512-8-1$00", "md5$00$00", "scrypt-512-8-1$x$y"])
def test_what_is_no_lock_is_none(stored: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        TableLock(stored)


def test_wrong_words_are_counted_by_origin_and_right_ones_cost_nothing() -> None:
    lock = TableLock.of("sesame")
    for n in range(2 * WRONG):
        assert lock.opens("sesame", f"2001:db8::{n}", 0.0)
    for n in range(WRONG):
        assert not lock.opens("other", f"2001:db8::{n}", 0.0)
    with pytest.raises(Refused, match="Wait 6 seconds"):
        lock.opens("sesame", "2001:db8::ffff", 0.0)
    assert lock.opens("sesame", "2001:db8:0:1::1", 0.0)
    assert lock.opens("sesame", "2001:db8::1", SECONDS / WRONG)


@pytest.mark.parametrize("verb", ["join", "watch"])
async def test_guessing_a_table_s_password_is_held_up(autojump_clock: object, verb: str) -> None:
    async with open_house() as house:
        host = await house.program("Hank")
        await host.done("create six-card seats=3 password=sesame")
        guessers = [await house.program(name, address="8.8.8.8") for name in ("Ann", "Ben")]
        friend = await house.program("Cid", address="9.9.9.9")

        async def codes(program: Program, line: str, times: int) -> list[str]:
            return [str((await program.ask(line)).get("code", "ok")) for _ in range(times)]

        assert await codes(guessers[0], f"{verb} t1", 3 * WRONG) == ["WRONG_PASSWORD"] * 3 * WRONG
        assert await codes(guessers[0], f"{verb} t1 password=a", WRONG) == ["WRONG_PASSWORD"] * WRONG
        assert await codes(guessers[1], f"{verb} t1 password=sesame", 2) == ["RATE_LIMITED"] * 2
        assert await codes(friend, f"{verb} t1 password=sesame", 1) == ["ok"]
        await trio.sleep(SECONDS / WRONG)
        assert await codes(guessers[1], f"{verb} t1 password=sesame", 1) == ["ok"]


async def test_what_cannot_be_opened_is_not_hashed(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        host, guesser = await house.program("Hank"), await house.program("Ann")
        await host.done("create six-card seats=3 password=sesame")
        for _ in range(WRONG):
            await guesser.ask("join t1 password=other")
        monkeypatch.setattr("golfnet.server.context.table_password._digest", None)
        assert (await guesser.ask("join t1 password=other"))["code"] == "RATE_LIMITED"
        assert (await guesser.ask("create six-card seats=99 password=sesame"))["code"] == "BAD_OPTION"
        assert (await guesser.ask("join t1"))["code"] == "WRONG_PASSWORD"
