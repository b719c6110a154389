"""Liveness of workers: a worker process is alive as long as it holds its advisory lock.

The lock has its own connection. The operating system closes the sockets of a killed process, which frees everything
that it had claimed at once.
"""

from __future__ import annotations

import os
import random
import socket
import threading

import psycopg
from django.db import connection

from core.types import JsonObject

NAMESPACE = 0x4C57
"""The first key of the workers' two-key advisory locks."""

ALIVE = (
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

_lock = threading.Lock()
_held: tuple[int, psycopg.Connection, int] | None = None


def worker_number() -> int:
    """Return this process's number. Takes a new lock after a fork or a lost connection."""
    global _held
    with _lock:
        if _held is not None and _held[0] == os.getpid() and _answers(_held[1]):
            return _held[2]
        session = _connect()
        while True:
            number = random.SystemRandom().randrange(1, 2**31)
            row = session.execute("SELECT pg_try_advisory_lock(%s, %s)", (NAMESPACE, number)).fetchone()
            if row and row[0]:
                break
        _held = (os.getpid(), session, number)
        return number


def release_lock() -> None:
    """Release this process's lock, so that others take over its work."""
    global _held
    with _lock:
        if _held is not None and _held[0] == os.getpid():
            _held[1].close()
        _held = None


def connection_parameters(purpose: str) -> JsonObject:
    """Return the parameters of an extra connection of this process, outside of Django, whose name states the
    purpose."""
    parameters = {
        key: value
        for key, value in connection.get_connection_params().items()
        if key not in ("cursor_factory", "context", "prepare_threshold", "application_name")
    }
    name = f"leadwright {purpose} {socket.gethostname()}:{os.getpid()}"[:63]
    return {**parameters, "application_name": name}


def _connect() -> psycopg.Connection:
    return psycopg.connect(**connection_parameters("worker"), autocommit=True)


def _answers(session: psycopg.Connection) -> bool:
    try:
        session.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True
