"""Play commands become the same actions as in the engine's own notation."""

from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.actions import Action, Slam
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import action_text, parse_action
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.parse import ACTIONS, parse, to_action
from golfnet.protocol.commands.specs import Group
from golfnet.protocol.errors import Refused
from tests.engine.strategies import actions, seats

WORDS = st.builds("{}{}".format, st.sampled_from(["", "#", *"ABLabl"]), st.integers(1, 99))


def test_every_play_command_has_an_action() -> None:
    assert set(ACTIONS) == set(verbs_of(Group.PLAY))


@given(actions(), seats())
def test_every_line_the_engine_writes_is_read_as_the_same_action(action: Action, seat: Seat) -> None:
    line = action_text(action, seat)
    for machine in (True, False):
        request = parse(f"7 {line} at=12", machine=machine)
        assert to_action(request, seat) == action
        assert (request.id, request.at) == (7, 12)


@given(st.sampled_from(verbs_of(Group.PLAY)), st.lists(WORDS, max_size=3), seats())
def test_every_well_formed_line_is_read_as_the_engine_reads_it(
    verb: str, words: list[str], seat: Seat
) -> None:
    line = " ".join([verb, *words])
    try:
        action: Action | None = to_action(parse(line, machine=True), seat, 12)
    except Refused:
        action = None
    try:
        expected: Action | None = parse_action(line, seat, 12)
    except ValueError:
        expected = None
    assert action == expected


def test_a_slam_without_a_number_means_the_discard_shown() -> None:
    assert to_action(parse("slam B3", machine=True), Seat(0), 12) == Slam(Position(Seat(1), 3), 12)
    assert to_action(parse("slam 3 #4", machine=True), Seat(2), 12) == Slam(Position(Seat(2), 3), 4)
