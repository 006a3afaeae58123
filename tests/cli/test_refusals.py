"""Every refusal says what is wrong and what to do: the whole sentences are in a golden file."""

import re
import shlex
from pathlib import Path

import pytest

from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.cli.conftest import Golfnet
from tests.golden import GoldenFiles
from tests.storage.rows import match

GOLDEN = Path(__file__).with_name("golden") / "refusals.txt"
"""Commands, each with its exit status and its output. To test a new refusal, add a command and renew the file."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files with the names in the commands, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    store = SqliteStore(tmp_path / "golf.db")
    store.write([FinishMatch(match(12), b"{}\n")])
    store.close()
    SqliteStore(tmp_path / "empty.db").close()
    Path("folder").mkdir()
    Path("bad.toml").write_text("clock = 60\nprot = 1\n")
    Path("memory.toml").write_text("memory = true\n")
    Path("proxy.toml").write_text("\nproxy_port = 7780\nproxy_from = []\n")
    Path("latin.toml").write_bytes(b'lan_name = "\xe9"')
    Path("not-a-record").write_text("junk" * 5000)


def test_a_refusal_is_a_sentence_that_helps(golfnet: Golfnet, golden: GoldenFiles, tmp_path: Path) -> None:
    told = []
    for command in [each for each in GOLDEN.read_text("utf-8").split("\n") if each.startswith("golfnet ")]:
        _, *words = shlex.split(command.replace(r"\udcff", "\udcff"))
        status, out, err = golfnet(*words)
        assert status in (1, 2), command
        assert "geheim" not in err, "a password is never repeated"
        said = f"{out}{err}".rstrip("\n").replace("\n", "\n       ").replace(str(tmp_path), ".")
        for of_python in (r"(?s)usage: .*(?=golfnet \w+: error)", r"\(\[SSL\].*\)"):
            said = re.sub(of_python, "", said)  # these parts depend on the version of Python
        told.append(f"{command}\n    {status}  {said}\n")
    golden.check(GOLDEN, "".join(told).encode(errors="backslashreplace").decode())


@pytest.mark.parametrize(
    "line",
    [
        *("arena --rules chess", "arena --seats godlike", "arena --holes 0", "arena --jobs many"),
        "bot --connect 127.0.0.1:1 --level insane",
    ],
)
def test_the_refusal_of_an_invalid_choice_names_the_word(golfnet: Golfnet, line: str) -> None:
    ran = golfnet(*line.split())
    assert ran.status == 2
    assert f"'{line.split()[-1]}'" in ran.err, "the rest of the sentence depends on the version of Python"
