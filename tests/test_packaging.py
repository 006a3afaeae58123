"""What is installed is what is written down: one version, both packages, a lock that covers every need."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import re
import tomllib
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import golfnet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = sorted(set(PROJECT["project"]["optional-dependencies"]) - {"all"})
LOCK = (ROOT / "tests/requirements.lock").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
LOCKED = dict(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", LOCK, flags=re.MULTILINE))


def needs() -> list[str]:
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    optional = [need for extra in EXTRAS for need in project["optional-dependencies"][extra]]
    of_groups = [need for group in groups.values() for need in group if isinstance(need, str)]
    return [*PROJECT["build-system"]["requires"], *project["dependencies"], *optional, *of_groups]


def test_the_installed_version_is_the_packages_own() -> None:
    assert importlib.metadata.version("golfnet") == golfnet.__version__


@pytest.mark.parametrize("package", ["golfnet", "golfnet_client"])
def test_a_package_is_installed_with_its_types(package: str) -> None:
    assert (importlib.resources.files(package) / "py.typed").is_file()


def test_everything_optional_is_in_all_and_tested() -> None:
    assert PROJECT["project"]["optional-dependencies"]["all"] == [f"golfnet[{','.join(EXTRAS)}]"]
    assert {"include-group": "build"} in PROJECT["dependency-groups"]["test"]
    assert PROJECT["tool"]["uv"]["pip"]["extra"] == ["all"]


@pytest.mark.parametrize("need", sorted(set(needs())))
def test_the_lock_meets_every_need(need: str) -> None:
    requirement = Requirement(need)
    assert requirement.specifier.contains(LOCKED[canonicalize_name(requirement.name)])


def test_the_lock_pins_by_hash_and_names_no_address() -> None:
    pinned = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(pinned) == len(LOCKED)
    assert all("--hash=sha256:" in entry for entry in pinned)
    assert "://" not in LOCK
    assert not re.search(r"^\s*-(?!-hash)", LOCK, flags=re.MULTILINE)


@pytest.mark.parametrize("builder", [WheelBuilder, SdistBuilder])
def test_a_built_package_has_the_files_that_are_no_code(
    builder: type[WheelBuilder | SdistBuilder],
) -> None:
    shipped = {file.relative_path for file in builder(str(ROOT)).recurse_included_files()}
    data = [
        str(path.relative_to(ROOT))
        for ending in ("md", "toml")
        for path in (ROOT / "golfnet").rglob(f"*.{ending}")
    ]
    assert "golfnet/manual/topics/fair.md" in data
    assert "golfnet/rulesets/eight-card.toml" in data
    assert set(data) <= shipped


WORKFLOWS = {
    path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")
}
TRIED = [
    each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", each)
]


def test_every_python_that_is_promised_is_tried_on_every_system() -> None:
    assert len(TRIED) == 4
    promised = ", ".join(f'"{each}"' for each in TRIED)
    assert WORKFLOWS["tests.yml"].count(f"python: [{promised}]") == 2
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in WORKFLOWS["tests.yml"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_and_pins_what_it_uses(name: str) -> None:
    text = WORKFLOWS[name]
    assert "permissions:\n  contents: read\njobs:" in text
    for used in re.findall(r"uses: (.+)", text):
        assert used.startswith("./") or re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", used), used
    for installed in re.findall(r"pip install (.+)", text):
        assert all("==" in each or each.startswith('".[') for each in installed.split()), installed
    for called in re.findall(r"uses: \./(\S+)", text):
        assert (ROOT / called).is_file()
    assert "persist-credentials: true" not in text


def test_a_release_takes_its_version_from_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "golfnet/__init__.py"
    assert re.search(rf"^## ({re.escape(golfnet.__version__)}|Unreleased)", CHANGES, re.MULTILINE)


def test_the_addresses_of_the_project_lead_to_files_that_there_are() -> None:
    for address in PROJECT["project"]["urls"].values():
        _, _, path = address.partition("/blob/main/")
        assert (ROOT / path).exists()
