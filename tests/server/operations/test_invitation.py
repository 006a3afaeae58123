from golfnet.server.operations.invitation import invitation, reachable, telephone
from golfnet.server.transport.listeners import PortKind

HERE = ("192.168.1.20", "10.8.0.2", "fd00::20")


def here() -> tuple[str, ...]:
    return HERE


def test_one_line_says_what_friends_type() -> None:
    assert list(invitation({PortKind.PLAIN: [("192.168.1.20", 7777)]})) == [
        "golfnet is open: nc 192.168.1.20 7777"
    ]


def test_a_server_on_all_addresses_names_each_for_lines_and_one_for_the_rest() -> None:
    doors = {
        PortKind.PLAIN: [("0.0.0.0", 7777), ("::", 7777)],
        PortKind.TELNET: [("0.0.0.0", 7778), ("::", 7778)],
        PortKind.TLS: [("::", 7779)],
        PortKind.PROXY: [("0.0.0.0", 7780)],
    }
    assert list(invitation(doors, "ab12", addresses=here)) == [
        "golfnet is open: nc 192.168.1.20 7777",
        "            or: nc 10.8.0.2 7777",
        "            or: nc fd00::20 7777",
        "            or: telnet 192.168.1.20 7778",
        "            or: golfnet-client tls://192.168.1.20:7779",
        "     public key: SHA-256 ab12",
    ]


def test_a_wildcard_stands_for_the_addresses_it_takes() -> None:
    assert reachable([("0.0.0.0", 1)], here) == [("192.168.1.20", 1), ("10.8.0.2", 1)]
    assert reachable([("::", 1), ("0.0.0.0", 1)], here) == [(each, 1) for each in HERE]
    assert reachable([("::", 1)], here) == [(each, 1) for each in HERE]  # handed over, it takes IPv4 as well
    assert reachable([("::1", 1), ("127.0.0.1", 1)], here) == [("127.0.0.1", 1), ("::1", 1)]


def test_a_telephone_is_shown_where_telnet_is() -> None:
    doors = {PortKind.PLAIN: [("192.168.1.20", 7777)], PortKind.TELNET: [("192.168.1.20", 7778)]}
    drawn, link = telephone(doors).rsplit("\n", 1)
    assert link == "telnet://192.168.1.20:7778"
    lines = drawn.split("\n")
    assert set(drawn) <= set("█▀▄ \n")
    assert len({len(line) for line in lines}) == 1
    assert len(lines) == (len(lines[0]) + 1) // 2
    assert telephone({PortKind.PLAIN: [("fd00::1", 7777)], PortKind.TELNET: []}).endswith(
        "\ntelnet://[fd00::1]:7777"
    )
