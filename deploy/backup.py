"""Copy a database while its server runs, whole and as of one moment; the copy is readable by its owner only.

Arguments: the database, and a file that does not exist yet. Standard library only.
"""

import contextlib
import os
import sqlite3
import sys
from pathlib import Path


def main(database: str, copy: str) -> int:
    """Write the copy; return 0, or 1 with the reason."""
    draft = Path(f"{copy}.part")
    try:
        if Path(copy).exists():
            raise FileExistsError(f"{copy} exists; name a file that does not")
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with (
            contextlib.closing(
                sqlite3.connect(f"{Path(database).resolve().as_uri()}?mode=rw", uri=True)
            ) as source,
            contextlib.closing(sqlite3.connect(draft)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        draft.rename(copy)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        print(f"backup: {database}: {error}", file=sys.stderr)
        return 1
    print(f"{copy}: {Path(copy).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: backup.py DATABASE COPY")
    sys.exit(main(*sys.argv[1:]))
