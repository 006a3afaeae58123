"""Lists as they are answered; ``test_listings`` looks at their rows."""

from tests.server.house import open_house


async def test_who_and_tables_say_who_is_where(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        eve = await house.program("Eve")
        await eve.done("watch t1")
        await bob.drop()
        await ann.done("who")
        rows = {row["name"]: row for row in ann.last("rows")["rows"]}
        assert (rows["Ann"]["table"], rows["Ann"]["seat"], rows["Ann"]["present"]) == ("t1", "A", True)
        assert (rows["Bob"]["seat"], rows["Bob"]["present"], rows["Bob"]["idle_ms"]) == ("B", False, None)
        assert (rows["Eve"]["table"], rows["Eve"]["watching"]) == (None, ["t1"])
        await ann.done("tables")
        [row] = ann.last("rows")["rows"]
        assert (row["watchers"], row["state"], row["variant"]) == (1, "playing", "four-turn")
