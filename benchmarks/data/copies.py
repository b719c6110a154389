"""Copies of the benchmarks' database: to write into, or to compare with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.db import connection
from psycopg import sql

from benchmarks import raw


@contextmanager
def clone() -> Iterator[str]:
    """Clone the database. Yields the clone's name, and drops it at the end."""
    name = connection.settings_dict["NAME"]
    copy = f"{name}_copy"
    with _server() as server:
        # Earlier benchmarks leave sessions behind, such as that of the request log's thread, which opens a new one.
        _end_sessions(server, name)
        server.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(copy), sql.Identifier(name)
            )
        )
    try:
        yield copy
    finally:
        with _server() as server:
            _end_sessions(server, copy)
            server.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(copy)))


@contextmanager
def on_a_copy() -> Iterator[None]:
    """Run the block, and the processes that it starts, on a clone of the database, so that what they write is gone."""
    settings, address = connection.settings_dict, os.environ["DATABASE_URL"]
    name = settings["NAME"]
    with clone() as copy:
        settings["NAME"] = copy
        os.environ["DATABASE_URL"] = urlsplit(address)._replace(path=f"/{copy}").geturl()
        try:
            yield
        finally:
            connection.close()
            settings["NAME"], os.environ["DATABASE_URL"] = name, address


def _end_sessions(server: psycopg.Connection[Any], name: str) -> None:
    """End a database's sessions but for autovacuum's, which belong to no role: CREATE and DROP DATABASE end those."""
    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename IS NOT NULL", [name]
    )


def _server() -> psycopg.Connection[Any]:
    """Connect to another database of the server, and close ours, since a database in use cannot be cloned."""
    connection.close()
    return psycopg.connect(**{**raw.parameters(), "dbname": "postgres"}, autocommit=True)
