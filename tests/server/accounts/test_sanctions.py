import re
from pathlib import Path

import pytest

from golfnet.server.accounts.sanctions import BadSanctions, Sanction, Sanctions
from golfnet.storage.directory import SanctionKind


def test_banning_a_name_bans_all_look_alikes() -> None:
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom="Bob"))
    assert sanctions.bars_name("bob")
    assert sanctions.bars_name("B0b")
    assert not sanctions.bars_name("Bobby")
    assert not sanctions.bars_address("192.0.2.1")


def test_banned_networks_of_both_ip_versions_keep_their_addresses_out() -> None:
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom="192.0.2.77/24"))
    sanctions.add(SanctionKind.BAN, Sanction(whom="2001:db8::1/128"))
    assert sanctions.bars_address("192.0.2.1")
    assert sanctions.bars_address("2001:db8::1")
    assert not sanctions.bars_address("2001:db8::2")
    assert not sanctions.bars_address("198.51.100.1")
    assert not sanctions.bars_address("somewhere")


def test_an_ipv6_address_stands_for_its_64_when_banned_and_when_unbanned() -> None:
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom="2001:db8:0:7::1"))
    assert sanctions.bars_address("2001:db8:0:7:ffff:1:2:3")
    assert not sanctions.bars_address("2001:db8:0:8::1")
    assert sanctions.lift(SanctionKind.BAN, "2001:db8:0:7::9")
    assert not sanctions.bars_address("2001:db8:0:7::1")
    sanctions.add(SanctionKind.BAN, Sanction(whom="::ffff:192.0.2.4"))
    assert sanctions.bars_address("192.0.2.4")
    assert not sanctions.bars_address("::1")


def test_lifting_a_ban_or_mute_takes_effect() -> None:
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom="Bob"))
    sanctions.add(SanctionKind.BAN, Sanction(whom="192.0.2.0/24"))
    sanctions.add(SanctionKind.MUTE, Sanction(whom="Carol"))
    assert sanctions.silences("carol")
    assert sanctions.lift(SanctionKind.BAN, "BOB")
    assert sanctions.lift(SanctionKind.BAN, "192.0.2.0/24")
    assert sanctions.lift(SanctionKind.MUTE, "Carol")
    assert not sanctions.lift(SanctionKind.BAN, "Bob")
    assert not sanctions.lift(SanctionKind.MUTE, "Carol")
    assert not sanctions.bars_name("Bob")
    assert not sanctions.bars_address("192.0.2.1")
    assert not sanctions.silences("Carol")


def test_sanctions_survive_a_restart_in_a_file_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "golfnet.sanctions.json"
    before = Sanctions(path)
    assert not path.exists()
    before.add(SanctionKind.BAN, Sanction(whom="Bob", reason="swore", since=5.0))
    before.add(SanctionKind.BAN, Sanction(whom="192.0.2.0/24"))
    before.add(SanctionKind.MUTE, Sanction(whom="Carol"))
    assert path.stat().st_mode & 0o777 == 0o600
    after = Sanctions(path)
    assert (after.bans, after.mutes) == (before.bans, before.mutes)
    assert after.bans[0] == Sanction(whom="Bob", reason="swore", since=5.0)
    assert after.bars_address("192.0.2.9")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": "other"}',
        '{"format": "golfnet-sanctions/1", "bams": []}',
        '{"format": "golfnet-sanctions/1", "bans": [{}]}',
    ],
)
def test_a_sanctions_file_not_written_by_golfnet_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    path = tmp_path / "golfnet.sanctions.json"
    path.write_text(content)
    with pytest.raises(BadSanctions, match=re.escape(str(path))):
        Sanctions(path)
    assert path.read_text() == content


def test_a_sanctions_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadSanctions, match="cannot be written"):
        Sanctions(tmp_path / "none" / "x.json").add(SanctionKind.BAN, Sanction(whom="Bob"))
