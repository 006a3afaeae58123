import re
from pathlib import Path

import pytest

from golfnet.server.accounts.sanctions import BadSanctions, Sanctions
from golfnet.storage.directory import Sanction, SanctionKind


@pytest.mark.parametrize(
    ("banned", "lifted", "barred", "free"),
    [
        ("192.0.2.77/24", "192.0.2.0/24", "192.0.2.1", "198.51.100.1"),
        ("2001:db8::1/128", "2001:db8::1/128", "2001:db8::1", "2001:db8::2"),
        ("2001:db8:0:7::1", "2001:db8:0:7::9", "2001:db8:0:7:ffff:1:2:3", "2001:db8:0:8::1"),
        ("::ffff:192.0.2.4", "192.0.2.4", "192.0.2.4", "::1"),
    ],
    ids=["IPv4", "IPv6", "an IPv6 address stands for its /64", "IPv4 in IPv6"],
)
def test_addresses_in_a_banned_network_are_refused_until_the_ban_is_lifted(
    banned: str, lifted: str, barred: str, free: str
) -> None:
    sanctions = Sanctions()
    sanctions.add(SanctionKind.BAN, Sanction(whom=banned))
    assert sanctions.bars_address(barred)
    assert not sanctions.bars_address(free)
    assert not sanctions.bars_address("somewhere")
    assert sanctions.lift(SanctionKind.BAN, lifted)
    assert not sanctions.bars_address(barred)


def test_sanctions_survive_a_restart_in_a_file_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "golfnet.sanctions.json"
    before = Sanctions(path)
    assert not path.exists()
    before.add(SanctionKind.BAN, Sanction(whom="Bob", reason="swore", since=5.0))
    before.add(SanctionKind.BAN, Sanction(whom="192.0.2.0/24"))
    before.add(SanctionKind.MUTE, Sanction(whom="Carol"))
    assert path.stat().st_mode & 0o777 == 0o600
    after = Sanctions(path)
    assert [after.of(kind) for kind in SanctionKind] == [before.of(kind) for kind in SanctionKind]
    assert after.bars_address("192.0.2.9")
    assert list(tmp_path.iterdir()) == [path]
    after.lift(SanctionKind.BAN, "Bob")
    assert Sanctions(path).of(SanctionKind.BAN) == after.of(SanctionKind.BAN)


FORMAT = '{"format": "golfnet-sanctions/1", '


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": "other"}', FORMAT + '"bams": []}', FORMAT + '"bans": [{}]}']
)
def test_a_sanctions_file_not_written_by_golfnet_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    path = tmp_path / "golfnet.sanctions.json"
    path.write_text(content)
    with pytest.raises(BadSanctions, match=re.escape(str(path))):
        Sanctions(path)
    assert path.read_text() == content
