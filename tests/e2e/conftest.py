"""Fixtures for tests of whole programs."""

from collections.abc import Iterator

import pytest

from tests.e2e.phone import Phone
from tests.e2e.service import Needs, Service, web_service


@pytest.fixture
def has_browser(needs_tool: Needs) -> None:
    """Fail or skip if there is no browser."""
    needs_tool("chromium")
    needs_tool("chromedriver")


@pytest.fixture(scope="session")
def shared_web() -> Iterator[tuple[Service, str]]:
    """Yield a server with a page; all tests share it, since starting it takes longer than most of them."""
    with web_service("--start-delay", "60", "--house-delay", "0") as running:  # no test waits for a countdown
        yield running


@pytest.fixture
def shared_service(shared_web: tuple[Service, str]) -> Service:
    return shared_web[0]


@pytest.fixture
def page(has_browser: None, request: pytest.FixtureRequest) -> str:
    _, address = request.getfixturevalue("shared_web")
    return str(address)


@pytest.fixture(scope="session")
def shared_phone() -> Iterator[Phone]:
    with Phone(390, 844) as window:
        yield window


@pytest.fixture
def phone(has_browser: None, request: pytest.FixtureRequest) -> Phone:
    """Return a window the size of a typical phone, without anything that an earlier test has left."""
    window: Phone = request.getfixturevalue("shared_phone")
    window.forget()
    window.resize(390, 844)
    return window
