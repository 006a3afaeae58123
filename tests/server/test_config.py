import re

import pytest

from golfnet.server.config import SETTINGS, Config, ConfigError, Setting


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=[*SETTINGS])
def test_a_setting_has_a_meaning_a_valid_default_and_limits_that_are_named(setting: Setting) -> None:
    assert setting.meaning
    assert setting.checked(setting.default) == setting.default
    if setting.bounds is not None:
        low, high = setting.bounds
        assert [setting.checked(setting.kind(good)) for good in (low, high)] == [low, high]
        for bad in (low - 1, high + 1):
            with pytest.raises(ConfigError, match=rf"^{setting.name}: a (whole )?number from .* not {bad}"):
                setting.checked(setting.kind(bad))


_SEVERAL = {"processes": 2, "database": "postgresql://db/golfnet"}
_NODE = {"cluster": True, "database": "postgresql://db/golfnet", "cluster_secret": "secret"}
_TLS = ("a.pem", "a.key", "ca.pem")
_CERT = {"tls_cert": "a.pem", "tls_key": "a.key"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"port": "7777"}, "port: a whole number from 0 to 65 535, not '7777'"),
        ({"port": True}, "port: a whole number from 0 to 65 535, not true"),
        ({"clock": 1.5}, "clock: a whole number from 0 to 3 600, not 1.5"),
        ({"lan": 1}, "lan: true or false, not 1"),
        ({"durability": "some"}, "durability: one of full, normal, not 'some'"),
        ({"proxy_from": "10.0.0.1"}, "proxy_from: a list of strings, not '10.0.0.1'"),
        ({"proxy_from": ("here",)}, "proxy_from: addresses or networks such as 10.0.0.0/8, not 'here'"),
        ({"proxy_port": 7780}, "proxy_from: at least one address or network if proxy_port is open"),
        ({"tls_cert": "a.pem"}, "tls_key: a PEM file; certificate and key go together"),
        ({"tls_key": "a.pem"}, "tls_cert: a PEM file; certificate and key go together"),
        (_CERT | {"tls_self_signed": True}, "tls_self_signed: false if tls_cert names a certificate"),
        ({"processes": 2}, "processes: 1 unless database names a PostgreSQL database"),
        (_SEVERAL | {"lan": True}, "lan: false with several processes"),
        (_SEVERAL | {"metrics_port": 0}, "metrics_port: the port of the first process; the others use"),
        (_SEVERAL | _NODE | {"cluster_link": "10.0.0.5:7790"}, "cluster_link: port 0 with several processes"),
        ({"cluster": True}, "cluster: false unless database names the PostgreSQL database of all nodes"),
        (_NODE | {"cluster_secret": ""}, "cluster_secret: a file with the secret that all nodes share"),
        (_NODE | {"cluster_tls": _TLS[:2]}, "cluster_tls: three files: certificate, private key and"),
        ({"cluster_tls": _TLS}, "cluster_tls: nothing unless cluster is true"),
        (_NODE | {"cluster_tls": _TLS, "cluster_link": "0.0.0.0:1"}, "cluster_link: an address and a port"),
        (_NODE | {"lan": True}, "lan: false for a node in a cluster: each has a different address"),
        *[
            (_NODE | {"cluster_link": link}, "cluster_link: a private address and a port such as")
            for link in ("8.8.8.8:7790", "10.0.0.5", "db.example.org:1", "10.0.0.5:70000", "[::]:1")
        ],
        ({"host": " ,"}, "host: an address to listen on, such as 127.0.0.1 or *"),
        ({"host": "*,127.0.0.1"}, "host: * alone, or addresses without it"),
        ({"port": 7778}, "telnet_port: a port of its own, not 7778 as port"),
        ({"lan": True, "proxy_port": 7780}, "web_port: a port of its own, not 7780 as proxy_port"),
        ({"tls_self_signed": True, "port": 7779}, "tls_port: a port of its own, not 7779 as port"),
        (_SEVERAL | {"metrics_port": 7776}, "metrics_port: a port of its own, not 7777 as port"),
        ({"lan_name": "a\nb"}, "lan_name: one line of visible characters"),
        *[({"web_names": (name,)}, "web_names: names such as") for name in ("http://a", "a:80")],
    ],
)
def test_unusable_values_are_refused_with_what_was_expected(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(complaint)}"):
        Config(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("link", "tls", "place"),
    [
        ("127.0.0.1:0", (), ("127.0.0.1", 0)),
        ("10.0.0.5:7790", (), ("10.0.0.5", 7790)),
        ("[fd00::7]:1", (), ("fd00::7", 1)),
        ("8.8.8.8:7790", _TLS, ("8.8.8.8", 7790)),
    ],
)
def test_links_use_private_addresses_or_tls(link: str, tls: tuple[str, ...], place: tuple[str, int]) -> None:
    assert Config(cluster_link=link, cluster_tls=tls, **_NODE).link_place == place  # type: ignore[arg-type]


def test_with_lan_a_server_listens_on_all_addresses_unless_some_are_given() -> None:
    assert Config().hosts == ("127.0.0.1",)
    assert Config(lan=True).hosts == ("*",)
    assert Config(lan=True, host="192.168.1.20, fd00::1").hosts == ("192.168.1.20", "fd00::1")


def test_ports_that_are_not_opened_may_be_the_same() -> None:
    Config(port=7779, telnet_port=-1, proxy_port=-1, metrics_port=-1)
    Config(port=7780, telnet_port=0, tls_port=0, tls_self_signed=True, metrics_port=0)


def test_tls_needs_a_certificate_and_a_port() -> None:
    assert not Config().has_tls
    assert Config(tls_self_signed=True).has_tls
    assert Config(tls_cert="a", tls_key="b").has_tls
    assert not Config(tls_self_signed=True, tls_port=-1).has_tls
