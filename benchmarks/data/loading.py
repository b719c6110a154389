"""COPY into company-owned tables, which PostgreSQL refuses under row-level security."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

from core.tenancy import use_owner_role

CONTACT_TABLES = ("crm_contact", "crm_customfieldvalue", "crm_contacttag", "core_event")
"""The tables that the write of a contact changes."""


@contextmanager
def exempt_owner(tables: Sequence[str]) -> Iterator[None]:
    """Exempt the tables' owner from their policies inside the block."""
    _alter(tables, "NO FORCE ROW LEVEL SECURITY")
    try:
        yield
    finally:
        _alter(tables, "FORCE ROW LEVEL SECURITY")


def _alter(tables: Sequence[str], change: str) -> None:
    with use_owner_role(), connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'ALTER TABLE "{table}" {change}')


@contextmanager
def bare(tables: Sequence[str]) -> Iterator[None]:
    """Drop the tables' references, and the indexes that nothing depends on, inside the block, for fast loading."""
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid = ANY(%s::text[]::regclass[])",
            [list(tables)],
        )
        references = cursor.fetchall()
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid)"
            " FROM pg_index i WHERE indrelid = ANY(%s::text[]::regclass[])"
            " AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)",
            [list(tables)],
        )
        indexes = cursor.fetchall()
        for table, name, _ in references:
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
    yield
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            cursor.execute(definition)
        for table, name, definition in references:
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        cursor.execute("RESET maintenance_work_mem")


def copy_rows(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """COPY the rows into the table as its owner (inside exempt_owner)."""
    with (
        use_owner_role(),
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def vacuum() -> None:
    """Update statistics and visibility maps of all tables, as autovacuum does in production."""
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
