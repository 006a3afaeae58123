"""Fixtures for tests of whole programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browser import Browser
from tests.e2e.service import web_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def has_browser(needs_tool: Callable[[str], str]) -> None:
    """Fail or skip if there is no browser."""
    needs_tool("chromium")
    needs_tool("chromedriver")


@pytest.fixture
def page(has_browser: None) -> Iterator[str]:
    """Yield the address of a server's page."""
    with web_service() as (_, address):
        yield address


@pytest.fixture
def browser(has_browser: None) -> Iterator[Browser]:
    """Yield a window the size of a typical phone."""
    with Browser(390, 844) as window:
        yield window
