"""A viewer of a hole can find every card that does not follow from the deal, and finds no problem in an honest deal."""

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from golfnet.engine import fairdeal, match as matches
from golfnet.engine.cards import CARDS, Card, Seat
from golfnet.engine.events import Committed, Event, HoleEnded, HoleStarted
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import fields_of, replaced
from golfnet.engine.inspection import ClosedSealing, Knowledge, problems
from golfnet.engine.rules import FirstDealer, RuleSet
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import mask
from tests.engine.drawing import NAMES, rules
from tests.engine.random_play import play_hole

SEATS = 3
TEXTS = ("sealed by the first", "kept back by the second", "in the open")


@cache
def holes(variant: str, seed: int, scheme: Scheme = Scheme.V2) -> list[tuple[Knowledge, HoleEnded]]:
    """Return the first two holes of a match, as the first seat saw them."""
    chance = Random(seed)
    played_rules: RuleSet = rules(variant, holes=2, target=None, dealer=FirstDealer.RANDOM)
    match = matches.Match("m1")
    before: HoleStarted | None = None
    seen = []
    for hole in (1, 2):
        (promise,), match = matches.commit(match, chance.randbytes(32), scheme)
        assert isinstance(promise, Committed)
        if hole == 1:
            _, match = matches.start(match, played_rules, NAMES[:SEATS])
        seals: tuple[str | None, ...] = ()
        cuts = TEXTS if scheme is Scheme.V1 else (TEXTS[0], "", TEXTS[2])
        if scheme is Scheme.V2:
            seals = (*[fairdeal.seal("m1", hole, NAMES[at], TEXTS[at]) for at in (0, 1)], None)
        totals = match.totals
        events, match = matches.deal(match, cuts, seals)
        for step in play_hole(match, chance):
            events += step.events
            match = step.after
        masked = [mask(event, Seat(0)) for event in events if event.name != "match_ended"]
        ended = masked[-1]
        assert isinstance(ended, HoleEnded)
        assert match.rules is not None
        knowledge = Knowledge(
            promise=replaced(promise, seed=b""),
            rules=match.rules,
            names=NAMES[:SEATS],
            totals=totals,
            seat=Seat(0),
            closed=None if scheme is Scheme.V1 else ClosedSealing(seals, ("", "", TEXTS[2])),
            text="" if scheme is Scheme.V1 else TEXTS[0],
            was_told=scheme is Scheme.V2,
            before=before,
            events=tuple(masked),
        )
        seen.append((knowledge, ended))
        before = match.started
    return seen


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("variant", VARIANTS)
def test_an_honest_deal_has_no_problems_however_little_of_it_was_seen(variant: str, scheme: Scheme) -> None:
    for seed in range(2):
        for seen, ended in holes(variant, seed, scheme):
            assert problems(seen, ended) == []
            assert problems(seen._replace(seat=None, text="", was_told=False), ended) == []
            for count in range(0, len(seen.events), 7):
                part = seen._replace(events=seen.events[:count], is_whole=False)
                assert problems(part, ended) == []
            assert problems(seen._replace(before=None), ended) == [] or seen.promise.hole == 1


def cards_in(event: Event) -> list[tuple[str, int | None]]:
    """Return where an event has cards: the field, and the index if the field is a list."""
    places: list[tuple[str, int | None]] = []
    for field, value in fields_of(event).items():
        if isinstance(value, Card):
            places.append((field, None))
        elif isinstance(value, tuple):
            places += [(field, at) for at, item in enumerate(value) if isinstance(item, Card)]
    return places


@given(st.sampled_from(list(VARIANTS)), st.integers(0, 1), st.integers(0, 1), st.data())
def test_any_card_altered_in_an_event_is_found(
    variant: str, seed: int, hole: int, data: st.DataObject
) -> None:
    seen, ended = holes(variant, seed)[hole]
    places = [(at, place) for at, event in enumerate(seen.events) for place in cards_in(event)]
    at, (name, item) = data.draw(st.sampled_from(places))
    event = seen.events[at]
    value: Any = getattr(event, name)
    card = data.draw(
        st.sampled_from([card for card in CARDS.values() if card != (value if item is None else value[item])])
    )
    changed = card if item is None else (*value[:item], card, *value[item + 1 :])
    other: Event = replaced(event, **{name: changed})
    events = (*seen.events[:at], other, *seen.events[at + 1 :])
    [problem] = problems(seen._replace(events=events), ended)
    assert "the deck does not give" in problem


def first() -> tuple[Knowledge, HoleEnded]:
    return holes("four-turn", 1)[0]


OTHER = "0f" * 32

REVEALED = [
    ({"seed": bytes(32)}, "the seed does not match"),
    ({"cuts": ("another text of mine", "", TEXTS[2])}, "the text of Ann does not match its seal"),
    ({"cuts": (TEXTS[0], "", "in the open!")}, "the text of Cem was changed"),
    ({"cuts": (TEXTS[0], TEXTS[1], TEXTS[2])}, "kept back a sealed text"),
    ({"cuts": ("", "", TEXTS[2])}, "your own text was sent"),
    ({"seals": (OTHER, OTHER, None)}, "the seal of"),
    ({"seals": (None, None, None)}, "the seal of"),
    ({"seals": None}, "missing"),
    ({"cuts": ()}, "missing"),
]


@pytest.mark.parametrize(("changes", "problem"), REVEALED)
def test_revealed_values_that_contradict_seals_or_commitments_are_found(
    changes: dict[str, Any], problem: str
) -> None:
    seen, ended = first()
    found = problems(seen, replaced(ended, **changes))
    assert any(problem in sentence for sentence in found)


def test_dealing_before_sealing_is_closed_or_without_asking_for_a_sealed_text_is_found() -> None:
    seen, ended = first()
    unasked = seen._replace(closed=None, was_told=False)
    found = " ".join(problems(unasked, ended))
    assert "never closed" in found
    assert "without asking for it" in found
    assert problems(unasked._replace(is_whole=False), ended) == []


@pytest.mark.parametrize("hole", [0, 1])
def test_a_wrong_dealer_or_a_replaced_commitment_is_found(hole: int) -> None:
    seen, ended = holes("four-turn", 1)[hole]
    started, *later = seen.events
    assert isinstance(started, HoleStarted)
    for change, problem in (
        ({"dealer": Seat((started.dealer + 1) % SEATS)}, "a different seat dealt"),
        ({"commitment": OTHER}, "replaced"),
    ):
        [found] = problems(seen._replace(events=(replaced(started, **change), *later)), ended)
        assert problem in found


def test_names_or_rules_changed_after_the_texts_were_sent_are_found() -> None:
    seen, ended = first()
    assert problems(seen._replace(names=("Ann", "Bea", "Cem")), ended)
    assert problems(seen._replace(rules=replaced(seen.rules, jokers=seen.rules.jokers + 2)), ended)


@given(st.sampled_from(list(VARIANTS)), st.randoms(use_true_random=False))
def test_events_in_any_order_can_be_inspected(variant: str, chance: Random) -> None:
    seen, ended = holes(variant, 1)[0]
    events = chance.sample(seen.events, len(seen.events))
    if events[:2] != [*seen.events[:2]]:
        assert isinstance(problems(seen._replace(events=tuple(events)), ended), list)
