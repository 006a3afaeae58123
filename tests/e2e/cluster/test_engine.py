"""Rows of the matrix: what becomes of the nodes when the engine stands still, starts again, or fails over."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import LEASE, Nodes, until
from tests.e2e.cluster.scene import Scene

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.cluster.wires import Wires
    from tests.postgres import Engine


def test_nobody_is_declared_gone_while_the_engine_stands_still(scene: Scene, postgres: Engine) -> None:
    nodes = scene.nodes.well
    tables = [scene.seat(nodes[0], nodes[1]), scene.seat(nodes[2], nodes[1])]
    before = scene.kept(*tables[0].players, *tables[1].players)
    gone = scene.nodes.history.gone()
    since = time.monotonic()
    postgres.freeze()
    until(lambda: time.monotonic() > since + 2.5 * LEASE, "two leases and more")
    postgres.thaw()
    scene.goes_on()
    until(lambda: time.monotonic() > since + 5 * LEASE, "two leases more")
    scene.goes_on()
    assert scene.nodes.history.gone() == gone
    assert scene.nodes.well == nodes
    assert scene.kept(*tables[0].players, *tables[1].players) == before


def test_an_engine_that_dies_and_starts_again_costs_a_pause(scene: Scene, postgres: Engine) -> None:
    nodes = scene.nodes.well
    table = scene.seat(nodes[0], nodes[1], nodes[2])
    before = scene.kept(*table.players)
    gone = scene.nodes.history.gone()
    since = time.monotonic()
    postgres.stop(signal.SIGQUIT)
    postgres.start()
    scene.goes_on()
    print(f"{table.name} went on {time.monotonic() - since:.2f} s after the engine died")
    assert scene.nodes.history.gone() == gone
    assert scene.nodes.well == nodes
    assert scene.kept(*table.players) == before


def test_nothing_that_was_told_is_lost_when_a_standby_becomes_the_engine(
    postgres: Engine, wires: Wires, tmp_path: Path
) -> None:
    with ExitStack() as running:
        primary = running.enter_context(closing(postgres.another()))
        standby = running.enter_context(closing(primary.standby()))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"
        nodes = running.enter_context(closing(Nodes(url, primary.port, tmp_path, wires)))
        first, second = nodes.be(2)
        scene = Scene(nodes, Judge(nodes.history))
        running.callback(scene.crowd.close)
        table = scene.seat(first, second)
        since = time.monotonic()
        primary.kill()
        standby.promote()
        scene.goes_on(table)
        print(f"{table.name} went on {time.monotonic() - since:.2f} s after the primary died")
        assert nodes.well == [first, second]
        assert nodes.history.gone() == frozenset()
        scene.crowd.leave()
        scene.conclude()
