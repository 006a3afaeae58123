"""Names: what may be one, and which two are taken for the same."""

# ruff: noqa: RUF001 - letters that look like others are what this is about

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from golfnet.protocol.names import NAME_LIMIT, InvalidName, NameFault, check_name, skeleton


def fault(text: str) -> NameFault | None:
    try:
        check_name(text)
    except InvalidName as refused:
        return refused.fault
    return None


@pytest.mark.parametrize(
    "name",
    [
        *("Ann", "bob", "x", "Z", "M", "T", "four-turn", "Bör", "J_R", "p1", "7of9", "O2", "x" * NAME_LIMIT),
        *("tim", "to", "till", "t12a"),  # near table ids
        *("Łukasz", "Nguyễn", "ẹ́", "Ольга", "Ёлка", "Νίκος", "Արամ", "שרה", "فاطمة", "ราตรี", "देवी", "தமிழ்"),
        *("佐々木", "さくら", "スーパー", "小さな木", "김민준", "ㄅㄆ", "Ken小太郎"),
    ],
)
def test_names_that_may_be_taken(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("text", ["", "x" * (NAME_LIMIT + 1), "\ufdfa\ufdfa"])
def test_a_name_has_a_length_after_normalising(text: str) -> None:
    assert fault(text) is NameFault.LENGTH


@pytest.mark.parametrize(
    "text",
    [
        *("an n", " ann", "ann\n", "a.b", "a'b", "a|b", "@ann", "ann!", "♥", "👍", "an\x00n", "\x1b[31m"),
        *("-ann", "_ann", "-", "--"),
        *("\u0301ann", "1\u0301a", "-\u0301a", "a\u0337\u0338\u0335"),  # loose or piled-up marks
        *("an\u200bn", "an\u200dn", "an\u034fn", "an\ufe0fn", "a\u202en", "\u3164"),  # invisible
        *("a\ud800", "\ue000", "\u0378"),
        *("٣a", "½a", "\ufdfa"),  # other digits, and what NFKC makes other characters of
        *("ǀan", "ᴀnn", "ᎪᏁᏁ", "ꓮꓠꓠ", "ᄀ", "ʼann"),  # letters nobody writes names with
    ],
)
def test_a_name_is_made_of_letters_and_digits(text: str) -> None:
    assert fault(text) is NameFault.CHARACTER


@pytest.mark.parametrize("text", ["7", "12", "1-2", "1_000", "0", "１２"])
def test_a_name_does_not_look_like_a_number(text: str) -> None:
    assert fault(text) is NameFault.NUMBER


@pytest.mark.parametrize("text", ["Аnn", "pаypal", "Νina", "annя", "さくра", "김さ", "กa", "शa"])
def test_a_name_keeps_to_one_script(text: str) -> None:
    assert fault(text) is NameFault.MIXED_SCRIPTS


@pytest.mark.parametrize("text", ["t1", "t12", "T12", "ｔ12", "т12", "t0"])
def test_a_name_does_not_look_like_a_table(text: str) -> None:
    assert fault(text) is NameFault.TABLE_ID


@pytest.mark.parametrize("text", [*"ABCDEFGHIJKL", *"abcdefghijkl", "Ａ", "А"])
def test_a_seat_letter_is_no_name(text: str) -> None:
    assert fault(text) is NameFault.SEAT


@pytest.mark.parametrize(
    "text",
    [
        *("server", "house", "admin", "system", "all", "table", "lobby", "everyone", "me", "bot", "host"),
        *("none", "null", "root", "golfnet"),
        *("Server", "ADMIN", "adm1n", "r00t", "al1", "ａｌｌ", "ѕуѕтем"),
    ],
)
def test_a_word_that_means_something_else_is_no_name(text: str) -> None:
    assert fault(text) is NameFault.RESERVED


@pytest.mark.parametrize("text", ["easy-bot", "HARD-bot", "medium-bot-2", "rand0m-b0t", "easy-bot-12"])
def test_names_of_bots_are_not_for_players(text: str) -> None:
    assert fault(text) is NameFault.BOT


@pytest.mark.parametrize("text", ["my-bot", "easy", "easybot", "easy-bots", "easy-bot-x"])
def test_other_names_with_bot_in_them_are_free(text: str) -> None:
    assert fault(text) is None


def test_a_refusal_says_what_was_expected() -> None:
    with pytest.raises(InvalidName, match="a name has 1 to 20 characters"):
        check_name("")


def test_a_name_is_kept_in_nfkc() -> None:
    assert check_name("Bo\u0308r") == "Bör"
    assert check_name("Ｂｏｂ") == "Bob"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bOB"),
        ("Bob", "B0b"),
        ("Ian", "lan"),
        ("Ian", "1an"),
        ("STRASSE", "straße"),
        ("four-turn", "four_turn"),
        ("coco", "сосо"),
        ("BETA", "ВЕТА"),
        ("beta", "вета"),
        ("ANNA", "ΑΝΝΑ"),
        ("Pax", "Рах"),
        ("Tony", "Τονу"),
        ("Bör", "Вӧr"),
        ("Jason", "Јаѕоn"),
        ("Bob", "B̸ob"),
        ("gauge", "ɡɑuɡe"),
        ("no", "ոօ"),
        ("タロ", "夕口"),
        ("ヘリ", "へり"),
        ("İpek", "ipek"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "Rob"),
        ("Bör", "Bor"),
        ("p1", "p2"),
        ("p1-1", "p11"),
        ("Bern", "Bem"),
        ("Анна", "Ольга"),
        ("x_", "x"),
    ],
)
def test_names_that_do_not(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_numbered_names_stay_apart() -> None:
    names = [f"p{number}" for number in range(2000)]
    assert len({skeleton(name) for name in names}) == len(names)


NAMES = st.one_of(
    st.text(alphabet=st.characters(categories=["L", "M", "N"]), max_size=6),
    st.text(alphabet="aAоОіІIl10ñ\u0303\u0338ßİßΣς夕タ-_tT", max_size=6),
)


@given(NAMES)
@example("ẞa")
@example("ǆ")
def test_a_name_is_checked_once_and_for_all(text: str) -> None:
    assume(fault(text) is None)
    name = check_name(text)
    assert check_name(name) == name
    assert unicodedata.is_normalized("NFKC", name)
    bones = skeleton(name)
    assert bones
    assert skeleton(bones) == bones
    assert skeleton(text) == bones
    assert skeleton(name.upper()) == skeleton(name.lower()) == bones


@given(st.text(max_size=25))
def test_any_text_is_a_name_or_refused(text: str) -> None:
    if fault(text) is None:
        assert 1 <= len(check_name(text)) <= NAME_LIMIT
