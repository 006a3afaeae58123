"""Names: which are valid, and which count as the same."""

# ruff: noqa: RUF001 - letters that look like others are the subject of these tests

import unicodedata

import pytest
from hypothesis import assume, example, given, strategies as st

from golfnet.protocol import names as skeletons_module
from golfnet.protocol.errors import Code
from golfnet.protocol.names import NAME_LIMIT, InvalidName, check_name, skeleton, skeletons
from tests.protocol.look_alikes import MODULE, confusables, folded, module


def fault(text: str) -> str:
    try:
        check_name(text)
    except InvalidName as refused:
        return str(refused)
    return ""


VALID = """
    Ann bob x Z M T four-turn Bör J_R p1 7of9 O2 tim to till t12a
    Łukasz Nguyễn Đorđe Đặng Guðrún ẹ́ Ольга Ёлка Νίκος Արամ שרה فاطمة ราตรี देवी தமிழ்
    佐々木 さくら スーパー 小さな木 김민준 ㄅㄆ Ken小太郎
"""


LIKE_RESERVED = """
    theme The-Boss modern Adminah hostess alla mei Al server-ann Ann2 bad-luck truely T-Rex Mallory idler mode
    dealers Paused-Pete nobody-s-fool my-bot easy easybot easy-bots easy-botany
"""


def test_valid_names_are_accepted_and_a_refusal_says_what_was_expected() -> None:
    with pytest.raises(InvalidName, match="a name has 1 to 20 characters"):
        check_name("")
    for name in (*VALID.split(), *LIKE_RESERVED.split(), "x" * NAME_LIMIT):
        assert check_name(name) == name
    assert check_name("Bo\u0308r") == "Bör"
    assert check_name("Ｂｏｂ") == "Bob"


CHARACTERS = [
    *("an n", " ann", "ann\n", "a.b", "a'b", "a|b", "@ann", "ann!", "♥", "👍", "an\x00n", "\x1b[31m"),
    *("-ann", "_ann", "-", "--"),
    *("\u0301ann", "1\u0301a", "-\u0301a", "a\u0337\u0338\u0335"),  # loose or piled-up marks
    *("an\u200bn", "an\u200dn", "an\u034fn", "an\ufe0fn", "a\u202en", "\u3164"),  # invisible
    *("a\ud800", "\ue000", "\u0378"),
    *("٣a", "½a", "\ufdfa"),  # other digits, and characters that NFKC expands
    *("ǀan", "ᴀnn", "ᎪᏁᏁ", "ꓮꓠꓠ", "ᄀ", "ʼann"),  # letters that are not used in names
]
RESERVED = """
    server house admin system all table lobby everyone me bot host none null root golfnet Server ADMIN adm1n r00t al1
    ａｌｌ ѕуѕтем official support Staff owner op console serverbot golfnet-team the-golfnet announcement notice warning
    Your-turn ađmin ѕцррогт MyGolfnet7 admin_ admin1 1admin 007-admin-7 ad-min server- server_01 the-server The_House
    golf-net sysop mod mod2 dealer r-o-o-t a-l-l all2 BadToken bad_t0ken_
    Internal SHUTDOWN2
"""
BOTS = """
    hard-bot2 medium--bot easy_bot- easy-bot HARD-bot medium-bot-2 rand0m-b0t easy-bot-12 easy-bot-x hard_bot-b
"""
FAULTY = [
    ("a name has 1 to 20 characters", ["", "x" * (NAME_LIMIT + 1), "\ufdfa\ufdfa"]),
    ("begins with a letter or digit", CHARACTERS),
    ("at least one letter", ["7", "12", "1-2", "1_000", "0", "１２"]),
    ("only one script", ["Аnn", "pаypal", "Νina", "annя", "さくра", "김さ", "กa", "शa"]),
    ("reserved for tables", ["t1", "t12", "T12", "ｔ12", "т12", "t0"]),
    ("is a seat", [*"ABCDEFGHIJKL", *"abcdefghijkl", "Ａ", "А"]),
    ("that name is reserved", [*RESERVED.split(), *Code, *[code.lower().replace("_", "-") for code in Code]]),
    ("reserved for bots", BOTS.split()),
]


@pytest.mark.parametrize(("expected", "texts"), FAULTY)
def test_invalid_names_are_refused_with_the_reason(expected: str, texts: list[str]) -> None:
    assert [text for text in texts if expected not in fault(text)] == []


