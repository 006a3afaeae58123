"""Players at two nodes and one table, for the tests of links."""

from tests.server.cluster import Cluster, Node, playing
from tests.server.house import Program


def names_at(node: Node) -> list[str]:
    """Return the names of players whose sessions are at a node."""
    return [session.player.name for session in node.lobby.sessions if session.player is not None]


async def two_at_a_table(cluster: Cluster) -> tuple[Program, Program, str]:
    """Return Ann at node 1, Ben at node 2, both seated at a running table of node 1, and the table's id."""
    (ann, ben), table = await playing(cluster, "four-turn", "Ann", "Ben")
    return ann, ben, table


def codes(peer: Program) -> list[str]:
    return [thing["code"] for thing in peer.objects if thing["type"] == "notice"]
