"""Lines are parsed into requests in text mode and in machine mode, and the engine parses play commands alike."""

import re
from contextlib import suppress

import pytest
from hypothesis import example, given, strategies as st

from golfnet.engine.actions import Action, Draw, action_text, parse_action
from golfnet.engine.cards import Seat
from golfnet.protocol.commands.catalog import COMMANDS, verbs_of
from golfnet.protocol.commands.parse import Request, id_of, parse, pong_key, spelled_out
from golfnet.protocol.commands.specs import Group, read, split
from golfnet.protocol.errors import Code, Refused
from tests.engine.strategies import actions, seats

SLOTS = st.integers(1, 99)


def refused(line: str, *, machine: bool = True, holding: bool = False) -> Refused:
    with pytest.raises(Refused) as caught:
        parse(line, machine=machine, holding=holding)
    return caught.value


FIRST_WORDS = st.sampled_from([*COMMANDS, "d", "17 take", "!", '"', "?", "xx"])
ANY_LINE = st.text(max_size=60) | st.builds(
    "{} {}".format, FIRST_WORDS, st.text(st.sampled_from("a3B#=\"'= "), max_size=20)
)


@given(line=ANY_LINE, machine=st.booleans(), holding=st.booleans(), spoken=st.booleans())
@example(line="", machine=True, holding=False, spoken=False)
@example(line="  ", machine=False, holding=True, spoken=True)
@example(line="²", machine=False, holding=True, spoken=False)
@example(line="17 \u0663", machine=True, holding=False, spoken=False)
def test_any_line_is_parsed_or_refused(line: str, machine: bool, holding: bool, spoken: bool) -> None:
    try:
        request = parse(line, machine=machine, holding=holding, spoken=spoken)
    except Refused as reason:
        assert reason.code in (Code.UNKNOWN_VERB, Code.BAD_ARGUMENT, Code.BAD_OPTION, Code.BAD_SLOT)  # noqa: PT017
        assert reason.message.isprintable()  # noqa: PT017
    else:
        assert request.verb in COMMANDS
        assert request.id == id_of(line)


@given(line=ANY_LINE, holding=st.booleans())
@example(line="17 join my house password=x", holding=False)
@example(line='"hello "', holding=False)
@example(line="5", holding=True)
def test_what_a_person_types_means_the_same_when_it_is_spelled_out(line: str, holding: bool) -> None:
    try:
        request = parse(line, machine=False, holding=holding)
    except Refused:
        with pytest.raises(Refused):
            spelled_out(line, holding=holding)
    else:
        spelled = spelled_out(line, holding=holding)
        assert parse(spelled, machine=False) == request
        missing = request.spec.parameters[len(request.words) :]
        if not request.spec.text_only and all(parameter.optional for parameter in missing):
            assert parse(spelled, machine=True) == request


def test_a_bare_slot_is_a_swap_only_in_text_mode_while_a_card_is_held() -> None:
    request = parse("3", machine=False, holding=True)
    assert (request.verb, request.words, request.arguments) == ("swap", ("3",), {"slot": 3})
    assert "only while you hold a card" in refused("3", machine=False).message
    assert refused("3", holding=True).code is Code.UNKNOWN_VERB
    assert refused("3 4", machine=False, holding=True).code is Code.UNKNOWN_VERB


MEANT = """
    'good luck    say good luck
    ' good luck   say good luck
    "good luck    say good luck
    "good luck"   say good luck
    d             draw
    t 3           take 3
    !b3           slam b3
    ! 2 #7        slam 2 #7
    ?clock        help clock
    ? coming back   help coming back
    c cactus seats=3   create cactus seats=3
    t5            take 5
    T5            take 5
    s3            swap 3
    take5         take 5
    g1 at=7       give 1 at=7
    f 1,2         flip 1 2
    peek 1, 2     peek 1 2
    switch 2,B4   switch 2 B4
"""


@pytest.mark.parametrize(("typed", "meant"), [re.split(" {2,}", each)[1:] for each in MEANT.splitlines()[1:]])
def test_short_forms_signs_and_slots_without_spaces_are_accepted_in_text_mode(typed: str, meant: str) -> None:
    assert (
        parse(typed, machine=False) == parse(meant, machine=True) == parse(spelled_out(typed), machine=True)
    )
    assert refused(typed).code in (Code.UNKNOWN_VERB, Code.BAD_ARGUMENT, Code.BAD_SLOT)


def test_text_mode_accepts_greetings_and_a_login_without_a_password() -> None:
    for line in ("hi", "hey", "Hi there", "hello there"):
        assert parse(line, machine=False) == Request(verb="hello")
    assert parse("login bob", machine=False).words == ("bob",)


