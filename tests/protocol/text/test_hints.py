"""Hints: the lines of a prompt in one sentence, and nothing else than these lines."""

from __future__ import annotations

from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.offers import offer_of
from golfnet.protocol.replies.replies import Prompt
from golfnet.protocol.text.hints import hint, is_open_window, is_start_of_turn, spoken_hint
from tests.protocol.tabletop import NAMES, Tabletop


def said(phase: str, *actions: str, targets: tuple[str, ...] = (), ms: int | None = None) -> str:
    return hint(phase, offer_of(actions, targets), you="A", ms=ms)


def test_the_start_of_a_turn() -> None:
    turn = ("draw", "take", "take 1", "take 2", "take 3")
    assert said("turn", *turn, "knock", ms=60_000) == (
        "You can draw (d), take SLOT (t 1) or knock (k) within 60 seconds."
    )
    assert (
        said("turn", *turn, "flip 2", "flip 3") == "You can draw (d), take SLOT (t 1) or flip 2 or 3 (f 2)."
    )
    assert said("turn", "draw") == "You can draw (d)."


def test_slots_are_listed_where_not_all_may_be_chosen() -> None:
    assert said("turn", "draw", "take", "take 2", "take 4") == "You can draw (d) or take 2 or 4 (t 2)."


def test_holding_a_card() -> None:
    assert said("holding", "discard", "swap 1", "swap 2") == (
        "You can discard (x) or swap SLOT (s 1, or just 1)."
    )
    assert said("holding", "swap 1", "swap 2") == "You must swap SLOT (s 1, or just 1)."


def test_after_a_refused_card() -> None:
    assert said("flip", "flip 1", "flip 5", "pass") == "You can flip 1 or 5 (f 1) or pass (p)."


def test_start_choices() -> None:
    assert said("start", "peek 3", "peek 4", "peek 3 4") == "Look at two of your cards: type peek 3 4."
    any_two = ("flip 1", "flip 2", "flip 3", "flip 1 2", "flip 1 3", "flip 2 3")
    assert said("start", *any_two) == "Turn up two of your cards: type flip SLOT SLOT (f 1 2)."
    assert said("start", "flip 2", "flip 3", ms=9500) == (
        "Turn up one of your cards within 10 seconds: type flip SLOT (f 2)."
    )


def test_power_and_window_at_once() -> None:
    offer = said(
        "power",
        *("peek 1", "peek 2", "peek B1", "decline", "pass", "switch", "slam"),
        targets=("A1", "A2", "B1"),
        ms=3000,
    )
    assert offer == (
        "You have a power: you can peek POSITION (peek 1), switch POSITION POSITION (switch 1 B1) or decline "
        "(no power) within 3 seconds. You can also slam POSITION (!1, !B1) or pass (p: no slam)."
    )


def test_a_power_without_a_window() -> None:
    assert said("power", "peek 1", "peek B1", "decline", "switch", targets=("A1", "B1")) == (
        "You have a power: you can peek POSITION (peek 1), switch POSITION POSITION (switch 1 B1) or decline."
    )
    assert said("power", "decline", "pass") == "You have a power: you can pass (p) or decline."


def test_a_window_names_the_pass_for_the_whole_hole() -> None:
    window = offer_of(("pass", "slam"), ("A1", "B1"))
    assert hint("slam", window, you="A", ms=3000) == (
        "You can slam POSITION (!1, !B1), pass (p) or pass hole (all windows)."
    )
    assert spoken_hint("slam", window) == (
        "You can slam a position, pass or pass hole, which passes all windows."
    )


def test_a_gift_and_events_beside_play() -> None:
    assert said("give", "give 1", "give 4") == "You must give 1 or 4 (g 1)."
    assert said("between", "ready") == "You can type ready (r)."
    assert said("open", "ready", "start") == "You can type ready (r) or start."
    assert said("finished", "rematch") == "You can type rematch."


def test_nothing_to_do_is_no_hint() -> None:
    assert said("turn") == ""
    assert spoken_hint("turn", offer_of(())) == ""


def test_a_screen_reader_gets_neither_short_forms_nor_clocks() -> None:
    assert (
        spoken_hint("turn", offer_of(("draw", "take", "take 1", "take 2", "knock")))
        == "You can draw, take the discard into a slot or knock."
    )
    assert (
        spoken_hint("turn", offer_of(("draw", "take", "take 2", "take 4")))
        == "You can draw or take the discard into slot 2 or 4."
    )
    assert spoken_hint(
        "start", offer_of(("flip 1", "flip 2", "flip 3", "flip 1 2", "flip 1 3", "flip 2 3"))
    ) == ("Turn up two of your cards: type flip and two slot numbers.")
    assert spoken_hint("power", offer_of(("peek 1", "decline", "pass", "switch", "slam"))) == (
        "You have a power: you can peek a position, switch two positions or decline, which uses no power. "
        "You can also slam a position or pass, which means no slam."
    )


def test_every_prompt_of_every_rule_set_names_each_of_its_verbs_once() -> None:
    for rules in VARIANTS.values():
        table = Tabletop(rules, NAMES[:3], Seat(0), seed=7)
        for reply in table.replies(holes=1):
            if isinstance(reply, Prompt):
                text = hint(reply.phase, reply.offer, you="A", ms=reply.ms)
                assert text.count("\n") == 0
                verbs = {action.split()[0] for action in reply.actions}
                assert all(verb in text for verb in verbs), text
                assert len(text) < 240


def test_turns_and_windows_differ_for_the_bell() -> None:
    assert is_start_of_turn("turn", offer_of(("draw",)))
    assert not is_start_of_turn("turn", offer_of(()))
    assert not is_start_of_turn("holding", offer_of(("discard",)))
    assert is_open_window(offer_of(("pass", "slam")))
    assert not is_open_window(offer_of(("slam",))), "passed already"
    assert not is_open_window(offer_of(("flip 1", "pass")))
