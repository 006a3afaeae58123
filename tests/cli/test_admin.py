import json
import time
from pathlib import Path

import pytest

from golfnet.cli.admin import answer_lines
from golfnet.cli.main import main
from golfnet.server.operations.operations import OPERATIONS
from tests.e2e.service import Service, Talk


def test_an_operator_controls_a_running_server(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    database = str(tmp_path / "golfnet.db")
    assert main(["admin", "--db", database, "status"]) == 3
    assert capsys.readouterr().err.startswith(
        f"golfnet admin: no server answers at {tmp_path}/golfnet.admin: "
    )
    server = Service("--db", database, "--drain-time", "0")
    ann = Talk("nc", "127.0.0.1", str(server.port))
    try:
        ann.say("name Ann", "= You are Ann")
        assert main(["admin", "--db", database, "who"]) == 0
        header, row, strangers = capsys.readouterr().out.splitlines()
        assert header.split()[:3] == ["name", "kind", "present"]
        assert row.split()[:3] == ["Ann", "guest", "yes"]
        assert strangers == "strangers: -"
        assert main(["admin", "--db", database, "announce", "it's ten o'clock"]) == 0
        ann.wait_for(r"^! it's ten o'clock")
        assert main(["admin", "--db", database, "kick", "Bob"]) == 1
        assert "there is no player Bob here" in capsys.readouterr().err
        assert main(["admin", "--db", database, "--json", "ban", "Ann", "rude"]) == 0
        assert json.loads(capsys.readouterr().out) == {"ok": True, "banned": "Ann", "closed": 1}
        ann.wait_for("has banned you")
        assert main(["admin", "--db", database, "drain"]) == 0
        assert server.process.wait(60) == 0  # nobody was left
        assert not (tmp_path / "golfnet.admin").exists()
    finally:
        ann.close()
        server.stop(kill=True)
    audited = [
        json.loads(line)["operation"] for line in (tmp_path / "golfnet.audit.log").read_text().splitlines()
    ]
    assert audited == [
        ["who"],
        ["announce", "it's ten o'clock"],
        ["kick", "Bob"],
        ["ban", "Ann", "rude"],
        ["drain"],
    ]


def test_the_help_lists_every_operation(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["admin", "--help"])
    printed = capsys.readouterr().out
    for operation in OPERATIONS.values():
        assert f"  {operation.usage} " in printed
        assert operation.meaning in printed


def test_an_in_memory_server_has_no_socket_unless_given_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "golfnet.toml"
    file.write_text("memory = true\n")
    assert main(["admin", "--config", str(file), "status"]) == 2
    assert "unless you give --admin-socket" in capsys.readouterr().err


def test_answers_are_printed_as_lines() -> None:
    rows = [
        {"name": "t1", "seats": 4, "private": False},
        {"name": "t12", "host": None, "seats": [{"name": "Ann"}]},
    ]
    assert list(answer_lines({"rows": rows, "not_ready": "", "tables": {"open": 1, "playing": 2}})) == [
        "name  seats  private  host",
        "t1    4      no       -",
        "t12   Ann    -        -",
        "not ready: -",
        "tables: open 1, playing 2",
    ]


def test_times_are_shown_in_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-2")  # two hours east of Greenwich
    time.tzset()
    try:
        shown = [*answer_lines({"rows": [{"since": 1795315007.950959}], "inspected_at": None})]
        assert shown == ["since", "2026-11-22 04:36", "inspected at: -"]
    finally:
        monkeypatch.undo()
        time.tzset()