@pytest.mark.parametrize(
    ("line", "machine", "code", "said"),
    [
        ("f12", False, Code.UNKNOWN_VERB, "Did you mean flip 1 2?"),
        ("peek34", False, Code.UNKNOWN_VERB, "Did you mean peek 3 4?"),
        ("1", False, Code.UNKNOWN_VERB, "such as flip 1 or take 1."),
        ("1 2", False, Code.UNKNOWN_VERB, "such as flip 1 2."),
        ("create cactus final-turn=on", True, Code.BAD_OPTION, "Did you mean final_turn=?"),
        ("create cactus zzz=1", True, Code.BAD_OPTION, "type: help create"),
        ("join t1 pasword=x", True, Code.BAD_ARGUMENT, "Did you mean password=?"),
        ("swap 3 name=x", True, Code.BAD_ARGUMENT, "Usage: swap SLOT"),
        *((f"swap 3 at={at}", True, Code.BAD_ARGUMENT, "at=58.") for at in ("", "-1", "1e3", "12345678901")),
        ("swap", True, Code.BAD_ARGUMENT, "swap needs a slot number such as 3. Usage: swap SLOT"),
        ("swap x", True, Code.BAD_ARGUMENT, "swap needs a slot number such as 3. Usage: swap SLOT"),
        ("swap 1 2", True, Code.BAD_ARGUMENT, "swap got too many words. Usage: swap SLOT"),
        (
            "slam b3 12",
            True,
            Code.BAD_ARGUMENT,
            "number of a discard, such as #12. Usage: slam POSITION [#N]",
        ),
        ("seat ann bob", True, Code.BAD_ARGUMENT, "needs a seat letter such as B. Usage: seat SEAT NAME"),
        ("hello all", True, Code.BAD_ARGUMENT, "a number. Usage: hello 1 [client=NAME/VERSION] [caps=...]"),
        ("telnet maybe", True, Code.BAD_ARGUMENT, "telnet needs on or off. Usage: telnet on"),
        (
            "switch 1",
            True,
            Code.BAD_ARGUMENT,
            "B3, or a slot number of your own. Usage: switch POSITION POSITION",
        ),
        *((line, True, Code.BAD_SLOT, "") for line in ("swap 0", "take 1000", "peek 0")),
        ("login bob", True, Code.BAD_ARGUMENT, "needs one word for PASSWORD. Usage: login NAME PASSWORD"),
        *(
            (f"{an_id} draw", True, Code.UNKNOWN_VERB, "")
            for an_id in ("007", "1234567890", "-1", "17x", "1.5")
        ),
        ("17", True, Code.UNKNOWN_VERB, ""),
    ],
)
def test_a_refusal_says_what_to_type(line: str, machine: bool, code: Code, said: str) -> None:
    reason = refused(line, machine=machine)
    assert (reason.code, reason.message.endswith(said)) == (code, True)


@pytest.mark.parametrize(
    ("line", "machine", "spoken", "verb"),
    [
        ("SLAM LOG", False, False, "log"),
        ("slam log", True, False, "log"),
        ("top", False, True, "top-card"),
        ("to", False, True, "top-card"),
        ("ladder", False, True, "top"),
        ("top cactus", False, True, "top"),
        ("top", False, False, "top"),
        ("top", True, True, "top"),
    ],
)
def test_slam_log_means_the_command_log_and_top_means_top_card_for_a_screen_reader(
    line: str, machine: bool, spoken: bool, verb: str
) -> None:
    assert parse(line, machine=machine, spoken=spoken).verb == verb


def test_chat_takes_the_rest_of_the_line_unchanged() -> None:
    assert parse('tell bob   at=5 "quoted"  and  so', machine=True).words == ("bob", 'at=5 "quoted"  and  so')
    assert parse('say "hello there"', machine=True).text("text") == "hello there"
    assert parse('cut ""', machine=True).words == ("",)
    assert refused("say").code is refused("tell bob").code is Code.BAD_ARGUMENT


@pytest.mark.parametrize("line", ["swap 3 at=58", "swap at=58 3", "SWAP 3 AT=58"])
def test_at_is_parsed_as_an_event_number_not_as_an_option(line: str) -> None:
    request = parse(line, machine=True)
    assert (request.at, request.words, request.options) == (58, ("3",), {})


@pytest.mark.parametrize(
    ("line", "key"),
    [
        *(("pong", ""), ("pong a1", "a1"), ("12 pong a1", "a1"), ("PONG A1", "A1"), (" pong  x y", "x")),
        *((line, None) for line in ("ping pong", "say pong", "12 say pong", "pongs", "12", "pon g", "")),
    ],
)
def test_the_key_of_a_pong_is_found_without_parsing_the_line(line: str, key: str | None) -> None:
    assert pong_key(line) == key


def test_rare_lines_do_not_evict_frequent_ones_from_the_cache() -> None:
    for number in range(5000):
        parse(f"ping {number}", machine=True)
    parse("draw", machine=True)
    assert parse("draw", machine=True) is parse("draw", machine=True)
    long = f"ping {'x' * 100}"
    assert parse(long, machine=True) is not parse(long, machine=True)


