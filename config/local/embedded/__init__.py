"""PostgreSQL and Redis without an installation: servers from Python packages, on sockets below LEADWRIGHT_DATA.

A deployment sets DATABASE_URL and REDIS_URL instead (config.servers). No Django here: the settings read the addresses.
"""

from __future__ import annotations

from pathlib import Path

from config.local.embedded import postgres, redis
from config.local.embedded.errors import EmbeddedServerError
from config.local.embedded.throwaway import Servers, temporary_servers

__all__ = [
    "EmbeddedServerError",
    "Servers",
    "ensure_postgres",
    "ensure_redis",
    "stop_postgres",
    "stop_redis",
    "temporary_servers",
]


def ensure_postgres(data: Path) -> str:
    """Start the embedded PostgreSQL of a data directory unless it runs. Returns its address.

    Raises EmbeddedServerError.
    """
    return postgres.ensure(data)


def ensure_redis(data: Path) -> str:
    """Start the embedded Redis of a data directory unless it runs. Returns its address.

    Raises EmbeddedServerError.
    """
    return redis.ensure(data)


def stop_postgres(data: Path) -> bool:
    """Stop the embedded PostgreSQL of a data directory. Returns whether one ran."""
    return postgres.stop(data)


def stop_redis(data: Path) -> bool:
    """Stop the embedded Redis of a data directory. Returns whether one ran."""
    return redis.stop(data)
