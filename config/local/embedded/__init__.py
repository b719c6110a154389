"""PostgreSQL and Redis without installing anything: servers from packages, on sockets below LEADWRIGHT_DATA.

DATABASE_URL and REDIS_URL replace them by real servers. Pure Python, no Django: the settings import this package.
"""

from __future__ import annotations

import os
from pathlib import Path

from config.local.embedded import postgres, redis
from config.local.embedded.errors import EmbeddedServerError
from config.local.embedded.leakproof import LEAKPROOF_FUNCTIONS, not_leakproof
from config.local.embedded.places import data_dir, make_data_dir
from config.local.embedded.throwaway import Servers, temporary

__all__ = [
    "LEAKPROOF_FUNCTIONS",
    "EmbeddedServerError",
    "Servers",
    "celery_url",
    "data_dir",
    "database_url",
    "ensure_postgres",
    "ensure_redis",
    "make_data_dir",
    "not_leakproof",
    "redis_url",
    "stop_postgres",
    "stop_redis",
    "temporary",
]


def database_url() -> str:
    """DATABASE_URL, or the address of the embedded database; starts nothing."""
    return os.environ.get("DATABASE_URL") or postgres.url(data_dir())


def redis_url() -> str:
    """REDIS_URL, or the address of the embedded Redis as redis-py wants it; starts nothing."""
    return os.environ.get("REDIS_URL") or redis.url(data_dir())


def celery_url() -> str:
    """The same Redis as Celery wants it."""
    return redis.celery_form(redis_url())


def ensure_postgres(data: Path) -> str:
    """Start the embedded PostgreSQL of a data directory unless it runs; its address. Raises EmbeddedServerError."""
    return postgres.ensure(data)


def ensure_redis(data: Path) -> str:
    """Start the embedded Redis of a data directory unless it runs; its address. Raises EmbeddedServerError."""
    return redis.ensure(data)


def stop_postgres(data: Path) -> bool:
    """Stop the embedded PostgreSQL of a data directory; False when none ran."""
    return postgres.stop(data)


def stop_redis(data: Path) -> bool:
    """Stop the embedded Redis of a data directory; False when none ran."""
    return redis.stop(data)
