"""Generate the table of look-alike letters from Unicode's confusables.

``python -m tests.protocol.look_alikes`` rewrites ``golfnet/protocol/look_alikes.py`` from the extract in
``tests/data``. Given the path of a ``confusables.txt`` (Unicode's, for instance from the source of ICU), it makes the
extract first. Then read the git diff: this table decides which names in a database count as the same.

Looking alike is not transitive: a small Greek nu looks like v, a capital one like N, but v does not look like N. Names
are compared without case, so each letter gets one class. If its forms resemble different letters, a form that looks
like an ASCII letter or digit takes precedence, then the capital. ``ALSO`` has the other letter that it resembles.
"""

import re
import sys
import textwrap
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import golfnet.protocol
from golfnet.protocol.names import SCRIPTS, UNUSUAL

VERSION: Final = "16.0.0"
EXTRACT: Final = Path(__file__).parents[1] / "data" / f"confusables-{VERSION}.txt"
MODULE: Final = Path(golfnet.protocol.__file__).with_name("look_alikes.py")

OURS: Final = {
    "-": "_",
    "\u0237": "j",  # dotless j, to which Unicode maps the Armenian yi
    "\ua7fe": "i",  # the letter I longa, as tall as a capital I
    "đ": "d",
    "ð": "d",
    "ɖ": "d",
    "ƨ": "s",
    "ꙅ": "s",
    "п": "n",
    "ц": "u",
    "լ": "i",
    "丨": "i",
    "三": "ミ",
    "千": "チ",
    "り": "リ",
}
"""Pairs that are not in Unicode's list but look alike in a terminal."""

_LINE: Final = re.compile(r"([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA\t# \( .*? → .*? \) (.*?) → ")
_ANYWHERE: Final = range(0x300, 0x370)
"""Marks for letters of any script; marks specific to a script are compared only with each other."""


def extract(confusables: str) -> str:
    """Return what a ``confusables.txt`` says about the letters and marks allowed in names."""
    lines = confusables.split("\n")
    if f"# Version: {VERSION}" not in lines:
        raise ValueError(f"expected a confusables.txt of Unicode {VERSION}")
    head = [f"# From confusables.txt of Unicode {VERSION}: what the letters and marks of names look like."]
    head += [line for line in lines[:9] if line.startswith(("# ©", "# Unicode and", "# For terms"))]
    found = filter(None, map(_LINE.match, lines))
    pairs = [f"{each[1]};{each[2]}" for each in found if _is_for_names(chr(int(each[1], 16)), each[3])]
    return "\n".join([*head, *sorted(pairs), ""])


def _is_for_names(char: str, name: str) -> bool:
    if unicodedata.normalize("NFKD", char) != char:
        return False  # decomposed before it is looked up
    script = name.split(" ")[0].split("-")[0]
    return char in "01" or (
        (script in SCRIPTS or script == "COMBINING")
        and not name.startswith(UNUSUAL)
        and " DIGIT " not in name
    )


def confusables() -> dict[str, str]:
    """Return what each letter or mark looks like, according to the extract."""
    lines = [line for line in EXTRACT.read_text("utf-8").split("\n") if line and line[0] != "#"]
    return {
        chr(int(source, 16)): "".join(chr(int(each, 16)) for each in target.split(" "))
        for source, target in (line.split(";") for line in lines)
    }


