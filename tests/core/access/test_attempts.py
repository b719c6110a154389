"""core.access.attempts: counted in Redis in one step, given back, forgiven, over in time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.access import attempts
from core.access.attempts import Limit, TooManyAttempts
from core.access.callers import Caller
from core.breaker import Breaker

pytestmark = pytest.mark.usefixtures("limits")


def spend(limit: Limit, value: str, number: int) -> list[bool]:
    return [limit.try_count(value) for _ in range(number)]


def test_so_many_and_no_more_for_each_value() -> None:
    limit = Limit("test", 3, 60)
    assert spend(limit, "a", 5) == [True] * 3 + [False] * 2
    assert spend(limit, "b", 1) == [True]
    assert spend(Limit("other", 1, 60), "a", 2) == [True, False]


def test_many_at_once_are_taken_up_to_the_limit() -> None:
    limit = Limit("test", 10, 1)
    assert [limit.count_up_to("a", wanted) for wanted in (4, 0, 4, 4, 4)] == [4, 0, 4, 2, 0]
    assert Limit("test", 12, 1).count_up_to("a", 5) == 2
    assert limit.count_up_to("b", 99) == 10
    time.sleep(1.05)
    assert limit.count_up_to("a", 3) == 3


def test_the_wait_is_told() -> None:
    limit = Limit("test", 1, 60)
    limit.count("a")
    with pytest.raises(TooManyAttempts) as caught:
        limit.count("a")
    assert 58 <= caught.value.retry_after <= 60


def test_time_allows_attempts_again() -> None:
    limit = Limit("test", 1, 1)
    assert spend(limit, "a", 2) == [True, False]
    time.sleep(1.05)
    assert spend(limit, "a", 1) == [True]


def test_more_attempts_do_not_lengthen_the_wait() -> None:
    limit = Limit("test", 1, 1)
    for _ in range(6):
        limit.try_count("a")
        time.sleep(0.15)
    time.sleep(0.2)
    assert limit.try_count("a")


def test_giving_back_and_forgiving() -> None:
    limit = Limit("test", 3, 60)
    spend(limit, "a", 3)
    limit.refund("a")
    assert spend(limit, "a", 2) == [True, False]
    limit.reset("a")
    limit.refund("a")
    assert spend(limit, "a", 4) == [True] * 3 + [False]


def test_many_at_once_get_through_as_one_by_one() -> None:
    limit = Limit("test", 10, 60)
    with ThreadPoolExecutor(16) as pool:
        allowed = list(pool.map(lambda _: limit.try_count("a"), range(100)))
    assert allowed.count(True) == 10


def test_without_redis_this_process_counts(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(attempts, "REDIS", Breaker(5.0))
    attempts._client.cache_clear()
    attempts._script.cache_clear()
    try:
        limit = Limit("test", 1, 1)
        assert spend(limit, "a", 3) == [True, False, False]
        assert spend(limit, "b", 1) == [True]
        limit.refund("b")
        assert spend(limit, "b", 2) == [True, False]
        limit.reset("a")
        assert spend(limit, "a", 2) == [True, False]
        time.sleep(1.05)
        assert spend(limit, "a", 2) == [True, False]
    finally:
        attempts._client.cache_clear()
        attempts._script.cache_clear()
    assert caplog.text.count("attempts are counted by this process alone") == 1


def test_the_keys_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert "ann@example.org" not in Limit("test", 1, 60)._key("ann@example.org")


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        (None, "unknown"),
    ],
)
def test_what_is_counted_by(ip: str | None, network: str) -> None:
    assert Caller(ip).network == network
