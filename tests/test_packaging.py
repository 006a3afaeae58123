"""What is installed matches what is declared: one version, both packages, a lock that covers every requirement."""

import contextlib
import importlib.metadata
import os
import re
import shutil
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import golfnet
from golfnet.cli.main import main
from golfnet.release import commit, version_line
from tests.e2e.service import PATIENCE, Talk, printed

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = sorted(set(PROJECT["project"]["optional-dependencies"]) - {"all"})
LOCK = (ROOT / "tests/requirements.lock").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
DATA = [
    str(path.relative_to(ROOT))
    for ending in ("md", "toml", "sql")
    for path in (ROOT / "golfnet").rglob(f"*.{ending}")
]
"""The server's files that are not code."""
LOCKED = dict(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", LOCK, flags=re.MULTILINE))


def needs() -> list[str]:
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    optional = [need for extra in EXTRAS for need in project["optional-dependencies"][extra]]
    of_groups = [need for group in groups.values() for need in group if isinstance(need, str)]
    return [*PROJECT["build-system"]["requires"], *project["dependencies"], *optional, *of_groups]


def test_the_installed_version_equals_the_version_in_the_package() -> None:
    assert importlib.metadata.version("golfnet") == golfnet.__version__


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout of everything that is packaged, with one commit."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("golfnet", "client", "deploy"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "COMMIT"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE.Unicode", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    for words in ("init -q", "add .", "commit -q -m first"):
        who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "core.hooksPath=/dev/null")
        printed("git", *who, *words.split(), cwd=folder)
    return folder


def built(folder: Path, into: Path, *options: str) -> Path:
    """Return the wheel or source archive built from a folder, with the tests' own hatchling, so nothing is fetched."""
    environ = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    printed(sys.executable, "-m", "hatchling", "build", "-d", into, *options, cwd=folder, env=environ)
    (made,) = into.iterdir()
    return made


def test_the_version_names_the_commit_of_a_checkout(checkout: Path) -> None:
    head = printed("git", "rev-parse", "HEAD", cwd=checkout)
    assert commit(checkout / "golfnet") == head[:12]
    told = printed(sys.executable, "-m", "golfnet.cli.main", "--version", cwd=checkout)
    assert told == f"golfnet {golfnet.__version__} ({head[:12]})\n"


def test_the_version_line_has_no_commit_if_none_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    assert commit(tmp_path / "golfnet") == ""  # not a repository
    monkeypatch.setattr("golfnet.release.commit", lambda: "")
    assert version_line("golfnet-client") == f"golfnet-client {golfnet.__version__}"
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"golfnet {golfnet.__version__}\n"


def test_importing_golfnet_does_not_run_git() -> None:
    program = "import sys, golfnet.cli.main, golfnet_client.app; print('golfnet.release' in sys.modules)"
    assert printed(sys.executable, "-c", program) == "False\n"


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(checkout, tmp_path_factory.mktemp("wheel"), "-t", "wheel")


