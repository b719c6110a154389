"""The addresses of PostgreSQL and Redis: from the environment, else those of the embedded servers. No Django here."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from config.data_dir import data_dir

DEFAULT_PORT = 8000


def database_url() -> str:
    """Return DATABASE_URL, or the address of the embedded PostgreSQL. Starts nothing."""
    return os.environ.get("DATABASE_URL") or _embedded_url("postgres")


def redis_url() -> str:
    """Return REDIS_URL, or the address of the embedded Redis in redis-py's form. Starts nothing."""
    return os.environ.get("REDIS_URL") or _embedded_url("redis")


def web_port() -> int:
    """Return the port of a running `make run` on this data directory, so that other commands know the address.

    Otherwise the default.
    """
    try:
        port_values = json.loads(port_note(data_dir()).read_text())
        os.kill(port_values["supervisor"], 0)
        return int(port_values["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_PORT


def note_port(data: Path, port: int) -> None:
    """Note the port of this process's `make run`."""
    port_note(data).write_text(json.dumps({"supervisor": os.getpid(), "port": port}))


def port_note(data: Path) -> Path:
    """Return the file of the note."""
    return data / "port.json"


def celery_url(address: str) -> str:
    """Return a Redis address in Celery's form: a socket has another scheme and another name for the database number."""
    parts = urlsplit(address)
    if parts.scheme != "unix":
        return address
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={number}"


def _embedded_url(server: str) -> str:
    # Imported by name, so that a deployment with servers of its own never loads config.local.
    url: str = import_module(f"config.local.embedded.{server}").url(data_dir())
    return url
