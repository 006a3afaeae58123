import random
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from golfnet.server.net.listeners import CannotListen
from golfnet.server.operations.metrics import Snapshot, application, serve_metrics, snapshot
from tests.server.cluster import Cluster, apart
from tests.server.house import House, open_house, play_at_random


def fetch(url: str) -> tuple[int, str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def samples(text: str) -> dict[str, float]:
    """Return the samples of a scrape by name and labels, as parsed by Prometheus's own library."""
    return {
        " ".join(
            [sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))]
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def measured_now(house: House) -> dict[str, float]:
    return samples(served(partial(snapshot, house.lobby)))


async def test_a_scrape_reports_what_has_happened() -> None:
    async with open_house(commands_per_second=3) as house:
        port = await house.nursery.start(serve_metrics, house.lobby, 0)
        program = await house.program("Ann")
        for _ in range(3):
            await program.ask("who")
        await house.connect()
        status, text = await trio.to_thread.run_sync(fetch, f"http://127.0.0.1:{port}/metrics")
        assert status == 200
        told = samples(text)
        assert (told["golfnet_connections"], told["golfnet_players"], told["golfnet_ready"]) == (2, 1, 1)
        assert told["golfnet_command_seconds_count verb=name"] == 1
        refused = told["golfnet_refusals_total code=RATE_LIMITED"]
        assert refused > 0
        assert told["golfnet_command_seconds_count verb=who"] + refused == 3
        assert told["golfnet_sessions_ended_total cause=slow"] == 0
        assert told["golfnet_tables state=playing"] == 0
        assert told["process_open_fds"] > 0
        for name in ("relays", "handovers", "fenced", "directory"):
            assert f"golfnet_{name}" not in text, "only a node of a cluster has it"


@pytest.mark.settings(seed=5)
async def test_a_match_with_slams_is_counted(house: House) -> None:
    programs = await house.table("cactus seats=3 holes=1", "Ann", "Bob", "Cay")
    await play_at_random(programs, random.Random(5))
    told = measured_now(house)
    assert told["golfnet_matches_finished_total"] == 1
    assert told["golfnet_tables state=finished"] == 1
    assert told["golfnet_slam_windows_total"] > 0
    claims = [value for name, value in told.items() if name.startswith("golfnet_slams_total")]
    assert sum(claims) == len(programs[0].events("slammed"))
    assert told["golfnet_journal_wait_seconds_count"] == house.lobby.gate.issued
    assert told["golfnet_journal_waiting"] == 0
    buckets = [told[name] for name in told if name.startswith("golfnet_journal_wait_seconds_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == told["golfnet_journal_wait_seconds_count"]
    margins = house.lobby.tables.slams.margins
    assert told["golfnet_slam_margin_seconds_count"] == sum(margins.counts)
    assert told["golfnet_slam_margin_seconds_sum"] == pytest.approx(margins.total / 1000)
    assert "golfnet_slam_margin_seconds_bucket le=0.115" in told


async def test_a_server_is_healthy_while_it_answers_and_ready_until_it_is_about_to_stop(house: House) -> None:
    now = partial(snapshot, house.lobby)
    assert served(now, "/healthz") == served(now, "/readyz") == "ok\n"
    house.lobby.pause("the disk is full")
    assert served(now, "/readyz") == "503 Service Unavailable\nnothing can be saved, and play is paused\n"
    house.lobby.resume()
    house.lobby.drain()
    assert served(now, "/readyz") == "503 Service Unavailable\nthe server is about to stop\n"
    assert served(now, "/healthz") == "ok\n"
    assert served(now, "/").startswith("404 ")


async def test_pauses_and_damage_are_reported(house: House) -> None:
    troubles = ("golfnet_paused", "golfnet_pauses_total", "golfnet_database_damaged")
    calm = measured_now(house)
    assert [calm[name] for name in troubles] == [0, 0, 0]
    assert "golfnet_database_inspected_timestamp_seconds" not in calm
    house.lobby.pause("the disk is full")
    house.lobby.damage = "The database is damaged."
    house.lobby.inspected_at = 1_800_000_000.0
    told = measured_now(house)
    assert [told[name] for name in troubles] == [1, 1, 1]
    assert told["golfnet_database_inspected_timestamp_seconds"] == 1_800_000_000.0


async def test_a_cluster_node_reports_relayed_players_and_what_it_is_waiting_for(cluster: Cluster) -> None:
    first, second = cluster.houses
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    await ben.done(f"join {table}")
    owner, front = measured_now(first), measured_now(second)
    assert (owner["golfnet_relays role=front"], owner["golfnet_relays role=owner"]) == (0, 1)
    assert (front["golfnet_relays role=front"], front["golfnet_relays role=owner"]) == (1, 0)
    assert owner["golfnet_handovers_total how=taken"] == 1
    assert front["golfnet_handovers_total how=given"] == 1
    assert front["golfnet_handovers_total how=refused"] == front["golfnet_fenced_total"] == 0
    assert owner["golfnet_directory_seconds_count"] > 2
    cluster.is_cut = True
    cay = await second.program("Cay")
    assert (await cay.ask(f"join {table}"))["code"] == "MOVED"
    assert measured_now(second)["golfnet_handovers_total how=refused"] == 1
    first.lobby.counters.nodes_declared_gone += 1
    assert measured_now(first)["golfnet_fenced_total"] == 1


def test_a_server_that_hangs_is_neither_healthy_nor_ready() -> None:
    def hang() -> Snapshot:
        raise TimeoutError

    for path in ("/healthz", "/readyz", "/metrics"):
        assert served(hang, path) == "503 Service Unavailable\nthe server did not answer in time\n"
        assert served(hang, path, method="POST").startswith("405 ")


async def test_metrics_are_served_only_under_names_of_this_machine(house: House) -> None:
    """A malicious web page may have a name that resolves to this machine; the browser sends that name."""
    taken, evil = snapshot(house.lobby), "evil.example"
    for path in ("/metrics", "/healthz", "/readyz"):
        for own in ("", "127.8.8.8", "127.0.0.1:9464", "LocalHost", "localhost:9464", "[::1]:9464"):
            assert not served(lambda: taken, path, host=own).startswith("403 ")
        for other in (evil, f"{evil}:9464", f"localhost.{evil}", f"127.0.0.1.{evil}", "["):
            assert served(lambda: taken, path, host=other).startswith("403 ")


async def test_metrics_are_open_to_this_machine_only_and_a_port_in_use_is_named(house: House) -> None:
    port = await house.nursery.start(serve_metrics, house.lobby, 0)
    with socket.socket() as elsewhere, pytest.raises(ConnectionRefusedError):
        elsewhere.connect(("127.0.0.2", port))
    with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1, port {port}"):
        await serve_metrics(house.lobby, port)


def served(look: Callable[[], Snapshot], path: str = "/metrics", method: str = "GET", host: str = "") -> str:
    """Return the application's answer, preceded by the status unless it is 200."""
    statuses: list[str] = []
    environ = {"PATH_INFO": path, "REQUEST_METHOD": method, "QUERY_STRING": "", "HTTP_HOST": host}
    body = application(look)(environ, lambda status, headers: statuses.append(status))
    text = b"".join(body).decode()
    return text if statuses[0].startswith("200") else f"{statuses[0]}\n{text}"
