"""Records of all rule sets verify, and nothing in them can be changed unnoticed."""

import copy
import hashlib
import json
import string
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from golfnet.engine.cards import CARDS, Seat
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EndReason, HoleEnded, Knocked, Reshuffled, SlamClosed, TurnBegan
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.match import Match
from golfnet.engine.variants import VARIANTS
from golfnet.storage.records import BadRecord, canonical
from golfnet.storage.verification import step_of, verified_events, verify
from tests.storage.matches import record_of, rules_of

Objects = list[dict[str, Any]]

KINDS: list[tuple[str, dict[str, object], int | None]] = [
    ("four-turn", {}, None),
    ("cactus", {}, None),
    ("cactus", {"slam": "lot", "recall": "always", "holes": 2}, None),
    ("cactus", {"slam": "order", "deck": "standard"}, None),
    ("six-card", {"holes": 2}, None),
    ("six-card-final", {"holes": 2, "jokers": 2, "dealer": "random", "penalty": "double"}, None),
    ("four-card-knock", {"holes": 2}, None),
    ("multiples", {"holes": 1}, None),
    ("six-card", {"holes": 3}, 60),
    ("four-turn", {"holes": 2}, 0),
]


@cache
def record(kind: int) -> tuple[bytes, ...]:
    variant, changes, abandon_after = KINDS[kind]
    return tuple(record_of(rules_of(variant, **changes), seed=1, abandon_after=abandon_after))


def objects(kind: int) -> Objects:
    return [json.loads(line) for line in record(kind)]


def lines(record: Objects) -> list[bytes]:
    return [json.dumps(line).encode() for line in record]


def redigested(record: Objects) -> Objects:
    digest = hashlib.sha256()
    for line in record:
        digest.update(canonical(line))
    return [*record[:-1], record[-1] | {"digest": digest.hexdigest()}]


def find(record: Objects, event: str) -> int:
    return next(index for index, line in enumerate(record) if line.get("event") == event)


def wrong(record: Objects) -> BadRecord:
    with pytest.raises(BadRecord) as caught:
        verify(lines(redigested(record)))
    return caught.value


@pytest.mark.parametrize("variant", VARIANTS)
def test_matches_played_by_the_rules_verify(variant: str) -> None:
    told = record_of(rules_of(variant, **({} if variant == "cactus" else {"holes": 2})), seats=5, seed=5)
    verdict = verify(told)
    last = json.loads(told[-1])
    assert verdict.variant == variant
    assert len(verdict.match.names) == 5
    assert list(verdict.match.totals) == last["totals"]
    assert list(verdict.match.places or ()) == last["places"]
    assert verdict.finished
    assert verdict.has_digest
    events = list(verified_events(told))
    assert len(events) == sum(b'"type"' in line for line in told)
    assert [moment.seq for moment in events] == sorted({moment.seq for moment in events})
    assert {moment.table for moment in events} == {"t1"}
    assert events[-1].match == verdict.match


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_records_with_house_rules_sealed_slams_or_an_abandoned_match_verify(kind: int) -> None:
    assert verify(record(kind)).finished == (KINDS[kind][2] is None)


def cut_off(whole: Objects, *, with_commitment: bool) -> Objects:
    """Return a two-hole record without its second hole, adjusted to be otherwise consistent."""
    second = next(at for at, line in enumerate(whole) if line.get("hole") == 2 and "deck" in line)
    kept = whole[: second if with_commitment else second - 1]
    (scores,) = [line["totals"] for line in kept if line.get("event") == "hole_ended"]
    over = {"totals": scores, "places": [1 + sum(other < score for other in scores) for score in scores]}
    return [*kept, whole[-2] | over, whole[-1] | over]


def test_a_match_abandoned_between_two_holes_needs_the_commitment_of_the_next_hole() -> None:
    told = [json.loads(line) for line in record_of(rules_of("six-card", holes=2), seed=4)]
    verdict = verify(lines(redigested(cut_off(told, with_commitment=True))))
    # The record itself cannot show that it was cut.
    assert (len(verdict.match.scores), verdict.finished) == (1, False)
    problem = wrong(cut_off(told, with_commitment=False))
    assert "expected the commitment of hole 2, found match_ended" in str(problem)


