"""Limits on attempts (log in, register, request a link), each counted by one atomic Redis script.

While Redis is unavailable, each process counts on its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from time import monotonic
from typing import TypeVar

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.breaker import REDIS
from core.crypto import lookup_hash
from core.errors import ApiError

log = logging.getLogger(__name__)

T = TypeVar("T")

# INCR and PEXPIRE in one script: a process that dies between both would leave a count that never ends.
COUNT = """
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
"""
COUNT_ALL = """
local counts = {}
for _, key in ipairs(KEYS) do
    local used = redis.call('INCR', key)
    if used == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
    table.insert(counts, used)
    table.insert(counts, redis.call('PTTL', key))
end
return counts
"""
COUNT_UP_TO = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local granted = math.max(0, math.min(tonumber(ARGV[2]), tonumber(ARGV[3]) - used))
if granted > 0 and redis.call('INCRBY', KEYS[1], granted) == granted then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return granted
"""
REFUND = """
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
"""


class TooManyAttempts(ApiError):
    """Too many attempts: 429, with the seconds to wait."""

    name = "TooManyAttempts_429"
    status = 429
    message = "Too many attempts"
    retry_after: int

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} seconds")
        self.retry_after = seconds


@dataclass(frozen=True)
class Limit:
    """At most `most` attempts within `seconds` of the first one, for each value that is counted."""

    name: str
    most: int
    seconds: int

    def _key(self, value: str) -> str:
        # Hashed, since the values are addresses and email addresses, and Redis is no place for these.
        return f"leadwright:attempts:{self.name}:{lookup_hash(value)}"

    def count(self, value: str) -> None:
        """Count an attempt. Raises TooManyAttempts above the limit."""
        key = self._key(value)
        counted = _in_redis(lambda: _script(COUNT)(keys=[key], args=[self.seconds * 1000]))
        used, left = _here.count(key, self.seconds) if counted is None else (counted[0], int(counted[1]) / 1000)
        # The window begins with the first attempt and does not move: another try lengthens no wait.
        if used > self.most:
            raise TooManyAttempts(max(1, ceil(left)))

    def try_count(self, value: str) -> bool:
        """Count an attempt. Returns whether it is within the limit."""
        try:
            self.count(value)
        except TooManyAttempts:
            return False
        return True

    def count_up_to(self, value: str, number: int) -> int:
        """Count up to `number` attempts at once. Returns how many are within the limit; only these are counted."""
        key = self._key(value)
        granted = _in_redis(
            lambda: int(_script(COUNT_UP_TO)(keys=[key], args=[self.seconds * 1000, number, self.most]))
        )
        return _here.count_up_to(key, self.seconds, number, self.most) if granted is None else granted

    def refund(self, value: str) -> None:
        """Take back the count of one attempt, which succeeded. The others stay counted."""
        key = self._key(value)
        if _in_redis(lambda: _script(REFUND)(keys=[key])) is None:
            _here.refund(key)

    def reset(self, value: str) -> None:
        """Forget all attempts, after one that succeeded."""
        key = self._key(value)
        # Both counts: while Redis was away, this process counted locally.
        _in_redis(lambda: _client().delete(key))
        _here.reset(key)


def count_all(keys: list[str], seconds: int) -> list[tuple[int, float]]:
    """Count one for each key, in one round trip. Return their counts and the seconds until each resets."""
    counts = _in_redis(lambda: _script(COUNT_ALL)(keys=keys, args=[seconds * 1000]))
    if counts is None:
        return [_here.count(key, seconds) for key in keys]
    return [(used, left / 1000) for used, left in zip(counts[::2], counts[1::2], strict=True)]


class LocalCounts:
    """The counts of this process, for as long as Redis is away. Beyond `capacity` values the oldest are forgotten."""

    def __init__(self, capacity: int = 50_000) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}

    def count(self, key: str, seconds: float) -> tuple[int, float]:
        """Count one. Return the count and the seconds until it resets."""
        with self._lock:
            used, ends = self._counts.get(key, (0, 0.0))
            if ends <= monotonic():
                self._counts.pop(key, None)  # so that the next write makes it the youngest
                used, ends = 0, monotonic() + seconds
            # A flood of values while Redis is away must not take all memory.
            if key not in self._counts and len(self._counts) >= self._capacity:
                del self._counts[next(iter(self._counts))]
            self._counts[key] = used + 1, ends
            return used + 1, ends - monotonic()

    def count_up_to(self, key: str, seconds: float, number: int, most: int) -> int:
        """Count up to `number`. Returns how many are within `most`; only these are counted."""
        granted = 0
        while granted < number:
            if self.count(key, seconds)[0] > most:
                self.refund(key)
                break
            granted += 1
        return granted

    def refund(self, key: str) -> None:
        """Take back one count."""
        with self._lock:
            used, ends = self._counts.get(key, (0, 0.0))
            if used:
                self._counts[key] = used - 1, ends

    def reset(self, key: str) -> None:
        """Forget the value."""
        with self._lock:
            self._counts.pop(key, None)


_here = LocalCounts()


def _in_redis(call: Callable[[], T]) -> T | None:
    """Return the response of Redis, or None while it is unavailable."""
    # Without the breaker each request would wait a second for a Redis that is down.
    if not REDIS.allows():
        return None
    try:
        answer = call()
    except redis.RedisError as error:
        REDIS.record_failure()
        log.error("attempts are counted by this process alone: %s", error)
        return None
    REDIS.record_success()
    return answer


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1, retry=Retry(NoBackoff(), 0)
    )


@lru_cache(maxsize=4)
def _script(text: str) -> redis.commands.core.Script:
    return _client().register_script(text)
