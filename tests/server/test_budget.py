"""Rate limits, addresses that count as one origin, and statistics."""

from collections import Counter
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from golfnet.server import budget
from golfnet.server.budget import Budgets, Newcomers, RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable


@given(st.lists(st.floats(0, 3), max_size=60), st.integers(1, 6))
def test_the_limit_holds_in_any_one_second(gaps: list[float], count: int) -> None:
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


@given(st.lists(st.integers(-4, 9), max_size=80), st.integers(1, 8))
def test_a_newcomer_evicts_the_oldest_of_the_most_frequent_origin(steps: list[int], places: int) -> None:
    newcomers, ended = Newcomers(places), list[int]()
    here: dict[int, tuple[int, Callable[[], None]]] = {}
    for number, origin in enumerate(steps):
        if origin < 0:  # the oldest newcomer leaves
            if here:
                newcomers.leave(here.pop(min(here))[1])
            continue
        here[number] = origin, partial(ended.append, number)
        newcomers.enter(f"2001:db8::{origin}:0:0:0:{number:x}", here[number][1])
        has = Counter([each for each, _ in here.values()])
        most = [each for each, (its_origin, _) in here.items() if has[its_origin] == max(has.values())]
        assert ended == ([min(most)] if len(here) > places else [])
        while ended:
            del here[ended.pop()]
        assert number in here
        assert len(newcomers) == len(here)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:7:ffff::2", "2001:db8:0:7::/64"),
        ("2001:db8:0:7::", "2001:db8:0:7::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("somewhere", "somewhere"),
        ("a:b", "a:b"),
    ],
)
def test_the_origin_of_an_ipv6_address_is_its_64_bit_prefix(address: str, origin: str) -> None:
    assert budget.origin_of(address) == origin


def test_only_addresses_in_private_networks_are_private() -> None:
    for address in ("127.0.0.1", "10.1.2.3", "192.168.0.7", "::1", "fd00::5", "fe80::1%eth0"):
        assert budget.is_private(address)
    for address in ("8.8.8.8", "2606:4700::1", "2001:4860::1", "nowhere", ""):
        assert not budget.is_private(address)


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from("ab")), max_size=60), st.integers(1, 6))
def test_a_budget_limits_spending_over_any_period(steps: list[tuple[float, str]], count: int) -> None:
    """At most ``count``, plus ``count`` for every 60 seconds, whatever other keys spend."""
    budgets, now = Budgets(count, 60.0), 0.0
    spent: dict[str, list[float]] = {"a": [], "b": []}
    for gap, key in steps:
        now += gap
        if not (wait := budgets.wait(key, now)):
            budgets.spend(key, now)
            spent[key].append(now)
        else:
            assert budgets.wait(key, now + wait - 0.01) > 0
            assert budgets.wait(key, now + wait) == 0
    for times in spent.values():
        for first, begin in enumerate(times):
            for last, end in enumerate(times[first:], first):
                assert last - first + 1 <= count + (end - begin) * count / 60 + 1e-3


def test_the_number_of_budgets_is_limited_and_a_new_one_evicts_another() -> None:
    budgets = Budgets(1, 60.0, kept=100)
    for number in range(300):
        budgets.spend(number, 0.0)
        assert len(budgets._full_at) == min(number + 1, 100)
    assert (budgets.wait(0, 1.0), budgets.wait(299, 1.0)) == (0, 59)
    for key in (299, "nobody"):
        budgets.give_back(key)
    assert budgets.wait(299, 1.0) == 0


@pytest.mark.parametrize("bounds", [budget.LATENCIES, budget.WAITS, budget.ROUND_TRIPS, budget.MARGINS])
@given(values=st.lists(st.floats(0, 1e6), max_size=20))
def test_values_are_added_to_buckets_and_to_the_sum(bounds: tuple[float, ...], values: list[float]) -> None:
    assert list(bounds) == sorted(set(bounds))
    buckets = budget.Buckets(bounds)
    for value in values:
        buckets.add(value)
    fits = [sum(value <= bound for value in values) for bound in bounds]
    assert list(accumulate(buckets.counts)) == [*fits, len(values)]
    assert buckets.total == pytest.approx(sum(values))