def test_unchecked_fields_may_contain_anything() -> None:
    told = objects(4)
    for line in told:
        line["note"] = {"unknown": [1]}
        if "ms" in line:
            line["ms"] = None
        if "seq" in line:
            line["seq"] *= 10
    told[0]["started"] = "1999-12-31T23:59:59Z"
    text = [
        json.dumps(dict(reversed(line.items())), indent=None, separators=(" , ", " : "))
        for line in redigested(told)
    ]
    assert verify([b"\n", *(line.encode() + b"\r\n" for line in text), b"  \n"]).has_digest


@pytest.mark.parametrize("schemes", [(Scheme.V1,), (Scheme.V2,), (Scheme.V1, Scheme.V2)])
def test_holes_of_both_schemes_verify_side_by_side(schemes: tuple[Scheme, ...]) -> None:
    told = record_of(rules_of("four-turn", holes=3), seed=1, schemes=schemes)
    assert verify(told).finished
    holes = [line for line in map(json.loads, told) if "deck" in line]
    expected = [schemes[min(hole, len(schemes) - 1)] for hole in range(3)]
    assert [hole.get("deal", "golfnet-deal-v1") for hole in holes] == expected
    assert ["seals" in hole for hole in holes] == [scheme is Scheme.V2 for scheme in expected]
    has_second = any(word in b"".join(told) for word in (b'"deal"', b'"seals"', b'"unrevealed"'))
    assert has_second == (Scheme.V2 in schemes)


# Tampering: a change of any kind, at one place.


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(found for key, each in inner for found in paths(each, (*path, key)))]


@st.composite
def tampered(draw: st.DrawFn) -> tuple[int, tuple[Any, ...], Objects]:
    """Return the line and path of a random change, and the changed record with its old digest."""
    told = objects(draw(st.integers(0, len(KINDS) - 1)))
    number = draw(st.integers(0, len(told) - 1))
    path = draw(st.sampled_from(paths(told[number])))
    place = told[number]
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    new = draw(changes_of(old))
    assume(json.dumps(new) != json.dumps(old))
    place[path[-1]] = new
    return number, path, told


def changes_of(old: Any) -> st.SearchStrategy[Any]:
    other: st.SearchStrategy[Any] = st.sampled_from(
        [None, 0, 1, -1, True, "A", "B", "C3", "7H", "*", "", [], {}]
    )
    if isinstance(old, bool | None):
        return other
    if isinstance(old, int):
        return st.sampled_from([old - 1, old + 1, str(old), float(old)]) | other
    if isinstance(old, list):
        return (
            st.permutations(old)
            | st.integers(0, max(0, len(old) - 1)).map(lambda at: old[:at] + old[at + 1 :])
            | other
        )
    if isinstance(old, str):
        letters = st.sampled_from(string.ascii_letters + string.digits + " ö\n")
        return (
            st.tuples(st.integers(0, max(0, len(old) - 1)), letters).map(
                lambda change: old[: change[0]] + change[1] + old[change[0] + 1 :]
            )
            | other
        )
    return other


UNSEEN = {"started", "ms", "seq", "digest"}
"""Fields that the rules do not determine."""


@given(tampered())
def test_every_change_is_found_mostly_by_the_rules(change: tuple[int, tuple[Any, ...], Objects]) -> None:
    number, path, told = change
    is_digest = number == len(told) - 1 and path == ("digest",)
    with pytest.raises(BadRecord, match="digest" if is_digest else None):
        verify(lines(told))
    line = told[number]
    # Ignored windows, late claims with the right card, and the order of two switched cards have no effect.
    has_no_effect = line.get("event") in ("passed", "switched") or line.get("result") == "late"
    # Without a deal, nothing reveals the seed behind a commitment.
    is_never_dealt = path == ("commitment",) and not any("deck" in later for later in told[number:])
    if path[0] not in UNSEEN and not has_no_effect and not is_never_dealt:
        bad = wrong(told)
        assert number + 1 <= bad.line <= number + 3
        expected, _, found = str(bad).partition(": expected ")[2].rpartition(", found ")
        assert expected != found


