"""The numbered decisions of RULES.md: each names a scene in the folder ``decisions`` or a test in this folder."""

import re
from pathlib import Path

import pytest

from golfnet.engine import fairdeal, match
from golfnet.engine.actions import Take
from golfnet.engine.cards import CARDS, Seat
from golfnet.engine.events import Dealt, EndReason, Gave, HoleEnded, HoleStarted, MatchEnded, Reshuffled
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import slot_at
from golfnet.engine.legality import awaited, claim_order, default_action
from golfnet.engine.play import decide
from golfnet.engine.rules import FirstDealer, Recall, SlamMode
from golfnet.engine.variants import VARIANTS
from tests.engine.drawing import SEED, SIX, Played, begun, dealt, only, rules
from tests.engine.scenes import all_scenes, in_phase, play_scene, scene

ROOT = Path(__file__).parents[2]
LETTERS = "XFCSGKM"
DEFINED = re.findall(
    rf"^- \*\*([{LETTERS}]\d+)\*\* ", (ROOT / "golfnet/engine/RULES.md").read_text("utf-8"), re.MULTILINE
)
SCENES = list(all_scenes())


@pytest.mark.parametrize("lines", [lines for _, lines in SCENES], ids=[title for title, _ in SCENES])
def test_a_scene_is_played_as_written(lines: list[str]) -> None:
    play_scene(lines)


# --- every decision is tested


def numbers_tested() -> set[str]:
    """Return the numbers in the titles of the scenes and in the names of the tests in this folder."""
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    names = [name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE)]
    words = {word.upper() for name in names for word in name.split("_")}
    words |= {word for title, _ in SCENES for word in title.split()}
    return {word for word in words if re.fullmatch(rf"[{LETTERS}]\d+", word)}


def cited_in(path: Path) -> set[str]:
    """Return the numbers that a file cites: ``(C11)``, ``(F3, C4, S3)``, ``# C1, C4``, ``F3 to F5``."""
    text = path.read_text(encoding="utf-8")
    number = rf"[{LETTERS}][1-9]\d?"
    cited = re.findall(rf"(?:\(|# |to |: ){number}(?:(?:, | and | to |/){number})*(?=[\s.,:;)\"'])", text)
    return {found for phrase in cited for found in re.findall(number, phrase)}