def test_cached_lines_are_kept_apart_by_mode_and_by_whether_a_card_is_held() -> None:
    for _ in range(2):
        assert parse("7", machine=False, holding=True).verb == "swap"
        for machine in (True, False):
            refused("7", machine=machine)
        assert parse("d", machine=False).verb == "draw"
        refused("d")
    assert parse("d", machine=False) is parse("d", machine=False)
    assert parse("say d", machine=False) is not parse("say d", machine=False)


# --- play commands


OTHER_LINES = st.builds(
    "{} {}".format,
    st.sampled_from(sorted({*verbs_of(Group.PLAY)} - {"pass"})),  # its argument is checked when it is played
    st.lists(st.builds("{}{}".format, st.sampled_from(["", "#", *"ABLabl"]), SLOTS), max_size=3).map(
        " ".join
    ),
)


@given(actions(), seats(), OTHER_LINES)
@example(Draw(), Seat(0), "slam B3")
@example(Draw(), Seat(2), "slam 3 #4")
def test_a_play_command_is_accepted_exactly_if_the_engine_can_parse_it(
    action: Action, seat: Seat, other: str
) -> None:
    written = action_text(action, seat)
    for machine in (True, False):
        request = parse(written, machine=machine)
        assert parse_action(" ".join([request.verb, *request.words]), seat) == action
    is_accepted = is_action = False
    with suppress(Refused):
        parse(other, machine=True)
        is_accepted = True
    with suppress(ValueError):
        parse_action(other, seat)
        is_action = True
    assert is_accepted == is_action


# --- arguments are split, unquoted and parsed, and refusals do not repeat secrets


PRINTABLE = st.characters(
    min_codepoint=32,
    max_codepoint=0x2FFF,
    exclude_categories=["C", "Z"],
    include_characters=" ",
    exclude_characters='"',
)
WORDS = st.text(st.sampled_from(["a", "Z", "=", " ", "#", "ö"]) | PRINTABLE, max_size=8)
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)


@given(st.lists(WORDS, max_size=4), st.dictionaries(KEYS, WORDS, max_size=3), st.booleans())
@example(["a=b", ""], {"name": ""}, True)
@example(["a=b"], {}, False)
def test_every_text_without_quotation_marks_can_be_quoted(
    words: list[str], options: dict[str, str], takes_options: bool
) -> None:
    given_options = options if takes_options else {}
    parts = [f'"{word}"' for word in words] + [f'{key}="{value}"' for key, value in given_options.items()]
    assert split(" ".join(parts), options=takes_options) == (tuple(words), given_options)


UNCLOSED = ('"a', 'x "a', '"a"b', 'name="a', 'name="a"b', '""" x')
FAULTS = {**dict.fromkeys(UNCLOSED, "quotation mark"), "seats=2 Seats=3": "You gave seats= twice"}


@pytest.mark.parametrize(("text", "said"), FAULTS.items())
def test_an_unclosed_quote_and_an_option_given_twice_are_refused(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        split(text, options=True)


def test_quotes_are_removed_once_and_quoted_words_are_not_options() -> None:
    assert parse('say ""hello""', machine=True).words == ('"hello"',)
    assert parse('say he said "no"', machine=True).words == ('he said "no"',)
    assert split('"a=b" Name="x y" c', options=True) == (("a=b", "c"), {"name": "x y"})


@pytest.mark.parametrize(
    ("verb", "word", "value"),
    [
        ("swap", "3", {"slot": 3}),
        ("seat", "b ann", {"seat": 1, "name": "ann"}),
        ("peek", "b3", {"positions": ("B3",)}),
        ("peek", "3", {"positions": ("3",)}),
        ("join", "12", {"table": "t12"}),
        ("join", "T12", {"table": "t12"}),
        ("rules", "Six-Card", {"variant": "six-card"}),
        ("telnet", "ON", {"on": "on"}),
        ("name", "Ann", {"name": "Ann"}),
        ("hello", "1", {"protocol": 1}),
    ],
)
def test_each_kind_of_argument_is_parsed_to_its_value(verb: str, word: str, value: dict[str, object]) -> None:
    assert read(COMMANDS[verb], tuple(word.split()), machine=True) == value


def test_no_refusal_and_no_repr_contains_a_secret() -> None:
    assert "hunter2" not in repr(parse("login bob hunter2", machine=True))
    for spec in COMMANDS.values():
        words = ("hunter2",) * (len(spec.parameters) + 1)
        if not any(parameter.rest or parameter.repeated for parameter in spec.parameters):
            with pytest.raises(Refused) as caught:
                read(spec, words, machine=True)
            assert "hunter2" not in caught.value.message