@given(st.integers(0, len(KINDS) - 1), st.data())
def test_a_missing_duplicated_or_moved_line_is_found(kind: int, data: st.DataObject) -> None:
    told = objects(kind)
    number = data.draw(st.integers(0, len(told) - 1))
    change = data.draw(st.sampled_from(["missing", "doubled", "moved"]))
    if change == "missing":
        # A missing pass may go unnoticed: it looks like a seat that ignored the window.
        assume(told[number].get("event") != "passed" and number < len(told) - 1)
        del told[number]
    elif change == "doubled":
        told.insert(number, copy.deepcopy(told[number]))
    else:
        assume(number < len(told) - 1)
        told[number], told[number + 1] = told[number + 1], told[number]
    assert wrong(told).line > number


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 20, -1])
def test_the_end_of_an_incomplete_record_is_reported(kept: int) -> None:
    told = record(4)[:kept]
    with pytest.raises(BadRecord, match="the end of the record") as caught:
        verify(told)
    assert caught.value.line == len(told) + 1
    with pytest.raises(BadRecord, match="nothing after the totals"):
        verify([*record(4), b'{"more":1}'])


# Error messages.


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ((0, "format"), "golfnet-record/2", "line 1, format"),
        ((0, "variant"), "seven-card", "variant"),
        ((0, "started"), "yesterday", "line 1, started"),
        ((0, "seats"), ["Ann"], "line 1, seats"),
        ((0, "options"), [], "line 1, options: expected an object"),
        ((10, "ms"), -1, "line 11, ms: expected milliseconds"),
        ((0, "options", "rows"), 99, r"line 1, options.rows"),
        ((0, "options", "wind"), 1, r"line 1, options.wind"),
        ((1, "commitment"), "0" * 64, "line 2, commitment"),
        ((1, "commitment"), "x", "line 2, commitment: expected 64 hex digits"),
        ((1, "table"), 7, "line 2, table: expected text"),
        ((1, "table"), "", "line 3, table: expected "),
        ((2, "seq"), 0, "line 3, seq: expected a number above [12], found 0"),
        ((3, "hole"), 2, "line 4, hole: expected 1, found 2"),
        ((3, "seed"), "0" * 64, "line 4, seed: expected the seed behind the commitment"),
        ((3, "seed"), "0", "line 4, seed: expected 64 hex digits"),
        ((3, "commitment"), "0" * 64, "line 4, commitment"),
        ((3, "cuts"), ["a", "b"], "line 4, cuts: expected 3 texts, found 2"),
        ((3, "cuts"), ["a" * 201, "", ""], "line 4, cuts: expected one line of at most 200 bytes"),
        ((3, "dealer"), "B", 'line 4, dealer: expected "A", found "B"'),
        ((3, "context"), "{}", "line 4, context"),
        ((3, "deck"), "AS 2S", "line 4, deck"),
        ((3, "deal"), "golfnet-deal-v1", "line 4, deal"),
        ((3, "deal"), 2, "line 4, deal"),
        ((3, "deal"), "golfnet-deal-v9", "line 4, deal: expected one of golfnet-deal-v1, golfnet-deal-v2"),
        ((3, "seals"), None, "line 4, seals"),
        ((3, "seals"), ["0f" * 32] * 3, "line 4, cuts: expected texts that match their seals"),
        ((3, "seals"), ["x", None, None], "line 4, seals"),
        ((3, "seals"), [7, None, None], "line 4, seals"),
        ((5, "event"), "flew", "line 6, event"),
        ((6, "event"), "flew", "line 7, event: expected an event in a hole"),
        ((-1, "totals"), [0, 0, 0], "totals"),
        ((-1, "places"), [1, 1, 1], "places"),
        ((-2, "places"), [1, 1, 1], "places"),
    ],
)
def test_the_wrong_field_is_named(place: tuple[Any, ...], value: object, said: str) -> None:
    told = objects(0)
    target: Any = told
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    with pytest.raises(BadRecord, match=said):
        verify(lines(redigested(told)))


