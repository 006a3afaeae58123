"""What people at a table are told, word for word: who has which seat, who waits, who may do what, and when play begins.

``tests/server/test_conversations.py`` explains how the files in ``conversations`` are written.
"""

from pathlib import Path

import pytest

from tests.golden import GoldenFiles
from tests.server.test_conversations import spoken

PAGES = {page.stem: page for page in Path(__file__).with_name("conversations").glob("*.txt")}


@pytest.mark.usefixtures("virtual_time", "quick_passwords")
@pytest.mark.parametrize("name", sorted(PAGES))
async def test_conversations_at_a_table_match_their_scripts(golden: GoldenFiles, name: str) -> None:
    golden.check(PAGES[name], await spoken(PAGES[name].read_text(encoding="utf-8")))