def folded(text: str) -> str:
    """Return a text case-folded and decomposed into letters and marks."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())


def looks() -> dict[str, list[str]]:
    """Return what each folded letter or mark may look like, also folded, in order of precedence."""
    by_form: dict[str, dict[str, str]] = {}
    for form, target in confusables().items():
        if len(small := folded(form)) == 1 and _is_mark(small) == _is_mark(form):
            by_form.setdefault(small, {})[form] = folded(target)
    found = {}
    for small, targets in by_form.items():
        capitals_first = [targets[form] for form in sorted(targets, key=lambda form: form == small)]
        found[small] = sorted(dict.fromkeys(capitals_first), key=lambda target: not _is_plain(target))
    return found | {ours: [target] for ours, target in OURS.items()}


def letters() -> tuple[dict[str, str], dict[str, str]]:
    """Return the classes of folded letters and marks, and other letters that some of them also look like.

    A class is named after its ASCII character if it has one, otherwise after an accented letter or its first letter.
    Letters that name their own class are left out.
    """
    chosen = looks()
    pairs = []
    for small, (target, *_) in chosen.items():
        if ord(small) in _ANYWHERE:
            continue
        if ord(target[0]) in _ANYWHERE:  # a script's own mark that looks like a mark for any letter
            target += " of a script"
        several = "".join([chosen.get(each, [each])[0] for each in target])
        pairs.append((small, target if len(target) == 1 else several))
    named = _named(pairs)
    also = {
        small: others[0]
        for small, (_, *others) in chosen.items()
        if others and _is_plain(others[0]) and named.get(others[0], others[0]) != named[small]
    }
    return named, also


def accented() -> dict[str, str]:
    """Return accented letters that look like others because their marks do (caron and breve)."""
    marks = {mark: target for mark, (target, *_) in looks().items() if ord(mark) in _ANYWHERE}
    pairs = []
    for char in map(chr, range(0xC0, 0x2000)):
        apart = unicodedata.normalize("NFD", char)
        other = unicodedata.normalize("NFC", "".join([marks.get(each, each) for each in apart]))
        is_itself = folded(char) == apart and unicodedata.normalize("NFC", char) == char
        if is_itself and len(apart) > len(other) == 1 and other != char:
            pairs.append((char, other))
    return _named(pairs)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _is_plain(target: str) -> bool:
    return len(target) == 1 and target.isascii() and target.isalnum()


def _named(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the name of each letter's class, unless it is the letter; a pair may also contain longer texts."""
    classes: dict[str, set[str]] = {}
    for one, other in pairs:
        both = classes.get(one, {one}) | classes.get(other, {other})
        classes |= dict.fromkeys(both, both)
    return {
        letter: name
        for letter, members in sorted(classes.items())
        if len(letter) == 1 and letter != (name := _name(members))
    }


def _name(members: set[str]) -> str:
    plain = {each for each in members if len(each) == 1 and each.isascii()} - _ALIKE
    if len(plain) > 1:
        raise ValueError(f"{sorted(plain)} do not look alike")
    composed = {unicodedata.normalize("NFC", each) for each in members if len(each) > 1}
    single = {each for each in members if len(each) == 1}
    return min(plain or {each for each in composed if len(each) == 1} or single)


_ALIKE: Final = frozenset("01l-")
"""ASCII characters whose class is named after a similar one: 0 after o, 1 and l after i, - after _."""


def module() -> str:
    """Return the text of the module with the tables, and the version, that the extract gives."""
    named, also = letters()
    tables = map(_words, (named, accented(), also))
    text = re.sub(r"Unicode [0-9.]+(?= )", f"Unicode {VERSION}", MODULE.read_text("utf-8"))
    return re.sub(r'(?s)(?<=_table\("""\n).*?(?=\n"""\))', lambda _: next(tables), text)


def _words(named: dict[str, str]) -> str:
    """Return each class as a word that begins with the class name, a big class as several words, wrapped to lines."""
    classes: dict[str, list[str]] = {}
    for letter, name in named.items():
        classes.setdefault(name, []).append(letter)
    words = [
        "".join(map(_escaped, (name, *members[at : at + _A_WORD])))
        for name, members in sorted(classes.items())
        for at in range(0, len(members), _A_WORD)
    ]
    return textwrap.fill(" ".join(words), 110, break_long_words=False, break_on_hyphens=False)


def _escaped(char: str) -> str:
    plain = char.isascii() and char != "\\"
    return char if plain else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


_A_WORD: Final = 14


if __name__ == "__main__":
    if len(sys.argv) > 1:
        EXTRACT.write_text(extract(Path(sys.argv[1]).read_text("utf-8-sig")), "utf-8")
    MODULE.write_text(module(), "utf-8")
