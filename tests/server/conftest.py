"""Passwords that cost no time: a thread's work does not wait for virtual time."""

import pytest

from golfnet.server.accounts import Accounts


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let passwords be kept as they are."""

    async def hashed(accounts: Accounts, password: str) -> str:
        return f"hash of {password}"

    async def verified(accounts: Accounts, known: str, password: str) -> bool:
        return known == f"hash of {password}"

    monkeypatch.setattr(Accounts, "_hash_password", hashed)
    monkeypatch.setattr(Accounts, "_verify", verified)
