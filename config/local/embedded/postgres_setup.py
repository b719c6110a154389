"""The superuser's setup of the embedded database: the application's role, its database, leakproof functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql

from config.leakproof import mark_leakproof, not_leakproof
from config.local.embedded.places import PORT

SUPERUSER = "postgres"
ROLE = "leadwright"
DATABASE = "leadwright"


def set_up(run: Path) -> None:
    """Set up the running server for the application. One short query suffices if that has been done.

    template1 comes first, since every later database, also of tests, is a copy of it. An interrupted setup is repeated.
    """
    try:
        with _connect(run, DATABASE) as connection:
            if not not_leakproof(connection):
                return
    except psycopg.OperationalError:
        pass  # There is no database yet; a broken server fails again below.
    with _connect(run, "template1") as connection:
        mark_leakproof(connection)
        _create_role(connection)
    with _connect(run, "postgres") as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(ROLE))
            )
    with _connect(run, DATABASE) as connection:
        mark_leakproof(connection)


def _connect(run: Path, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=os.fspath(run), port=PORT, user=SUPERUSER, dbname=database, autocommit=True, connect_timeout=10
    )


def _create_role(connection: psycopg.Connection) -> None:
    """Create the application's login role.

    It may create databases (tests) and roles (tenancy). It is no superuser, so row-level security applies to it.
    """
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
        with connection.transaction():
            for statement in _ROLE_STATEMENTS:
                connection.execute(sql.SQL(statement).format(sql.Identifier(ROLE)))


_ROLE_STATEMENTS: tuple[LiteralString, ...] = (
    "CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS CREATEDB CREATEROLE",
    # A migration may create a role and SET ROLE to it. It inherits none, so that it sees no row without that.
    "ALTER ROLE {} SET createrole_self_grant = 'set'",
)
