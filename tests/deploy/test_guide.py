"""A newcomer's first steps: what the hosting guide marks as ``sh`` is typed line by line, and works."""

import contextlib
import re
from pathlib import Path

import pytest

from golfnet.server.operations.operations import OPERATIONS
from tests.e2e.service import GOLFNET, Needs, Talk, free_port, printed

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "deploy" / "install.sh"
GUIDE = (ROOT / "deploy" / "README.md").read_text()
TYPED = [line for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) for line in block.splitlines()]


@pytest.mark.slow
def test_the_first_steps_work_line_by_line(newcomer: dict[str, str], needs_tool: Needs) -> None:
    needs_tool("nc")
    port, telnet = str(free_port()), str(free_port())
    told: dict[str, str] = {}
    with contextlib.ExitStack() as running:
        for line in TYPED:
            if line.startswith("golfnet serve"):
                ports = ("--port", port, "--telnet-port", telnet, "--web-port", "0")
                server = Talk(str(GOLFNET), *line.split()[1:], *ports, env=newcomer)
                running.callback(server.close)
                server.wait_for(r"^golfnet is open: nc \S+ \d+\n(?s:.)*http://")
            else:
                told[line] = printed("bash", "-c", line.replace("7777", port), cwd=ROOT, env=newcomer)
        server.process.terminate()
        assert server.process.wait(60) == 0
    assert "golfnet on " in told["golfnet discover"]
    assert "protocol 1." in told[r"printf 'version\nquit\n' | nc 127.0.0.1 7777"]
    assert told["golfnet config --config deploy/golfnet.toml >/dev/null && echo good"] == "good\n"
    assert "203.0.113.0/24" in told["golfnet admin bans"]
    assert "failed 0 (" in told["golfnet verify --db ~/golfnet-backup.db"]


def test_every_file_named_in_the_guide_exists() -> None:
    for name in re.findall(r"(?:deploy|tests)/[\w./-]*\w", GUIDE):
        assert (ROOT / name).exists(), name


def test_the_guide_names_every_operation_and_every_file_in_its_folder() -> None:
    for name in OPERATIONS:
        assert re.search(rf"(golfnet admin |`){name}\b", GUIDE), name
    for path in {*ROOT.glob("deploy/*.*")} - {ROOT / "deploy" / "README.md"}:
        assert path.name in GUIDE


def test_a_service_is_installed_only_from_packages_with_locked_hashes() -> None:
    installed = [line for line in INSTALL.read_text().splitlines() if "/bin/pip" in line]
    assert len(installed) == 4
    for line in installed:
        locked = re.search(r"--require-hashes -r (\S+)", line)
        if locked is not None:
            assert "--hash=sha256:" in (ROOT / locked.group(1)).read_text()
        else:
            assert "--no-deps" in line
            assert "--no-index" in line or "--no-build-isolation" in line


def test_the_installer_does_not_touch_a_folder_where_it_expects_a_link(tmp_path: Path) -> None:
    (tmp_path / "golfnet").mkdir()
    assert "is not a link" in printed(INSTALL, tmp_path, status=1)
    assert [*tmp_path.iterdir()] == [tmp_path / "golfnet"]
