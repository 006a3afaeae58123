"""The image as the Dockerfile builds it, in a container as restricted as in the guide: slow, and needs an engine.

``GOLFNET_ENGINE`` is the container engine, such as ``podman``, perhaps with options; ``GOLFNET_BUILD`` and
``GOLFNET_RUN`` contain further options for machines that need them.
"""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
NAME = f"golfnet-test-{os.getpid()}"
GOLFNET = "/opt/golfnet/bin/golfnet"
CLOSED = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", "none")
Engine = Callable[..., str]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Yield a function that runs engine commands; the image is built first and removed afterwards."""
    usual = next((name for name in ("podman", "docker") if shutil.which(name)), "")
    command = shlex.split(os.environ.get("GOLFNET_ENGINE", usual))
    if not command:
        pytest.skip("neither podman nor docker is installed")

    def run(*words: str, statuses: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True, timeout=900)
        assert done.returncode in statuses, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    kind = ("--format", "docker") if "podman" in command[0] else ()
    more = shlex.split(os.environ.get("GOLFNET_BUILD", ""))
    try:
        run("build", *kind, *more, "-f", "deploy/container/Dockerfile", "-t", NAME, ".")
    except AssertionError as reason:
        if "pulling" in str(reason) or "pull access" in str(reason) or "pinging" in str(reason):
            pytest.skip(f"the base image cannot be pulled: {str(reason)[-200:]}")
        raise
    try:
        yield run
    finally:
        run("rmi", "-f", NAME, statuses=(0, 1))


@pytest.fixture(scope="module")
def running(engine: Engine) -> Iterator[Engine]:
    """Yield a function that runs commands in a container that may write only to its volume."""
    more = shlex.split(os.environ.get("GOLFNET_RUN", ""))
    engine("run", "-d", "--name", NAME, *CLOSED, *more, "-v", f"{NAME}:/var/lib/golfnet", NAME)

    def inside(*words: str, statuses: tuple[int, ...] = (0,)) -> str:
        return engine("exec", NAME, *words, statuses=statuses)

    try:
        check = "/opt/golfnet/bin/python /opt/golfnet/bin/healthcheck.py"
        inside("sh", "-c", f"for n in $(seq 300); do {check} && exit; sleep 0.2; done; exit 1")
        yield inside
    finally:
        engine("rm", "-f", NAME, statuses=(0, 1))
        engine("volume", "rm", NAME, statuses=(0, 1))


def test_the_container_has_a_health_check_and_does_not_run_as_root(engine: Engine, running: Engine) -> None:
    (container,) = json.loads(engine("inspect", "--type", "container", NAME))
    assert container["Config"]["User"] == "10001:10001"
    assert container["Config"]["Healthcheck"]["Test"][-1] == "/opt/golfnet/bin/healthcheck.py"
    assert running("id", "-u").strip() == "10001"


def test_a_match_is_played_stored_and_copied(running: Engine) -> None:
    assert "pause reason: -" in running(GOLFNET, "admin", "status")
    bot = f"{GOLFNET} bot --connect 127.0.0.1 --rules four-turn --option seats=2 --matches 1 --fast --level easy"
    running("sh", "-c", f"{bot} & {bot}; status=$?; wait; exit $status")
    running(GOLFNET, "backup", "/var/lib/golfnet/copy.db")
    assert "failed 0 (" in running(GOLFNET, "verify", "--db", "/var/lib/golfnet/copy.db")


def test_the_container_can_write_only_to_its_volume(running: Engine) -> None:
    running("touch", "/opt/golfnet/x", statuses=(1,))
    running("touch", "/var/lib/golfnet/x")


def test_the_container_stops_cleanly(engine: Engine, running: Engine) -> None:
    engine("stop", "-t", "60", NAME)
    (state,) = json.loads(engine("inspect", "--type", "container", NAME))
    assert state["State"]["ExitCode"] == 0
