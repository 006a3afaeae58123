"""A dump made as the guide says contains everything, and a server can continue from it."""

import subprocess
from contextlib import closing

from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.writes import AppendEvent, FinishMatch, OpenTable, SavePlayer
from tests.postgres import PostgresServer
from tests.storage.postgres.conftest import LEASE
from tests.storage.rows import match, player


def test_a_server_continues_from_a_dump_of_a_running_servers_database(postgres: PostgresServer) -> None:
    for database in ("played", "restored"):
        postgres.execute(f"CREATE DATABASE {database}")
    played, restored = (postgres.url(database=name) for name in ("played", "restored"))
    with closing(PostgresStore(played)) as store:
        store.write([OpenTable("t3", b"row"), AppendEvent("t3", 1, b"a"), SavePlayer(player(4, "Zoë"))])
        store.write([FinishMatch(match(1), b"{}\n")])
        dump = subprocess.run(
            [postgres.program("pg_dump"), "--format", "custom", played], capture_output=True, check=True
        )
        subprocess.run(
            [postgres.program("pg_restore"), "--no-owner", "--dbname", restored],
            input=dump.stdout,
            capture_output=True,
            check=True,
        )
        expected = list(store.tables()), store.numbers(), store.match("m1"), store.player_by_name("Zoë")
    with closing(PostgresStore(restored, lease=LEASE)) as again:
        assert (list(again.tables()), again.numbers(), again.match("m1"), again.player("p4")) == expected
        again.write([AppendEvent("t3", 2, b"b"), FinishMatch(match(2), b"{}\n")])
        assert [each.id for each in again.matches()] == ["m2", "m1"]