def test_numbers_are_defined_once_and_in_order() -> None:
    assert len(DEFINED) == len(set(DEFINED))
    for letter in LETTERS:
        numbers = [int(found[1:]) for found in DEFINED if found[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_decision_is_tested_and_tests_name_only_defined_decisions() -> None:
    assert numbers_tested() == set(DEFINED)


def test_decisions_cited_in_code_and_tests_are_defined() -> None:
    paths = [path for folder in ("golfnet", "client", "tests") for path in (ROOT / folder).rglob("*.py")]
    cited = {(str(path.relative_to(ROOT)), number) for path in paths for number in cited_in(path)}
    assert not {(path, number) for path, number in cited if number not in DEFINED}
    assert len({number for _, number in cited}) > len(DEFINED) / 2  # the pattern does find citations


# --- all rule sets


def test_x3_the_slot_for_a_taken_card_may_be_named_at_once_or_afterwards() -> None:
    at_once, later = (scene("multiples: FOUR; upcard 9S") for _ in range(2))
    assert later.plays("A take", "A swap 2") == at_once.plays("A take 2")
    assert later.hole == at_once.hole


def test_x4_the_deal_starts_at_the_dealers_left_and_fills_slot_1_of_every_seat_first() -> None:
    played = begun(VARIANTS["six-card-final"], seats=3)
    deal = only(Dealt, played.log)
    for number, card in enumerate(deal.deck[:18]):
        slot = played.hole.layouts[(number + 1) % 3][number // 3]
        assert slot is not None
        assert slot.card is card
    assert deal.discard is deal.deck[18] is played.hole.discards[-1]
    assert (deal.discard_no, deal.stock) == (1, 52 - 19)
    assert played.hole.stock == deal.deck[19:]


@pytest.mark.parametrize("dealer", FirstDealer)
def test_x5_x17_seat_a_or_a_random_seat_deals_first_and_the_deal_moves_clockwise(dealer: FirstDealer) -> None:
    played = begun(rules("four-turn", dealer=dealer, holes=4), seats=3)
    played.plays_to_end()
    while played.match.places is None:
        played.deals()
        played.plays_to_end()
    started = [event for event in played.log if isinstance(event, HoleStarted)]
    key = fairdeal.deal_key(SEED, started[0].context, ("",) * 3, fairdeal.Scheme.V1)
    first = fairdeal.random_dealer(key, 3) if dealer is FirstDealer.RANDOM else 0
    assert [hole.dealer for hole in started] == [(first + hole) % 3 for hole in range(4)]
    assert all(hole.leader == (hole.dealer + 1) % 3 for hole in started)


def test_x6_an_empty_stock_is_refilled_from_all_but_the_top_discard_with_a_new_key_each_time() -> None:
    rule_set = rules("six-card-final", reshuffles=2)
    played = dealt(rule_set, SIX, upcard="9S", stock="2S 3H 4H", rest=False).chosen()
    reshuffles = 0
    while played.hole.ended is None:
        pile = played.hole.discards[:-1]
        for event in played.plays_default(awaited(played.hole)[0]):
            if isinstance(event, Reshuffled):
                reshuffles += 1
                key = fairdeal.reshuffle_key(played.hole.deal.key, reshuffles)
                assert event.order == fairdeal.shuffled(key, pile)
    assert reshuffles == 2


@pytest.mark.parametrize(
    ("phase", "seat", "line"),
    [
        *(("turn", "A", "draw"), ("turn", "B", None), ("holding", "A", "discard"), ("flip", "A", "pass")),
        *(("power", "A", "decline"), ("power", "B", "pass"), ("window", "A", "pass")),
        *(("gift", "A", None), ("gift", "B", "give 1")),
    ],
)
def test_x13_each_phase_has_a_safe_default_action(phase: str, seat: str, line: str | None) -> None:
    assert in_phase(phase).default_line(seat) == line


def test_x13_without_a_stock_the_default_action_takes_the_discard_into_the_first_lawful_slot() -> None:
    hole = scene("four-turn: FOUR; upcard 9S", "A take 1; B draw, discard").hole
    empty = hole._replace(stock=())  # cannot happen in play: X6 ends the hole first
    action = default_action(empty, Seat(0))
    assert action == Take(2)
    assert decide(empty, Seat(0), action)[0]


def test_c10_g5_x15_a_match_ends_at_its_last_hole_its_target_or_the_99th_hole() -> None:
    cactus, both, target = (
        rules("cactus"),
        rules("six-card-final", holes=2, target=30),
        rules("six-card-final", holes=None, target=1000),
    )
    for rule_set, holes, total, over in (
        *((cactus, 1, 24, False), (cactus, 1, 25, True)),
        *((both, 1, 29, False), (both, 1, 30, True), (both, 2, 1, True)),
        *((target, 98, 98, False), (target, 99, 99, True)),
    ):
        state = match.Match("m1", rules=rule_set, totals=(total, 0), scores=((1, 0),) * holes)
        assert match.is_decided(state) is over


def test_x18_an_abandoned_hole_does_not_count_and_the_match_ends_with_the_totals_so_far() -> None:
    played = dealt(VARIANTS["six-card-final"], SIX, totals=(5, 9)).chosen()
    (ended, over), state = match.abandon(played.match)
    assert isinstance(ended, HoleEnded)
    assert isinstance(over, MatchEnded)
    assert (ended.reason, ended.scores, ended.totals) == (EndReason.ABANDONED, None, (5, 9))
    assert (over.totals, over.places) == ((5, 9), (1, 2)) == (state.totals, state.places)
    assert state.scores == ((5, 9),), "the scores of the previous hole, but none of this one"
    assert (ended.seed, ended.cuts) == (SEED, ("", "")), "seed and cuts are revealed even then"
    assert ended.layouts == tuple(tuple(slot and slot.card for slot in seat) for seat in played.hole.layouts)


# --- some rule sets


@pytest.mark.parametrize(
    ("totals", "last", "leader"),
    [
        *(((3, 9, 4), 0, 1), ((9, 3, 9), 1, 2), ((5, 5, 5), 2, 2), ((0, 0, 24), 0, 2)),
        *(((9, 9, 4), 0, 0), ((9, 9, 4), 1, 1), ((9, 9, 4), 2, 0)),  # ties: first the last leader
    ],
)
def test_c5_the_highest_total_leads_and_ties_go_clockwise_from_the_last_leader(
    totals: tuple[int, ...], last: int, leader: int
) -> None:
    played = begun(rules("cactus"), seats=3)
    started = replaced(only(HoleStarted, played.log), leader=Seat(last))
    state = played.match._replace(totals=totals, scores=(totals,), hole=None, started=started)
    started = only(HoleStarted, Played(state).deals())
    assert (started.dealer, started.leader) == (1, leader), "the deal still passes clockwise"


@pytest.mark.parametrize("recall", Recall)
def test_c14_the_giver_knows_the_gift_only_if_it_remembers_the_card(recall: Recall) -> None:
    for slot, card, is_seen in ((3, "6S", True), (1, "3S", False)):
        deal = f"cactus recall={recall}: FOUR; stock 7C 5D"
        gave = only(Gave, scene(deal, f"A draw, discard; B slam A1, give {slot}").log)
        assert (gave.card, gave.known) == (CARDS[card], is_seen and recall is Recall.ALWAYS)


def test_c13_looking_up_the_card_of_an_empty_slot_raises_lookup_error() -> None:
    with pytest.raises(LookupError):
        slot_at(in_phase("slammed").hole, Seat(0), 1)


def test_c21_claims_are_judged_clockwise_after_the_discarder_or_in_an_order_drawn_by_lot() -> None:
    for mode, seats in ((SlamMode.ORDER, 2), (SlamMode.ORDER, 4), (SlamMode.LOT, 4)):
        played = begun(rules("cactus", slam=mode), seats=seats).chosen()
        played.plays("A draw", "A discard")
        hole, clockwise = played.hole, (*range(1, seats), 0)
        drawn = fairdeal.lot_order(hole.deal.key, 1, clockwise)
        assert claim_order(hole) == (drawn if mode is SlamMode.LOT else clockwise)
        assert claim_order(hole._replace(window=None)) == ()
