"""Logs for people or for programs: a line of text, or a JSON object on each line, with the same facts.

What players say, passwords, tokens, seeds and cards are never logged; a traceback shows code, not values. Whoever
logs something about a connection passes its address, nothing more.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Final, TextIO

TEXT: Final = "%(asctime)s %(levelname)s %(message)s"


class JsonLines(logging.Formatter):
    """One object a line: ``time`` (UTC), ``level``, ``logger``, ``text``, and ``traceback`` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up(stream: TextIO, *, as_json: bool, verbose: bool) -> None:
    """Send the log of this process to a stream; of libraries only warnings, whatever ``verbose`` says."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if as_json else logging.Formatter(TEXT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("golfnet").setLevel(logging.DEBUG if verbose else logging.INFO)
