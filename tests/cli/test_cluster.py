"""``golfnet cluster``: problems are shown with advice, lines fit the screen, and the exit status is right."""

import json
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from golfnet.cli.cluster import WIDTH, duration, problems, screen, unreadable
from golfnet.storage.directory import ClusterReport, EndedNode, NodeReport
from golfnet.storage.postgres.store import PostgresStore
from tests.cli.conftest import Golfnet
from tests.golden import GoldenFiles
from tests.postgres import PostgresServer

GOLDEN = Path(__file__).with_name("golden") / "cluster.txt"
PLACE = f"postgresql://golfnet@db.example.org/{'golfnet' * 9}"


def node(number: int, **changes: object) -> NodeReport:
    told = NodeReport(
        node=number,
        name=f"process 471{number} on golf-{number}",
        link=f"10.0.0.{number}:7790",
        version="1.0.0",
        up=11_520.0,
        silent=0.4,
        lease=3.0,
        is_draining=False,
        tables=12,
        connected=31,
        seated=28,
    )
    return replace(told, **changes)


def report(*nodes: NodeReport, **changes: object) -> ClusterReport:
    told = ClusterReport(at=0.0, nodes=nodes, ended=(), unowned=0, waiting=0, aside=0, bans=0, mutes=0)
    return replace(told, **changes)


TLS = [node(number, link=f"tls://10.0.0.{number}:7790", unreached=(2,)) for number in (1, 3)]
LOST = EndedNode(node=2, name="process 4712 on golf-2", began=9000.0, ago=12.0, has_stopped=False)
LOST_TOO = replace(LOST, node=4, ago=20.0)


PROBLEMS = {
    "no node": report(unowned=2, waiting=1),
    "a silent node": report(node(1), node(3, silent=14.2, tables=1)),
    "a silent node without tables, alone": report(node(3, silent=14.2, tables=0)),
    "silent nodes only": report(node(1, silent=60.0), node(2, silent=8.0, tables=2)),
    "lost links": report(node(1, unreached=(2, 3)), node(2, unreached=(1,)), node(3)),
    "links with and without TLS": report(TLS[0], node(2, unreached=(1, 3)), TLS[1], node(4, link="")),
    "two nodes lost, and one started": report(node(1), node(5, up=5.0), ended=(LOST, LOST_TOO)),
    "all nodes drain": report(node(1, is_draining=True), node(2, is_draining=True)),
    "a table without a node": report(node(1), unowned=1, waiting=2),
    "two versions": report(node(1), node(2, version="1.1.0"), node(3, version="1.1.0")),
}


def test_a_problem_is_described_with_advice(golden: GoldenFiles) -> None:
    told = []
    for name, each in PROBLEMS.items():
        (found,) = problems(each)
        told.append(f"{name} ({found.code})\n    {found.what}\n    {found.to_do}\n")
    golden.check(GOLDEN, "".join(told))


NORMAL = {
    "about to write": report(node(3, silent=3.5)),
    "unreached and gone by now": report(node(1, unreached=(9,))),
    "TLS everywhere": report(*TLS),
    "replaced": report(node(1), node(3, up=5.0), ended=(LOST,)),
    "replaced twice": report(node(1), node(5, up=5.0), ended=(replace(LOST, node=3, began=15.0), LOST_TOO)),
    "stopped on purpose": report(node(1), ended=(replace(LOST, has_stopped=True),)),
    "lost long ago": report(node(1), ended=(replace(LOST, ago=3700.0),)),
    "one drains": report(node(1, is_draining=True), node(2)),
}


@pytest.mark.parametrize("told", NORMAL.values(), ids=NORMAL)
def test_normal_conditions_are_not_reported_as_problems(told: ClusterReport) -> None:
    assert problems(told) == []


ENDED = (
    EndedNode(node=2, name="process 9 on a", began=9000.0, ago=4.0, has_stopped=True),
    EndedNode(node=3, name="process 12345 on " + "x" * 90, began=9000.0, ago=720.0, has_stopped=False),
)
SCREENS = (
    report(node(1), node(2, link="", connected=2, seated=0, is_draining=True, up=None), bans=3, mutes=1),
    report(node(4, name="process 7 on " + "y" * 90, link=""), node(5, silent=100.0), ended=ENDED, unowned=1),
)


def test_the_screen_shows_problems_before_nodes(golden: GoldenFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "localtime", time.gmtime)
    told = [line for each in SCREENS for line in (*screen(each, problems(each), PLACE), "")]
    assert all(len(line) <= WIDTH for line in (*told, *unreadable("It is away. " * 20)))
    golden.check(GOLDEN.with_name("screens.txt"), "\n".join(told))


def test_durations_are_rounded_to_a_readable_unit() -> None:
    seconds = (0.04, 9.96, 14.4, 99, 720, 7200, 1e6)
    assert [*map(duration, seconds)] == ["0.0 s", "10.0 s", "14 s", "99 s", "12 min", "2 h", "12 d"]


def test_the_exit_status_says_whether_something_is_wrong(postgres: PostgresServer, golfnet: Golfnet) -> None:
    url = postgres.emptied_url()
    store = PostgresStore(url, link="10.0.0.1:7790")
    shown, told = golfnet("cluster", "--database", url), golfnet("cluster", "--json", "--database", url)
    assert (shown.status, told.status) == (0, 0)
    assert shown.out.startswith("golfnet cluster: all is well")
    read = json.loads(told.out)
    assert (read["problems"], read["nodes"][0]["link"]) == ([], "10.0.0.1:7790")
    store.close()
    shown, told = golfnet("cluster", "--database", url), golfnet("cluster", "--json", "--database", url)
    assert (shown.status, told.status) == (1, 1)
    assert "!! No node is running." in shown.out
    (problem,) = json.loads(told.out)["problems"]
    assert (problem["code"], set(problem)) == ("no_node", {"code", "what", "to_do"})


def interrupted_after(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C during a pause between two reports."""
    pauses = iter(range(looks))

    def pause(_: float) -> None:
        if next(pauses, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr("golfnet.cli.cluster.time.sleep", pause)


def test_watching_continues_until_interrupted_even_without_a_database(
    postgres: PostgresServer, golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, away = postgres.emptied_url(), "postgresql://golf@127.0.0.1:1/golf"
    PostgresStore(url).close()
    interrupted_after(2, monkeypatch)
    status, out, _ = golfnet("cluster", "--watch", "--json", "--database", url)
    assert status == 130
    assert [len(json.loads(line)["problems"]) for line in out.splitlines()] == [1, 1, 1]
    interrupted_after(1, monkeypatch)
    assert golfnet("cluster", "--watch", "--database", away).err.count("cannot be reached") == 2
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for database, said in ((url, "No node is running"), (away, "the database cannot be read")):
        interrupted_after(1, monkeypatch)
        status, shown, _ = golfnet("cluster", "--watch", "--database", database)
        assert (status, shown.count("\x1b[H")) == (130, 2)
        assert shown.endswith("\x1b[J")
        assert said in shown
