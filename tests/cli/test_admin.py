"""``golfnet admin``: an operator controls a running server, and reads its answers."""

import json
import time
from contextlib import closing
from pathlib import Path

import pytest

from golfnet.cli.admin import answer_lines
from tests.cli.conftest import Golfnet
from tests.e2e.service import Talk, service


def test_an_operator_controls_a_running_server(golfnet: Golfnet, tmp_path: Path) -> None:
    admin = ("admin", "--db", str(tmp_path / "golfnet.db"))
    status, _, err = golfnet(*admin, "status")
    assert status == 3
    assert err.startswith(f"golfnet admin: no server answers at {tmp_path}/golfnet.admin: ")
    with (
        service(*admin[1:], "--drain-time", "0") as server,
        closing(Talk("nc", "127.0.0.1", str(server.port))) as ann,
    ):
        ann.say("name Ann", "= You are Ann")
        header, row, strangers = golfnet(*admin, "who").out.splitlines()
        assert header.split()[:3] == ["name", "kind", "present"]
        assert row.split()[:3] == ["Ann", "guest", "yes"]
        assert strangers == "strangers: -"
        assert golfnet(*admin, "announce", "it's ten o'clock").status == 0
        ann.wait_for(r"^! it's ten o'clock")
        for text in ("tonight:\ndrain\nbye", "\x1b[1m", "\udcff"):
            status, out, err = golfnet(*admin, "announce", text)
            assert (status, out) == (1, "")
            assert "without line breaks" in err
        refused = golfnet(*admin, "kick", "Bob")
        assert refused.status == 1
        assert "there is no player Bob here" in refused.err
        banned = json.loads(golfnet(*admin, "--json", "ban", "Ann", "rude").out)
        assert banned == {"ok": True, "banned": "Ann", "closed": 1}
        assert (
            json.loads(golfnet(*admin, "--json", "kick", "Bob").out)["error"]
            == refused.err.split(": ", 1)[1].strip()
        )
        assert golfnet(*admin, "tables").out == "none\n"
        ann.wait_for("has banned you")
        assert golfnet(*admin, "drain").status == 0
        assert server.process.wait(60) == 0  # it does not wait, as nobody is connected
        assert not (tmp_path / "golfnet.admin").exists()
    audited = (tmp_path / "golfnet.audit.log").read_text().splitlines()
    assert [json.loads(line)["operation"] for line in audited] == [
        *(
            ["who"],
            ["announce", "it's ten o'clock"],
            ["kick", "Bob"],
            ["ban", "Ann", "rude"],
            ["kick", "Bob"],
            ["tables"],
            ["drain"],
        )
    ]


def test_answers_are_printed_as_lines_with_local_times(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"name": "t1", "seats": 4, "private": False, "since": 1795315007.950959},
        {"name": "t12", "host": None, "seats": [{"name": "Ann"}]},
    ]
    answer = {"rows": rows, "not_ready": "", "inspected_at": None, "tables": {"open": 1, "playing": 2}}
    monkeypatch.setenv("TZ", "UTC-2")  # two hours east of Greenwich
    time.tzset()
    try:
        shown = [*answer_lines(answer)]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert shown == [
        "name  seats  private  since             host",
        "t1    4      no       2026-11-22 04:36  -",
        "t12   Ann    -        -                 -",
        "not ready: -",
        "inspected at: -",
        "tables: open 1, playing 2",
    ]
