"""What checks the deals of one server, and where it keeps what it sees."""

from __future__ import annotations

import os
import secrets
import time
from typing import TYPE_CHECKING

from golfnet.protocol.witness import Witness
from golfnet.storage.seen_files import SeenFiles

if TYPE_CHECKING:
    from golfnet_client.model.remembered import Remembered


def watch_deals(remembered: Remembered, server: str) -> tuple[Witness, SeenFiles]:
    """Return a witness of a server's deals, and the files that it writes."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    files = SeenFiles(remembered.directory / "seen", server, stamp=stamp)
    return Witness(entropy=secrets.token_bytes, keep=files.keep), files
