"""The next version of golfnet: a copy with the kinds of changes that a newer version may bring.

It has another version number, one more schema step and one more field in what nodes tell each other about a connection,
and it sends a bus message that the others do not know. Invariants: if a change does not apply to the source, making the
copy fails.
"""

import os
import shutil
from pathlib import Path
from typing import Final

import golfnet

VERSION: Final = "99.0.0"

_STEP: Final = "ALTER TABLE live ADD COLUMN mood text NOT NULL DEFAULT 'calm';\n"

_CHANGES: Final = {
    "__init__.py": [(f'__version__ = "{golfnet.__version__}"', f'__version__ = "{VERSION}"')],
    "protocol/links.py": [
        ("    machine: bool = False\n", '    mood: str = "calm"\n    machine: bool = False\n'),
        ("kw_only=True, omit_defaults=True, tag=True):", "kw_only=True, tag=True):"),
    ],
    "server/nodes.py": [
        (
            "\n\nMessage = ",
            "\n\nclass MoodChanged(Struct, tag=True):\n    mood: str\n\n\nMessage = MoodChanged | ",
        ),
    ],
    "server/joining.py": [
        (
            "    setup.bus.listen(partial(soon, receive, lobby), partial(soon, lease.beat))\n",
            """    setup.bus.listen(partial(soon, receive, lobby), partial(soon, lease.beat))
    from golfnet.server import nodes

    async def chatter() -> None:
        while True:
            lobby.nodes.send(nodes.MoodChanged(mood="calm"))
            await trio.sleep(0.2)

    work.start_soon(chatter)
""",
        )
    ],
}
"""For each file, the text to replace and its replacement."""


def make_next_version(folder: Path) -> dict[str, str]:
    """Copy golfnet into a folder with the changes, and return the environment that runs this copy."""
    package = folder / "golfnet"
    shutil.copytree(Path(golfnet.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, changes in _CHANGES.items():
        text = (package / file).read_text()
        for before, after in changes:
            assert text.count(before) == 1, f"{file} does not contain {before!r} exactly once"
            text = text.replace(before, after)
        (package / file).write_text(text)
    schema = package / "storage" / "postgres" / "schema"
    (schema / f"{len(list(schema.glob('*.sql'))) + 1}.sql").write_text(_STEP)
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}
