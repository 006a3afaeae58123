"""Send lines to one peer, and get the resulting objects."""

import msgspec

from tests.server.house import Peer


def kinds(objects: list[dict[str, object]]) -> list[object]:
    return [thing["type"] for thing in objects]


async def raw(peer: Peer, line: str | bytes) -> list[dict[str, object]]:
    """Send a line and return the resulting objects."""
    return [msgspec.json.decode(text) for text in (await peer.say(line)).splitlines()]
