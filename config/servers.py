"""The addresses of PostgreSQL and Redis: from the environment, else those of the embedded servers. No Django here."""

from __future__ import annotations

import os
from importlib import import_module
from urllib.parse import parse_qs, urlsplit

from config.data_dir import data_dir


def database_url() -> str:
    """Return DATABASE_URL, or the address of the embedded PostgreSQL. Starts nothing."""
    return os.environ.get("DATABASE_URL") or _embedded("postgres")


def redis_url() -> str:
    """Return REDIS_URL, or the address of the embedded Redis in redis-py's form. Starts nothing."""
    return os.environ.get("REDIS_URL") or _embedded("redis")


def celery_url(address: str) -> str:
    """Return a Redis address in Celery's form: a socket has another scheme and another name for the database number."""
    parts = urlsplit(address)
    if parts.scheme != "unix":
        return address
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={number}"


def _embedded(server: str) -> str:
    # Imported by name, so that a deployment with servers of its own never loads config.local.
    url: str = import_module(f"config.local.embedded.{server}").url(data_dir())
    return url
