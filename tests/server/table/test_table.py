"""A table from its first commitment to the last score: cuts, matches, rematches, and their records."""

import hashlib
import json
import random

import pytest
import trio

from golfnet.engine import fairdeal
from tests.server.house import House, hole_played, play_at_random


async def test_the_seed_shown_at_the_end_matches_the_commitment_with_everybodys_cut(house: House) -> None:
    ann, bob = await house.opened("four-turn seats=2 holes=2", "Ann", "Bob")
    promised = ann.events("committed")[0]
    await ann.done("cut first")
    await ann.done("cut seven and more")
    assert bob.events("cut")[-1] == bob.events("cut")[-1] | {"seat": "A", "name": "Ann"}
    assert "seven" not in json.dumps(bob.objects)
    for program in (ann, bob):
        await program.done("ready")
    assert (await ann.ask("cut late"))["code"] == "BAD_PHASE"
    await hole_played([ann, bob])
    ended = ann.events("hole_ended")[0]
    assert ended["cuts"] == ["seven and more", ""]
    text = f"golfnet-deal-v2 commit\n{promised['match']}\n1\n".encode() + bytes.fromhex(ended["seed"])
    assert hashlib.sha256(text).hexdigest() == promised["commitment"]
    assert fairdeal.commitment("m1", 1, bytes.fromhex(ended["seed"])) == promised["commitment"]
    assert ann.events("committed")[1]["hole"] == 2
    await bob.done("cut mine")
    await trio.sleep(16)
    await hole_played([ann, bob], 2)
    assert ann.events("hole_ended")[1]["cuts"] == ["", "mine"]


async def test_a_rematch_is_a_new_match_with_a_new_commitment_at_once(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    assert (await ann.ask("rematch"))["code"] == "BAD_PHASE"
    await play_at_random([ann, bob], random.Random(1))
    assert ann.last("prompt")["actions"] == ["rematch"]
    await ann.done("rematch")
    committed = ann.events("committed")[-1]
    assert (committed["match"], committed["hole"]) == ("m2", 1)
    view = ann.last("view")
    assert (view["state"], view["match"], view["commitment"]) == ("open", "m2", committed["commitment"])
    assert bob.last("view")["match"] == "m2"
    await bob.done("rematch")
    assert bob.events("match_started")[-1]["match"] == "m2"
    assert bob.events()[-1]["seq"] > committed["seq"]


@pytest.mark.settings(grace=20)
@pytest.mark.parametrize("create", ["four-turn", "four-turn seats=3"])
async def test_a_rematch_waits_only_for_those_present(house: House, create: str) -> None:
    players = ann, bob, cid = await house.table(create, "Ann", "Bob", "Cid")
    await cid.drop()
    await trio.sleep(25)
    await play_at_random([ann, bob], random.Random(1))
    await trio.sleep(25)
    await ann.done("rematch")
    assert [seat["name"] for seat in ann.last("view")["seats"]] == ["Ann", "Bob"]
    await bob.done("rematch")
    assert bob.events("match_started")[-1]["seats"] == ["Ann", "Bob"]
    back = await house.program()
    assert "table" not in await back.done(f"resume {players[2].token}")


async def test_a_finished_match_has_a_record_and_is_listed(house: House) -> None:
    ann, bob = await house.table("six-card seats=2 holes=2", "Ann", "Bob")
    assert (await ann.ask("record m1"))["code"] == "NO_SUCH_MATCH"
    await play_at_random([ann, bob], random.Random(1))
    await ann.done("record m1")
    rows = [row for thing in ann.objects if thing["type"] == "rows" for row in thing["rows"]]
    assert (rows[0]["format"], rows[0]["match"]) == ("golfnet-record/1", "m1")
    assert {"totals", "places"} <= set(rows[-1])
    assert [row["hole"] for row in rows if "deck" in row] == [1, 2]
    for line in ("history", "history t1", "history 1", "stats", "stats Bob", "top", "top six-card"):
        await ann.done(line)
        assert ann.last("rows")["rows"], line
    assert (await bob.rows("history t1"))[0]["match"] == "m1"