def test_a_wheel_is_reproducible_has_all_data_and_knows_its_commit(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    # shutil.copy gives the files new timestamps.
    elsewhere = shutil.copytree(checkout, tmp_path / "elsewhere", copy_function=shutil.copy)
    assert built(elsewhere, tmp_path / "wheel", "-t", "wheel").read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert archive.read("golfnet/COMMIT").decode().strip() == commit(checkout / "golfnet")
    assert {*DATA, "golfnet/py.typed", "golfnet_client/py.typed"} <= {*names}
    assert not [name for name in names if name.startswith(("tests/", "client/", "deploy/"))]
    assert len(names) == len(set(names))


def test_the_source_archive_makes_the_same_wheel(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(built(checkout, tmp_path / "archive", "-t", "sdist"), tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert not (unpacked / ".git").exists()
    assert (unpacked / "deploy/README.md").exists()
    assert commit(unpacked / "golfnet") == commit(checkout / "golfnet")
    again = built(unpacked, tmp_path / "wheel", "-t", "wheel")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())
        for name in first.namelist():
            assert name.endswith("/RECORD") or first.read(name) == second.read(name), name


@pytest.mark.slow
def test_somebody_with_only_the_wheel_can_play_as_the_readme_says(
    checkout: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"`uvx --from golfnet (\S+) --solo`", readme)
    (named,) = re.findall(r"`pipx install (\S+\.whl)`", readme)
    assert wheel.name == named
    environment = tmp_path / "environment"
    printed(sys.executable, "-m", "venv", "--without-pip", environment)
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python")
    printed(*pip, "install", "-qq", "--no-deps", "--no-index", wheel)
    (packages,) = environment.glob("lib/*/site-packages")
    # golfnet comes from the wheel, its requirements from the tests' environment: no package index is needed.
    (packages / "needs.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    told = printed(environment / "bin" / "golfnet", "--version")
    assert told == f"golfnet {golfnet.__version__} ({commit(checkout / 'golfnet')})\n"
    command = (str(environment / "bin" / program), "--plain", "--solo", "four-turn")
    with contextlib.closing(Talk(*command, env={"HOME": str(tmp_path)})) as talk:
        talk.wait_for("type peek 3 4")
        talk.say("peek 3 4", "You look at slots 3 and 4")
        talk.send("quit")
        assert talk.process.wait(PATIENCE) == 0


def test_the_lock_pins_every_requirement_with_a_hash_and_contains_no_urls() -> None:
    assert PROJECT["project"]["optional-dependencies"]["all"] == [f"golfnet[{','.join(EXTRAS)}]"]
    assert {"include-group": "build"} in PROJECT["dependency-groups"]["test"]
    assert PROJECT["tool"]["uv"]["pip"]["extra"] == ["all"]
    for requirement in map(Requirement, needs()):
        assert requirement.specifier.contains(LOCKED[canonicalize_name(requirement.name)]), requirement
    pinned = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(pinned) == len(LOCKED)
    assert all("--hash=sha256:" in entry for entry in pinned)
    assert "://" not in LOCK
    assert not re.search(r"^\s*-(?!-hash)", LOCK, flags=re.MULTILINE)


def test_a_lock_is_complete_and_is_installed_without_resolving_requirements_again() -> None:
    """If pip resolved again, it would look for the newest version of a package that another requires with an extra."""
    for name in ("tests/run", "deploy/install.sh", "deploy/container/Dockerfile"):
        installs = re.findall(r"pip\S* .*-r .*", (ROOT / name).read_text(encoding="utf-8"))
        assert installs, name
        assert all("--no-deps --require-hashes" in line for line in installs), name
    printed(sys.executable, "-m", "pip", "check")


WORKFLOWS = {
    path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")
}
SUPPORTED = [
    each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", each)
]


def test_every_supported_python_is_tested_on_every_os() -> None:
    assert len(SUPPORTED) == 4
    listed = ", ".join(f'"{each}"' for each in SUPPORTED)
    assert WORKFLOWS["tests.yml"].count(f"python: [{listed}]") == 2
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in WORKFLOWS["tests.yml"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_only_read_permission_and_pins_what_it_uses(name: str) -> None:
    text = WORKFLOWS[name]
    assert "permissions:\n  contents: read\njobs:" in text
    for used in re.findall(r"uses: (.+)", text):
        assert used.startswith("./") or re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", used), used
    for installed in re.findall(r"pip install (.+)", text):
        assert all("==" in each or each.startswith('".[') for each in installed.split()), installed
    for called in re.findall(r"uses: \./(\S+)", text):
        assert (ROOT / called).is_file()
    assert "persist-credentials: true" not in text


def test_the_project_urls_lead_to_existing_files() -> None:
    for address in PROJECT["project"]["urls"].values():
        _, _, path = address.partition("/blob/main/")
        assert (ROOT / path).exists()
