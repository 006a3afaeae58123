"""The power fails while people play: whatever unsynced data the disk kept, nothing players were told is lost.

A server runs under the shim, which records its writes, syncs and sends in order. For any point in the recording, a
disk model gives the contents that may survive, and the real store is restarted from them.
"""

import errno
import random
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import trio

from tests.crash.conftest import played
from tests.crash.disk import Disk, Loss
from tests.crash.shim import Call, Kind, Shim
from tests.e2e.program import Program
from tests.e2e.service import Service, printed
from tests.e2e.told import Told

DATABASE: Final = "state/golfnet/golf.db"
"""A path in folders that the server creates: if a power failure loses a folder, it loses the file, too."""


async def recorded_play(shim: Shim, matches: int, *flags: str, failing_syncs: int = 0) -> list[Call]:
    """Play at two tables on a server under the shim until one has finished this many matches; return all calls.

    Now and then a sync fails, ``failing_syncs`` in all.
    """

    chance = random.Random(5)
    async with played(shim.folder / DATABASE, shim.environment, *flags) as run:
        host = run.players[0]
        with trio.fail_after(50):
            for _ in range(failing_syncs):
                shim.control.fail(chance.randrange(1, 30), errno.EIO, times=1, kinds=Kind.SYNC)
                while not shim.control.failed:
                    await host.has_ended(host.matches_ended + 1)
            await host.has_ended(matches)
    return list(shim.record())


def points_of(calls: Sequence[Call], count: int, seed: int) -> list[int]:
    """Return points in a recording: half of them right after somebody was told something, a few during the start."""
    chance = random.Random(seed)
    sends = [place + 1 for place, call in enumerate(calls) if call.what == "N" and call.data[:1] == b"{"]
    points = chance.sample(sends, count // 2) + chance.sample(range(len(calls)), count // 4)
    return sorted(points + chance.sample(range(sends[0]), count // 4))


def images(calls: Sequence[Call], points: Iterable[int], folder: Path) -> Iterator[tuple[Path, Told]]:
    """Yield databases as a power failure at each point might leave them, and what players had been told by then."""
    disk, told = Disk(folder), Told()
    chance = random.Random(len(calls))
    place = 0
    for point in points:
        for call in calls[place:point]:
            disk.do(call)
            told.follow(call)
        place = point
        for loss in Loss:
            image = folder.with_name(f"{point}-{loss}")
            for path, content in disk.image(loss, chance).items():
                (image / path).parent.mkdir(parents=True, exist_ok=True)
                (image / path).write_bytes(content)
            yield image / DATABASE, told
            shutil.rmtree(image, ignore_errors=True)


def missing(calls: Sequence[Call], points: Iterable[int], folder: Path) -> list[str]:
    """Reopen every image, and return what players were told but the image does not contain."""
    return [
        f"{database}: {what}"
        for database, told in images(calls, points, folder)
        for what in told.missing_in(database)
    ]


def test_nothing_players_were_told_is_lost(shim_library: Path, fast_folder: Path) -> None:
    shim = Shim(shim_library, fast_folder / "disk", log=fast_folder / "log")
    calls = trio.run(recorded_play, shim, 12)
    assert missing(calls, points_of(calls, 40, seed=1), shim.folder) == []
    (last,) = {told for _, told in images(calls, [len(calls)], shim.folder)}
    assert last.copies > 1000
    # Everyone can resume on a server that is started from an image.
    database, told = next(images(calls, [len(calls) // 2], shim.folder))
    server = Service("--db", str(database), "--drain-time", "0")
    try:
        for token in told.tokens.values():
            with Program(server.port) as back:
                back.ask("hello 1")
                back.sock.sendall(f"resume {token}\n".encode())
                view = back.wait_for(type="view")
            assert view["seq"] >= max(seq for table, seq in told.events if table == view["table"])
    finally:
        server.stop()


def test_normal_durability_loses_what_the_system_had_not_written(
    shim_library: Path, fast_folder: Path
) -> None:
    """The loss is documented. It shows that these tests notice if a database does not wait for the disk."""
    shim = Shim(shim_library, fast_folder / "disk", log=fast_folder / "log")
    calls = trio.run(recorded_play, shim, 3, "--durability", "normal")
    lost = missing(calls, points_of(calls, 4, seed=2), shim.folder)
    assert any(": event " in each for each in lost)
    # What is left is intact, and the server can start from it.
    assert not any(": a gap" in each or "verify" in each for each in lost)


@pytest.mark.parametrize(
    ("seed", "matches", "points", "failing_syncs"),
    [
        (4, 8, 32, 3),
        *[pytest.param(seed, 60, 100, seed % 4 * 5, marks=pytest.mark.exhaustive) for seed in range(8)],
    ],
)
def test_data_covered_by_a_failed_sync_is_written_again(
    shim_library: Path, fast_folder: Path, seed: int, matches: int, points: int, failing_syncs: int
) -> None:
    """A second sync would report success without writing any of it."""
    shim = Shim(shim_library, fast_folder / "disk", log=fast_folder / "log")
    calls = trio.run(partial(recorded_play, shim, matches, failing_syncs=failing_syncs))
    assert sum(call.what == "F" for call in calls) == failing_syncs
    assert missing(calls, points_of(calls, points, seed), shim.folder) == []


def test_a_replaced_file_is_either_the_old_or_the_new_one(shim_library: Path, fast_folder: Path) -> None:
    """Once ``replace_file`` has returned, the file is always the new one, and its folders survive too."""
    shim = Shim(shim_library, fast_folder / "disk", log=fast_folder / "log")
    program = """
        import sys
        from pathlib import Path
        from golfnet.storage.files import make_folder, replace_file
        path = Path(sys.argv[1])
        make_folder(path.parent)
        for number, content in enumerate((b"old" * 1000, b"new" * 2000)):
            replace_file(path, content)
            path.with_name(f"done-{number}").mkdir()
    """
    path = "state/golfnet/bans"
    printed(sys.executable, "-c", textwrap.dedent(program), shim.folder / path, env=shim.environment)
    disk, chance, done = Disk(shim.folder), random.Random(1), 0
    for call in shim.record():
        disk.do(call)
        done += call.what == "M" and b"/done-" in call.data
        for loss in Loss:
            content = disk.image(loss, chance).get(Path(path))
            assert content in (None, b"old" * 1000, b"new" * 2000)[done:], call
    assert done == 2
