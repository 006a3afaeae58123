"""The setup of a table, from what its host typed."""

from typing import Any

import pytest
import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.table.setup import SECONDS, WRONG, TableLock, is_same, named_rules, plan
from tests.server.house import House

CATALOGUE = catalogue()
SIX = CATALOGUE["six-card"]


def planned(**options: str) -> Any:
    return plan(Config(clock=60, pause=15), SIX, options)


def test_a_setup_has_the_defaults_of_rule_set_and_server_and_seats_are_the_maximum() -> None:
    rules, setup = planned()
    assert rules == SIX
    assert (setup.clock, setup.pause, setup.starts_when_full, setup.lock) == (60, 15, False, None)
    rules, setup = planned(seats="3")
    assert (rules.seats.low, rules.seats.high, setup.starts_when_full) == (2, 3, True)
    assert is_same(SIX, rules), "apart from the seats"
    assert not is_same(SIX, planned(holes="3")[0])


def test_clock_and_pause_are_seconds_or_off() -> None:
    for text, seconds in (("0", 0), ("off", 0), ("None", 0), ("45", 45), ("3600", 3600)):
        assert planned(clock=text)[1].clock == planned(pause=text)[1].pause == seconds


@pytest.mark.parametrize(
    ("option", "limits", "texts"),
    [
        ("clock", "3600", ("3601", "-1", "1.5", "soon", "", "9" * 400, "\uff16")),
        ("pause", "3600", ("3601", "-1", "1.5", "soon", "", "9" * 400, "\uff16")),
        ("seats", "2 to 8", ("1", "9", "x", "", "2-3", "-2", "9" * 400, "\uff12", "\u0663")),
    ],
)
def test_refusals_of_numbers_name_the_limits(option: str, limits: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        with pytest.raises(Refused, match=rf"{option}: .*{limits}.* not {text}\.$") as refused:
            planned(**{option: text})
        assert refused.value.code is Code.BAD_OPTION


def test_a_tables_name_is_cleaned_and_cut_to_40_characters() -> None:
    assert planned(name="\x1b[31mFun\u202e " + "x" * 80)[1].name == ("Fun " + "x" * 80)[:40]


def test_an_unknown_rule_set_is_refused_with_a_list_of_the_rule_sets() -> None:
    with pytest.raises(Refused, match="four-turn, cactus") as refused:
        named_rules(CATALOGUE, "poker\x1b[2J")
    assert "\x1b" not in refused.value.message


def test_a_part_of_a_rule_sets_name_is_refused_with_the_matching_names() -> None:
    catalogue = {"six-card": SIX, "four-turn": SIX, "four-card": SIX}
    for typed, meant in (("four", "four-turn or four-card"), ("turn", "four-turn"), ("sixcard", "six-card")):
        with pytest.raises(Refused, match=f"There is no rule set {typed}. Did you mean {meant}"):
            named_rules(catalogue, typed)


def test_a_lock_opens_only_for_its_password_and_does_not_contain_it() -> None:
    lock, same = TableLock.of("sésame"), TableLock.of("sésame")
    assert lock.opens("sésame", "", 0.0)
    assert not lock.opens("Sésame", "", 0.0)
    assert "sésame" not in lock.stored + repr(planned(password="sésame")[1])
    assert lock.stored != same.stored
    assert TableLock(lock.stored).opens("sésame", "", 0.0)


@pytest.mark.parametrize("verb", ["join", "watch"])
async def test_guessing_a_tables_password_is_rate_limited(house: House, verb: str) -> None:
    await house.opened("six-card seats=3 password=sesame", "Hank")
    guessers = [await house.program(name, address="8.8.8.8") for name in ("Ann", "Ben")]
    friend = await house.program("Cid", address="9.9.9.9")
    assert await guessers[0].codes(*[f"{verb} t1"] * 3 * WRONG) == ["WRONG_PASSWORD"] * 3 * WRONG
    assert await guessers[0].codes(*[f"{verb} t1 password=a"] * WRONG) == ["WRONG_PASSWORD"] * WRONG
    assert await guessers[1].codes(*[f"{verb} t1 password=sesame"] * 2) == ["RATE_LIMITED"] * 2
    assert await friend.codes(f"{verb} t1 password=sesame") == ["ok"]
    await trio.sleep(SECONDS / WRONG)
    assert await guessers[1].codes(f"{verb} t1 password=sesame") == ["ok"]


async def test_no_password_is_hashed_if_refused_anyway(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.opened("six-card seats=3 password=sesame", "Hank")
    guesser = await house.program("Ann")
    for _ in range(WRONG):
        await guesser.ask("join t1 password=other")
    monkeypatch.setattr("golfnet.server.table.setup._digest", None)
    assert (await guesser.ask("join t1 password=other"))["code"] == "RATE_LIMITED"
    assert (await guesser.ask("create six-card seats=99 password=sesame"))["code"] == "BAD_OPTION"
    assert (await guesser.ask("join t1"))["code"] == "WRONG_PASSWORD"
