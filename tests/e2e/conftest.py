"""What several tests of whole programs are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.service import Service, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def page(needs_tool: Callable[[str], str]) -> Iterator[str]:
    """Give the address of a server's page."""
    needs_tool("chromium")
    needs_tool("chromedriver")
    port = free_port()
    server = Service("--memory", "--web", "--web-port", str(port))
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.stop(kill=True)
