"""What one peer may cost the server: in one turn of the event loop, and in memory.

Nobody waits for a greedy peer. A turn gives each peer one read of ``CHUNK`` bytes, or ``LINES_AT_ONCE`` of the lines
it has sent, or one part of a list it has asked for, and no peer is read while something of its own is still to be done:
what it sends stays in its own kernel. The figures are small beside the milliseconds that a person notices, and large
beside what anybody who plays sends.
"""

from typing import Final

CHUNK: Final = 4096
"""Bytes read from one peer in one turn: four of the longest lines, hundreds of usual ones."""

LINES_AT_ONCE: Final = 32
"""Lines of one peer that are carried out or refused in one turn; the others wait for its next turn."""

PEER_SECONDS: Final = 0.001
"""After so long a peer's turn ends behind the line under way, however few lines it had."""

LOOP_SECONDS: Final = 0.002
"""After so long the peers of a hub let other tasks run: timers, other transports, the journal."""

SENT_AT_ONCE: Final = 256
"""Peers to which is sent before other tasks run: a system call of some microseconds each."""

ROWS_AT_ONCE: Final = 64
"""Rows of a list in one part: half a millisecond of work, and less than 16 KiB for most lists."""

WATCHED_AT_ONCE: Final = 10
"""Tables that one player may watch: more than fit on a screen, and few enough to leave in one turn."""

HELD_ENTRY: Final = 128
"""Bytes that a reply takes in memory beside its own while it waits for the disk."""

PIECE: Final = 64 * 1024
"""Bytes that a stream is given to send at once."""

_BESIDE_OUTBOX: Final = 256 * 1024


def room(outbox: int) -> int:
    """Return how many bytes may wait for a peer before nothing more is read or done for it.

    The rest of the outbox is for what others cause: events, chat.
    """
    return outbox // 4


def most_memory(outbox: int) -> int:
    """Return the bytes that one connection can make the server hold at most.

    Beside the outbox, which counts what waits for the disk and what waits to be read: a piece that is being sent, one
    chunk cut into lines (up to 2048, as Python keeps them), the line under way, the reply that goes over the bound, and
    the fixed parts of the session.
    """
    return outbox + _BESIDE_OUTBOX
