"""Limits on attempts (log in, register, ask for a link), counted in Redis in one step each."""

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
GIVE_BACK = """
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
"""


class TooManyAttempts(ApiError):
    """429, with the seconds to wait."""

    status = 429
    message = "Too many attempts"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} seconds")
        self.retry_after = seconds


@dataclass(frozen=True)
class Limit:
    """At most `most` attempts within `seconds` of the first one, for each value of what is counted."""

    name: str
    most: int
    seconds: int

    def _key(self, value: str) -> str:
        return f"leadwright:attempts:{self.name}:{lookup_hash(value)}"

    def count(self, value: str) -> None:
        """Count an attempt; raises TooManyAttempts when it is one too many. Without Redis nobody is kept out."""
        try:
            used, left = _script(COUNT)(keys=[self._key(value)], args=[self.seconds * 1000])
        except redis.RedisError as error:
            log.error("attempts at %s are not limited: %s", self.name, error)
            return
        if used > self.most:
            raise TooManyAttempts(max(1, -(-int(left) // 1000)))

    def has_room(self, value: str) -> bool:
        """Count an attempt; whether it was one of those that are allowed."""
        try:
            self.count(value)
        except TooManyAttempts:
            return False
        return True

    def give_back(self, value: str) -> None:
        """Take one attempt back, since it went well; the others stay counted."""
        try:
            _script(GIVE_BACK)(keys=[self._key(value)])
        except redis.RedisError as error:
            log.error("an attempt at %s is not taken back: %s", self.name, error)

    def forgive(self, value: str) -> None:
        """Forget the attempts, after one that went well."""
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
