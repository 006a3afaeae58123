"""Alerts and dashboards use metrics that the server has, and the Kubernetes file runs the server as required."""

import json
import re
from pathlib import Path
from typing import Any

from golfnet.server.operations.metrics import snapshot
from tests.server.cluster import open_cluster
from tests.server.house import open_house
from tests.server.operations.test_metrics import samples, served

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = (DEPLOY / "monitoring" / "alerts.yml").read_text("utf-8")
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "monitoring" / "dashboard.json").read_text("utf-8"))
KUBERNETES = (DEPLOY / "kubernetes.yaml").read_text("utf-8")

EXPRESSIONS = {
    **dict(re.findall(r"- alert: (\w+)\n\s+expr: (.+)", ALERTS)),
    **{
        f"{panel['title']}: {target['legendFormat']}": target["expr"]
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    },
}


async def scraped() -> dict[str, set[str]]:
    """Return the metrics, with their labels, of a lightly used server and of a node in a cluster."""
    async with open_house() as house:
        program = await house.program("Ann")
        await program.ask("who")
        house.lobby.inspected_at = 1.0
        house.lobby.counters.turned_away["banned"] += 1
        house.lobby.counters.ended["left"] += 1
        house.lobby.tables.slams.results["hit"] = 1
        alone = snapshot(house.lobby)
    async with open_cluster(1) as cluster:
        of_several = snapshot(cluster[1].lobby)
    found: dict[str, set[str]] = {}
    for sample in (*samples(served(lambda: alone)), *samples(served(lambda: of_several))):
        name, *labels = sample.split(" ")
        found.setdefault(name, set()).update(label.partition("=")[0] for label in labels)
    return found


async def test_every_expression_uses_existing_metrics_and_labels(autojump_clock: object) -> None:
    known = await scraped()
    assert len(EXPRESSIONS) > 20
    for where, expression in EXPRESSIONS.items():
        names = set(re.findall(r"\b(?:golfnet|process)_\w+", expression))
        assert names <= known.keys(), where
        labels = {label for part in re.findall(r"by \(([^)]+)\)", expression) for label in part.split(", ")}
        assert labels <= set[str]().union(*[known[name] for name in names]), where


def test_every_alert_says_what_it_means_and_what_to_do() -> None:
    alerts = ALERTS.split("- alert: ")[1:]
    assert len(alerts) >= 8
    for alert in alerts:
        assert re.search(r"severity: (page|ticket) ", alert)
        assert "summary: " in alert
        assert "what_to_do: " in alert


def test_kubernetes_runs_one_server_with_a_volume_and_few_privileges() -> None:
    for line in (
        "replicas: 1",
        "strategy: { type: Recreate }",
        "accessModes: [ReadWriteOnce]",
        "runAsNonRoot: true",
        "runAsUser: 10001",
        "readOnlyRootFilesystem: true",
        "allowPrivilegeEscalation: false",
        "capabilities: { drop: [ALL] }",
        "- { name: state, mountPath: /var/lib/golfnet }",
        "terminationGracePeriodSeconds: 30",
    ):
        assert f" {line}\n" in KUBERNETES


def test_the_kubernetes_probes_are_in_the_image() -> None:
    dockerfile = (DEPLOY / "container" / "Dockerfile").read_text("utf-8")
    probes = re.findall(r"/opt/golfnet/bin/[\w.]+", KUBERNETES)
    assert {"/opt/golfnet/bin/python", "/opt/golfnet/bin/healthcheck.py"} == set(probes)
    assert "deploy/container/healthcheck.py /opt/golfnet/bin/healthcheck.py" in dockerfile
    assert "/readyz" in KUBERNETES
