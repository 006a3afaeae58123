"""Wrong passwords: limits on guessing, which do not affect anybody else.

The addresses here are public ones, since those reserved for documentation count as private.
"""

import pytest
import trio
import trio.testing

from golfnet.protocol.errors import Code, Refused
from golfnet.server.accounts.passwords import KNOWN, NAME, ORIGIN, PAIR, Guesses


class Guesser:
    """Tries passwords for names; the correct one is ``right``."""

    def __init__(self) -> None:
        self.guesses = Guesses()
        self.checked: list[tuple[str, str]] = []
        self.waited = 0
        self.waits: list[int | None] = []

    async def guess(self, name: str, address: str, password: str = "wrong", *, is_known: bool = False) -> str:
        """Return right, wrong, or the refusal's code."""

        async def check() -> bool:
            self.checked.append((name, address))
            return password == "right"

        def waits() -> None:
            self.waited += 1

        try:
            is_right = await self.guesses.judge(name, address, check, is_known=is_known, waits=waits)
        except Refused as refused:
            self.waits.append(refused.wait_ms)
            return refused.code.value
        return "right" if is_right else "wrong"


async def test_an_origin_has_a_few_wrong_guesses_per_name(autojump_clock: object) -> None:
    guesser = Guesser()
    answers = [await guesser.guess("ann", "8.8.8.8") for _ in range(PAIR + 2)]
    assert answers == ["wrong"] * PAIR + ["RATE_LIMITED"] * 2
    assert guesser.waits == [12_000] * 2
    assert await guesser.guess("ann", "8.8.8.8", "right") == "RATE_LIMITED"
    assert await guesser.guess("ann", "8.8.4.4", "right") == "right"
    assert await guesser.guess("ben", "8.8.8.8", "right") == "right"
    await trio.sleep(60 / PAIR)
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"


async def test_correct_passwords_are_not_counted(autojump_clock: object) -> None:
    guesser = Guesser()
    for _ in range(200):
        assert await guesser.guess("ann", "8.8.8.8", "right") == "right"
    assert not guesser.waited


@pytest.mark.parametrize("address", ["2001:4860:4860::{}", "8.8.8.8"])
async def test_an_origin_is_refused_before_a_names_guesses_are_spent(
    autojump_clock: object, address: str
) -> None:
    """One /64 is one origin; once refused, its guesses no longer count against any name."""
    guesser = Guesser()
    answers = [await guesser.guess(f"name{n}", address.format(n)) for n in range(ORIGIN)]
    assert answers == ["wrong"] * ORIGIN
    for n in range(100):
        assert await guesser.guess("ann", address.format(n)) == "RATE_LIMITED"
    for n in range(NAME):
        assert await guesser.guess("ann", f"9.9.9.{n}") == "wrong"
    assert not guesser.waited


async def test_under_attack_from_many_origins_the_owner_at_a_new_address_waits_but_can_log_in(
    autojump_clock: object,
) -> None:
    guesser = Guesser()

    async def attack(address: str) -> None:
        while True:
            if await guesser.guess("ann", address) == "RATE_LIMITED":
                await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for n in range(50):
            nursery.start_soon(attack, f"9.9.9.{n}")
        await trio.sleep(600)
        before, began = len(guesser.checked), trio.current_time()
        assert await guesser.guess("ann", "8.8.8.8", "right") == "right"
        assert trio.current_time() - began < 3600
        assert guesser.waited
        assert before <= NAME + 10 * NAME + 1
        assert len({address for _, address in guesser.checked}) > 40  # no single address gets all the turns
        nursery.cancel_scope.cancel()
    assert not guesser.guesses._lines


async def test_an_owner_at_a_known_address_does_not_notice_an_attack(autojump_clock: object) -> None:
    guesser = Guesser()
    for n in range(NAME):
        await guesser.guess("ann", f"9.9.9.{n}")
    for _ in range(50):
        await guesser.guess("ann", "8.8.8.8")
    before, began = guesser.waited, trio.current_time()
    assert await guesser.guess("ann", "8.8.8.8", "right", is_known=True) == "right"
    assert (guesser.waited, trio.current_time()) == (before, began)


async def test_a_known_origin_is_slowed_down_and_never_refused(autojump_clock: object) -> None:
    """A player who shares an address with a guesser, such as a school's or a proxy's, waits a while."""
    guesser = Guesser()

    async def attack() -> None:
        while True:
            assert await guesser.guess("ann", "192.168.1.1", is_known=True) == "wrong"

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(attack)
        await trio.sleep(600)
        assert KNOWN <= len(guesser.checked) <= KNOWN + 10 * KNOWN + 1
        assert await guesser.guess("ann", "192.168.1.1", "right", is_known=True) == "right"
        assert await guesser.guess("ben", "192.168.1.1", "right", is_known=True) == "right"
        nursery.cancel_scope.cancel()


async def test_wrong_logins_on_shared_addresses_do_not_block_other_names(autojump_clock: object) -> None:
    guesser = Guesser()
    for address in ("127.0.0.1", "172.17.0.1", "fd00::1"):
        for n in range(3 * ORIGIN):
            assert await guesser.guess(f"name{n}", address) == "wrong"
        assert await guesser.guess("ann", address, "right") == "right"


async def test_attempts_in_progress_count_until_they_prove_correct(autojump_clock: object) -> None:
    guesser, answers, go = Guesser(), list[str](), trio.Event()

    async def slow() -> bool:
        await go.wait()
        return True

    async def guess() -> None:
        try:
            await guesser.guesses.judge("ann", "8.8.8.8", slow, is_known=False, waits=lambda: None)
        except Refused:
            answers.append("refused")
        else:
            answers.append("right")

    async with trio.open_nursery() as nursery:
        for _ in range(2 * PAIR):
            nursery.start_soon(guess)
        await trio.testing.wait_all_tasks_blocked()
        assert answers == ["refused"] * PAIR
        go.set()
    assert answers.count("right") == PAIR
    assert await guesser.guess("ann", "8.8.8.8") == "wrong"


async def test_unchecked_attempts_are_not_counted(autojump_clock: object) -> None:
    guesser = Guesser()

    async def busy() -> bool:
        raise Refused(Code.RATE_LIMITED, "busy", wait_ms=1)

    for _ in range(100):
        with pytest.raises(Refused, match="busy"):
            await guesser.guesses.judge("ann", "8.8.8.8", busy, is_known=False, waits=lambda: None)
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"


async def test_a_login_that_disconnects_while_waiting_leaves_the_queue(autojump_clock: object) -> None:
    guesser = Guesser()
    for n in range(NAME):
        await guesser.guess("ann", f"9.9.9.{n}")
    with trio.move_on_after(0.5) as scope:
        await guesser.guess("ann", "8.8.8.8", "right")
    assert scope.cancelled_caught
    assert guesser.waited == 1
    assert not guesser.guesses._lines
    assert await guesser.guess("ann", "8.8.8.8", "right") == "right"
