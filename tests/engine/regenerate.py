"""Write tests/data anew: ``python -m tests.engine.regenerate``. Then read what git says has changed, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from golfnet.rulesets import catalogue
from tests.engine.golden import playthrough
from tests.engine.perft import counts, pinned

DATA: Final = Path(__file__).parents[1] / "data"
PERFT: Final = DATA / "perft.json"
PLAYTHROUGHS: Final = DATA / "playthroughs"


def main() -> None:
    """Write the counts and the playthroughs of every rule set that golfnet comes with."""
    PLAYTHROUGHS.mkdir(parents=True, exist_ok=True)
    perft = {}
    for name, rules in catalogue().items():
        perft[name] = {place: counts(hole) for place, hole in pinned(rules).items()}
        (PLAYTHROUGHS / f"{name}.txt").write_text(playthrough(rules), encoding="utf-8")
    PERFT.write_text(json.dumps(perft, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
