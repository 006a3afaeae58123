"""Every refusal says what is wrong and what to do: the whole sentences are in a golden file."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.storage.rows import match

if TYPE_CHECKING:
    from tests.cli.conftest import Golfnet
    from tests.golden import GoldenFiles

GOLDEN = Path(__file__).with_name("golden") / "refusals.txt"
POSTGRES = "postgresql://golf:geheim@127.0.0.1:1/golf"

COMMANDS = f"""
serve --prot 1
serve --prot=1
discover here
admin --config memory.toml status
serve --config bad.toml
serve --memory --tls-cert bad.toml --tls-key bad.toml
serve --memory --rules-folder nonexistent
serve --memory --host nowhere.invalid
serve --memory --port 0 --telnet-port 0 --admin-socket /proc/golf.admin
serve --db folder
serve --database golf.db
serve --db {POSTGRES}
serve --database {POSTGRES}
serve --database {POSTGRES} --db golf.db
serve --database {POSTGRES} --durability normal
config --port -5
backup copy.db --database {POSTGRES}
verify
verify none
verify not-a-record
verify --db none.db
verify --db not-a-record
verify --db {POSTGRES}
verify --database {POSTGRES}
verify --seen none match.jsonl
verify --db none.db --seen match.jsonl
export m1 --db golf.db
export m1 --db empty.db
export m1 --db none.db
export m1 --db {POSTGRES}
export m1 --database {POSTGRES}
export m12 --db golf.db -o no/out
replay none.jsonl
replay match.jsonl --seat L
replay match.jsonl --coach L
arena --option final_turn
arena --option final_turn=maybe
arena --seats easy
arena --bound --seats hard,hard
bot --connect :1
bot --connect 127.0.0.1:1
bot --connect 127.0.0.1:1 --matches 0
bot --connect 127.0.0.1:1 --name t12
bot --connect 127.0.0.1:1 --fingerprint abc
bot --connect 127.0.0.1:1 --table=
bot --connect 127.0.0.1:1 --table t1 --rules cactus
bot --connect 127.0.0.1:1 --option seats=3
bot --connect 127.0.0.1:1 --fingerprint {"0" * 64}
bot --connect 127.0.0.1:1 --rules cactus --password sesame
bot --connect 127.0.0.1:1 --rules cactus --option seats
bot --connect 127.0.0.1:1 --rules cactus --option bananas=3
bot --connect 127.0.0.1:1 --table t1,t2 --password 'no"way'
bot --connect 127.0.0.1:1 --table t1 --password {"a" * 1000}
bot --connect 127.0.0.1:1 --table t1 --password \udcff
man poker
"""


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
    Path("not-a-record").write_text("junk" * 5000)


def test_a_refusal_says_what_is_wrong_in_a_sentence(
    golfnet: Golfnet, golden: GoldenFiles, tmp_path: Path
) -> None:
    told = []
    for line in COMMANDS.strip("\n").split("\n"):
        status, out, err = golfnet(*shlex.split(line))
        assert status in (1, 2), line
        assert "geheim" not in err, "a password is never repeated"
        said = f"{out}{err}".rstrip("\n").replace(str(tmp_path), ".")
        for of_python in (r"(?s)usage: .*(?=golfnet \w+: error)", r"\(\[SSL\].*\)"):
            said = re.sub(of_python, "", said)  # these parts depend on the version of Python
        told.append(f"golfnet {line}\n    {status}  {said}\n")
    golden.check(GOLDEN, "\n".join(told).encode(errors="backslashreplace").decode())


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
