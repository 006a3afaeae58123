"""The page knows every event and command it has to show, and describes cards as ``speech`` does."""

import re
from pathlib import Path

from golfnet.engine.events import EVENTS
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import Group
from golfnet.protocol.text import words
from golfnet.server import web as entrance
from golfnet.server.web import MODULES, joined, read_page, squeezed

SOURCES = {
    name: (Path(entrance.__file__).parent / "page" / f"{name}.js").read_text("utf-8") for name in MODULES
}
SCRIPT = "\n".join(SOURCES.values())


def table(name: str) -> str:
    """Return the body of a table in the script."""
    found = re.search(rf"^(?:export )?const {name} = \{{\n(.*?)^\}};", SCRIPT, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def keys(name: str) -> set[str]:
    """Return the keys of a table of functions."""
    return set(re.findall(r"(?:^ {2}|, )(\w+): \(", table(name), re.MULTILINE))


def test_the_page_moves_cards_only_for_events_that_exist() -> None:
    moving = keys("WAYS")
    assert moving <= EVENTS.keys()
    assert {"peeked", "swapped", "slammed", "penalty", "gave"} <= moving


def test_every_play_command_has_a_button() -> None:
    play = {verb for verb, spec in COMMANDS.items() if spec.group is Group.PLAY}
    page = read_page()["/"].body.decode()
    assert play | {"ready", "start", "rematch"} <= set(re.findall(r'<button value="(\w+)"', page))


def test_cards_are_described_as_in_speech_style() -> None:
    ranks = dict(re.findall(r'("?[0-9A-Z*]+"?): "(\w+)"', table("RANKS")))
    assert {rank.strip('"'): word for rank, word in ranks.items()} == dict(words.RANK_WORDS)
    for suit, word in words.SUIT_WORDS.items():
        assert re.search(rf'\b{suit}: \["(.)", "{word}"\]', SCRIPT)


def test_the_page_is_within_its_size_limits() -> None:
    page = read_page()
    assert sum([source.count("\n") for source in SOURCES.values()]) <= 900
    assert max(map(len, SCRIPT.splitlines())) <= 120
    assert sum([len(file.packed) for path, file in page.items() if path != "/golf.png"]) <= 18_500
    assert len(page["/golf.png"].body) < 1500, "it is loaded only for a home screen"


def test_each_module_is_served_after_the_modules_it_imports() -> None:
    assert {path.stem for path in Path(entrance.__file__).parent.glob("page/*.js")} == set(MODULES)
    for number, source in enumerate(SOURCES.values()):
        for line in re.findall(r"^import .*", source, re.MULTILINE):
            found = re.fullmatch(r'import \{ (.*) \} from "\./(\w+)\.js";', line)
            assert found is not None, line
            assert found[2] in MODULES[:number]
            for name in found[1].split(", "):
                exported = re.compile(rf"^export (?:const|function) {re.escape(name)}(?: =|\()", re.MULTILINE)
                assert exported.search(SOURCES[found[2]]), line


def test_no_two_modules_of_the_page_define_the_same_name() -> None:
    names = re.findall(r"^(?:export )?(?:const|let|function) ([\w$]+)", SCRIPT, re.MULTILINE)
    for line in re.findall(r"^let (.*);", SCRIPT, re.MULTILINE):
        names += re.findall(r", (\w+) = ", line)
    assert len(set(names)) == len(names)


def test_the_joined_script_omits_what_a_browser_does_not_need() -> None:
    source = '// Why.\nimport { b } from "./b.js";\n\nexport const a = b; // Aside.\n'
    assert joined([source, '  run(a, "b, c", `d: ${a}`);']) == (
        '"use strict";const a=b;run(a,"b, c",`d: ${a}`);'
    )


def test_squeezing_a_style_sheet_keeps_the_spaces_that_matter() -> None:
    style = "/* Why. */\na > .b, c {\n  width: calc(1em - 2 * (var(--c) + 1px)) !important;\n}\n"
    assert squeezed(style) == "a > .b,c{width:calc(1em - 2 * (var(--c) + 1px)) !important;}"


def test_joining_the_script_changes_none_of_its_strings() -> None:
    source = re.sub(r"(^|\s)(// |import ).*", "", SCRIPT, flags=re.MULTILINE)
    assert not re.search(r"\$\{[^}`]*`", source), "no string contains another"
    served = read_page()["/"].body.decode()
    strings = re.findall(r"`[^`]*`|'[^'\n]*'|\"[^\"\n]*\"", source)
    assert len(strings) > 300
    assert [string for string in strings if string not in served] == []