ALIKE = """
    Bob=bOB Bob=B0b Ian=lan Ian=1an STRASSE=straße four-turn=four_turn coco=сосо BETA=ВЕТА beta=вета ANNA=ΑΝΝΑ
    Pax=Рах Tony=Τονу Bör=Вӧr Jason=Јаѕоn gauge=ɡɑuɡe no=ոօ タロ=夕口 ヘリ=へり İpek=ipek eva=еѵа ivo=іѵо olivia=оӏіѵіа
    steve=ѕтеѵе silvia=ѕіӏѵіа wow=ѡоѡ jim=ȷim yves=ɣves dave=đave dave=ðave sam=ƨam soup=ѕоцр oo=ഠഠ Şule=Șule
    Doğan=Doǧan Bob=B\u0338ob bob=b\u1d11b bob=b\uab3db rory=\uab47o\uab48y fee=\uab35\uab32\uab32 lulu=l\uab4el\uab52
    Ian=\ua7fean \u06a9\u0645\u0644=\u0643\u0645\u0644 \u06cc\u0645=\u064a\u0645 \u0649\u0645=\u064a\u0645
    lll=\u05d5\u05d5\u05d5 Ill=\u05d5\u05d5\u05d5 oo=\u101d\u101d
"""
APART = """
    Bob=Rob Bör=Bor p1=p2 p1-1=p11 Bern=Bem Анна=Ольга x_=x Čech=Cech çan=can Łukasz=Lukasz Нина=Вина Nina=Vina
    Роман=Рорап Сергей=Сергеи Ўна=Уна パパ=ハハ がく=かく Νίκος=Nikos चाँद=चाद
"""


def test_names_that_look_alike_count_as_the_same_and_others_as_different() -> None:
    for pair in (ALIKE + APART).split():
        one, other = pair.split("=")
        assert (skeleton(one) == skeleton(other)) is (pair in ALIKE.split()), pair


LOOK_ALIKES = confusables()


def test_the_look_alike_table_matches_its_extract() -> None:
    assert MODULE.read_text("utf-8") == module(), "run python -m tests.protocol.look_alikes"


def test_letters_that_unicode_calls_confusable_count_as_the_same() -> None:
    """The exceptions are letters whose class is determined by their other form, the capital or the small letter."""
    apart = {
        folded(letter)
        for letter, target in LOOK_ALIKES.items()
        if len(target) == 1 and letter.isalpha() and target.isalpha() and skeleton(letter) != skeleton(target)
    }
    assert apart == set("ƽβεκνστυвгкмнптԍպռꞟꞵꟗ")


def test_a_letter_like_two_others_is_listed_with_both() -> None:
    assert skeletons("ινο") == ("ino", "ivo")
    assert skeletons("ivo") == ("ivo",)
    assert skeletons("Ольга") == (skeleton("Ольга"),)


def test_ascii_letters_count_as_different() -> None:
    plain = "abcdefghijklmnopqrstuvwxyz0123456789_-"
    assert [char for char in plain if skeleton(char) != char] == ["l", "0", "1", "-"]


@given(st.text(alphabet=[chr(code) for code in range(128)], max_size=20))
def test_ascii_names_take_a_shortcut_with_the_same_result(text: str) -> None:
    assert skeleton(text) == skeletons_module._skeleton(text)


NAMES = st.one_of(
    st.text(max_size=25),
    st.text(alphabet=sorted(LOOK_ALIKES), max_size=4),
    st.text(alphabet=st.characters(categories=["L", "M", "N"]), max_size=6),
    st.text(alphabet="aAоОіІIl10ñ\u0303\u0338ßİßΣς夕タ-_tT", max_size=6),
)


@given(NAMES)
@example("ẞa")
@example("ǆ")
def test_any_text_is_refused_or_a_name_that_stays_the_same(text: str) -> None:
    assume(not fault(text))
    name = check_name(text)
    assert 1 <= len(name) <= NAME_LIMIT
    assert check_name(name) == name
    assert unicodedata.is_normalized("NFKC", name)
    bones = skeleton(name)
    assert bones
    assert skeleton(bones) == bones
    assert skeleton(text) == bones
    assert skeleton(name.upper()) == skeleton(name.lower()) == bones
