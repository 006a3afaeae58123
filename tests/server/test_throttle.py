"""How often is too often, and who is counted together."""

from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.throttle import Addresses, RateLimit


@given(st.lists(st.floats(0, 3), max_size=60), st.integers(1, 6))
def test_in_any_one_second_there_are_at_most_so_many(gaps: list[float], count: int) -> None:
    limit, now, taken = RateLimit(count, 1.0), 0.0, list[float]()
    for gap in gaps:
        now += gap / 10
        wait = limit.take(now)
        recent = [time for time in taken if now - time < 1.0]
        assert (wait == 0) is (len(recent) < count)
        if wait:
            assert abs(wait - max(1, (1.0 - (now - recent[-count])) * 1000)) <= 1
        else:
            taken.append(now)


def test_after_the_wait_the_next_is_free() -> None:
    limit = RateLimit(2, 10)
    assert [limit.take(0), limit.take(4)] == [0, 0]
    assert limit.take(5) == 5000
    assert limit.take(5 + 5.0) == 0
    assert limit.take(10.1) == 3900


def test_an_address_has_so_many_connections_and_others_have_theirs() -> None:
    addresses = Addresses(2)
    assert [addresses.admit("8.8.8.8") for _ in range(3)] == [True, True, False]
    assert addresses.admit("8.8.4.4")
    addresses.release("8.8.8.8")
    assert addresses.admit("8.8.8.8")
    assert not addresses.admit("8.8.8.8")


def test_loopback_and_private_networks_have_no_limit() -> None:
    addresses = Addresses(1)
    for address in ("127.0.0.1", "::1", "192.168.1.7", "10.0.0.1", "172.16.3.3", "fd00::1"):
        assert all([addresses.admit(address) for _ in range(5)])
    assert [addresses.admit("1.1.1.1"), addresses.admit("1.1.1.1")] == [True, False]