def test_an_impossible_action_is_reported_in_words() -> None:
    told = objects(4)
    at = find(told, "drew")
    told[at] = {**told[at], "event": "knocked"}
    assert "cannot knock here: You cannot knock in six-card" in str(wrong(told))


def test_a_step_that_no_seat_can_cause_is_refused() -> None:
    match = next(moment.match for moment in verified_events(record(4)) if moment.event.name == "drew")
    ended = HoleEnded(
        reason=EndReason.KNOCK, closer=None, layouts=(), scores=None, totals=(), seed=b"", cuts=()
    )
    for event, said in (
        (TurnBegan(seat=Seat(0), turn=1), "Nobody can cause turn"),
        (Knocked(seat=Seat(5)), "There is no seat F"),
        (SlamClosed(discard_no=1), "No slam window"),
        (ended, "Nobody can cause hole_ended"),
    ):
        with pytest.raises(IllegalAction, match=said):
            step_of(match, event)
    with pytest.raises(IllegalAction, match="has not begun yet"):
        step_of(Match("m1"), Knocked(seat=Seat(0)))


def test_a_reshuffle_comes_from_a_draw() -> None:
    match = next(moment.match for moment in verified_events(record(4)) if moment.event.name == "turn")
    assert match.hole is not None
    empty = match.hole._replace(stock=(), discards=(CARDS["7H"], CARDS["8H"], CARDS["9H"]))
    (first, drew, *_), _ = step_of(
        match._replace(hole=empty), Reshuffled(stock=2, discard=CARDS["9H"], order=None)
    )
    assert (first.name, drew.name) == ("reshuffled", "drew")


def wrong_slams(told: Objects) -> list[int]:
    """Return each place where two seats in a row slam another seat's card, are wrong and get a penalty card."""
    return [
        at
        for at in range(len(told) - 3)
        if [line.get("result", line.get("event")) for line in told[at : at + 4]] == ["wrong", "penalty"] * 2
        and told[at]["by"] != told[at + 2]["by"]
        and told[at]["at"][0] != told[at]["by"]
        and told[at + 2]["at"][0] != told[at + 2]["by"]
    ]


@pytest.fixture(scope="module")
def swapped_slams() -> tuple[list[bytes], int]:
    """Return a record in which two sealed slams of other seats' cards are swapped, and the index of the first slam."""
    for seed in range(1, 100):
        told = [json.loads(line) for line in record_of(rules_of("cactus", slam="order"), seats=6, seed=seed)]
        for seq, line in enumerate((line for line in told if "seq" in line), 1):
            line["seq"] = seq
        for at in wrong_slams(told)[:1]:
            numbers = [line["seq"] for line in told[at : at + 4]]
            told[at : at + 4] = [*told[at + 2 : at + 4], *told[at : at + 2]]
            for line, seq in zip(told[at : at + 4], numbers, strict=True):
                line["seq"] = seq
            return lines(redigested(told)), at
    raise LookupError("no two wrong slams in one window")


def test_sealed_slams_are_recorded_in_the_order_of_resolution(swapped_slams: tuple[list[bytes], int]) -> None:
    told, at = swapped_slams
    with pytest.raises(BadRecord, match=f"line {at + 3}, by: expected one of the claims by"):
        verify(told)


def test_a_restored_table_may_reorder_sealed_claims(swapped_slams: tuple[list[bytes], int]) -> None:
    told, at = [json.loads(line) for line in swapped_slams[0]], swapped_slams[1]
    for line in told[at + 2 :]:
        if "seq" in line:
            line["seq"] += 1
    assert verify(lines(redigested(told))).finished
