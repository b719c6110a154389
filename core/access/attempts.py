"""Limits on attempts (log in, register, request a link), each counted by one atomic Redis script."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache

import redis
from django.conf import settings

from core.crypto import lookup_hash
from core.errors import ApiError

log = logging.getLogger(__name__)

COUNT = """
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
"""
REFUND = """
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
"""


class TooManyAttempts(ApiError):
    """Too many attempts: 429, with the seconds to wait."""

    status = 429
    message = "Too many attempts"

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
        return f"leadwright:attempts:{self.name}:{lookup_hash(value)}"

    def count(self, value: str) -> None:
        """Count an attempt. Raises TooManyAttempts above the limit. Without Redis nothing is limited."""
        try:
            used, left = _script(COUNT)(keys=[self._key(value)], args=[self.seconds * 1000])
        except redis.RedisError as error:
            log.error("attempts at %s are not limited: %s", self.name, error)
            return
        if used > self.most:
            raise TooManyAttempts(max(1, -(-int(left) // 1000)))

    def try_count(self, value: str) -> bool:
        """Count an attempt. Returns whether it is within the limit."""
        try:
            self.count(value)
        except TooManyAttempts:
            return False
        return True

    def refund(self, value: str) -> None:
        """Uncount one attempt, which succeeded. The others stay counted."""
        try:
            _script(REFUND)(keys=[self._key(value)])
        except redis.RedisError as error:
            log.error("an attempt at %s is not taken back: %s", self.name, error)

    def reset(self, value: str) -> None:
        """Forget all attempts, after one that succeeded."""
        try:
            _client().delete(self._key(value))
        except redis.RedisError as error:
            log.error("attempts at %s are not forgotten: %s", self.name, error)


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1)


@lru_cache(maxsize=4)
def _script(text: str) -> redis.commands.core.Script:
    return _client().register_script(text)
