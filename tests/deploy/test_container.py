"""The wheel and the container: the Dockerfile's steps are run here, without an engine.

A container engine cannot be taken for granted, so the Dockerfile is read as text, and its commands for building and
installing are run unchanged except for their paths.
"""

import contextlib
import json
import re
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

import golfnet
from tests.e2e.service import Needs, Talk, printed, service

ROOT = Path(__file__).parents[2]
CONTAINER = ROOT / "deploy" / "container"
DOCKERFILE = (CONTAINER / "Dockerfile").read_text()
COMPOSE = (CONTAINER / "compose.yaml").read_text()
Instruction = tuple[str, str]


def stages() -> list[list[Instruction]]:
    """Return the instructions of each stage, with continued lines joined."""
    text = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE))
    found: list[list[Instruction]] = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append([])
        if word:
            found[-1].append((word, rest.strip()))
    return found


BUILD, FINAL = stages()


def of(stage: list[Instruction], word: str) -> list[str]:
    return [rest for name, rest in stage if name == word]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source as the container build sees it: what the ignore file lets through and the Dockerfile copies."""
    folder = tmp_path_factory.mktemp("source")
    let_in = re.findall(r"^!(.*)", (CONTAINER / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    ignore = shutil.ignore_patterns("__pycache__")
    for line in of(BUILD, "COPY"):
        *names, target = line.split()
        for name in names:
            assert name in let_in, f"the ignore file keeps out {name}"
            place = folder / target / Path(name).name if target.endswith("/") else folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, place, ignore=ignore)
            else:
                shutil.copy(ROOT / name, place)
    return folder


@pytest.fixture(scope="module")
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server as the Dockerfile installs it, with the locked packages of the current environment."""
    folder = tmp_path_factory.mktemp("image")
    commands = [part.strip() for line in of(BUILD, "RUN") for part in line.split("&&")]
    for command in commands:
        if ("/opt/build" in command and " pip wheel " not in command) or "--require-hashes" in command:
            continue  # installs hatchling or locked packages, which the current environment has
        words = command.replace("/opt/build/bin/python", sys.executable)
        words = words.replace("/opt/golfnet", f"{folder}/golfnet").replace("/wheel", f"{folder}/wheel")
        if words.startswith("python "):
            words = f"{sys.executable} {words.removeprefix('python ')}"
        printed("sh", "-c", words, cwd=source)
    (packages,) = (folder / "golfnet").glob("lib/python*/site-packages")
    (packages / "locked.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "golfnet"


def test_the_dockerfile_has_two_stages_and_the_second_is_restricted() -> None:
    base, final = (of(stage, "FROM")[0].split()[0] for stage in (BUILD, FINAL))
    assert base == final
    assert re.fullmatch(r"docker\.io/library/python:3\.13-slim@sha256:[0-9a-f]{64}", base)
    assert of(FINAL, "COPY")[0].startswith("--from=build /opt/golfnet ")
    assert not any("pip" in line or "apt" in line for line in of(FINAL, "RUN"))
    assert of(FINAL, "USER") == ["10001:10001"]
    assert of(FINAL, "STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(of(FINAL, "ENTRYPOINT")[0]) == ["/opt/golfnet/bin/golfnet"]
    words = [word for word, _ in FINAL]
    assert words.index("USER") > words.index("RUN")


def test_everything_installed_is_locked_to_the_tested_versions() -> None:
    def pins(path: Path) -> dict[str, str]:
        return dict(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", path.read_text(), flags=re.MULTILINE))

    tested = pins(ROOT / "tests" / "requirements.lock")
    ours, tools = pins(CONTAINER / "requirements.lock"), pins(CONTAINER / "build.lock")
    assert {"trio", "cryptography", "prometheus-client", "psycopg"} <= set(ours)
    assert "hatchling" in tools
    assert ours.items() | tools.items() <= tested.items()
    assert not {"pytest", "hypothesis", "mypy"} & {*ours, *tools}


def test_the_compose_file_removes_unneeded_privileges() -> None:
    for line in (
        "read_only: true",
        'user: "10001:10001"',
        "cap_drop: [ALL]",
        'security_opt: ["no-new-privileges:true"]',
        "stop_grace_period: 30s",
        "- state:/var/lib/golfnet",
        "dockerfile: deploy/container/Dockerfile",
    ):
        assert f" {line}\n" in COMPOSE


def test_the_wheel_runs_elsewhere(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    programs = installed / "bin"
    assert printed(programs / "golfnet", "--version", cwd=tmp_path) == f"golfnet {golfnet.__version__}\n"
    assert "golfnet-client" in printed(programs / "golfnet-client", "--version", cwd=tmp_path)
    place = printed(programs / "python", "-c", "import golfnet; print(golfnet.__file__)", cwd=tmp_path)
    assert place.startswith(str(installed)), "the installed package runs, not the source"
    healthcheck = CONTAINER / "healthcheck.py"
    database = ("--db", str(tmp_path / "golfnet.db"))
    ports = "--host 127.0.0.1 --port 0 --telnet-port -1 --tls-self-signed --tls-port 0 --metrics-port 0"
    flags = (*database, *ports.split(), "--qr", "--drain-time", "0")
    with contextlib.closing(Talk(str(programs / "golfnet"), "serve", *flags)) as server:
        port = server.wait_for(r"nc 127\.0\.0\.1 (\d+)").group(1).decode()
        printed(programs / "python", healthcheck, "127.0.0.1", port, cwd=tmp_path)
        assert "connections: " in printed(programs / "golfnet", "admin", *database, "status", cwd=tmp_path)
        server.process.terminate()
        assert server.process.wait(60) == 0


def test_the_health_check_requires_a_real_welcome(needs_tool: Needs) -> None:
    command = [sys.executable, str(CONTAINER / "healthcheck.py")]
    with service() as server:
        printed(*command, "127.0.0.1", str(server.port))
        assert "Connection refused" in printed(*command, "127.0.0.1", "1", status=1)
    with contextlib.closing(Talk(needs_tool("nc"), "-l", "-v", "-n", "127.0.0.1", "0")) as other:
        port = other.wait_for(r"Listening on 127\.0\.0\.1 (\d+)").group(1).decode()
        other.send("220 mail.example.org")
        other.send("{}")
        refused = printed(*command, "127.0.0.1", port, status=1)
        assert "expected a welcome of protocol 1, not {}" in refused
