"""Rewrite the trigrams of records from before the folding of texts (docs/decisions/0032).

Until then a record is found as before: ignoring case, but only by its own accents.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection, transaction

BATCH = 2000
"""Number of records checked in one transaction. Only texts beyond ASCII are rewritten."""


@dataclass(frozen=True)
class Table:
    """A table with trigrams: its key, and the columns from which they are built."""

    key: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def stale(self) -> str:
        """Return the condition on records whose trigrams may be outdated."""
        content = f"concat({', '.join(self.texts)})"
        return f"(octet_length({content}) <> length({content}) OR strpos({content}, '`') > 0)"


TABLES = {
    "crm_contact": Table(("id",), ("name", "email", "country_code", "number", "contact_number")),
    "crm_lead": Table(("id",), ("notes", "status", "source")),
    "crm_organization": Table(("id",), ("name", "domain")),
    "crm_productservice": Table(("id",), ("description", "name", "sku", "category")),
    "crm_customfieldvalue": Table(("contact_id", "field_id", "position"), ("text",)),
    "crm_leadvalue": Table(("lead_id", "field_id", "position"), ("text",)),
    "crm_organizationvalue": Table(("organization_id", "field_id", "position"), ("text",)),
    "crm_productservicevalue": Table(("product_service_id", "field_id", "position"), ("text",)),
}


def fold_old_records() -> bool:
    """Write the trigrams of the next BATCH records again. Returns whether there are more."""
    with transaction.atomic(), connection.cursor() as cursor:
        # The row is the lock: workers take turns, and each goes on from the
        # place that the last one committed.
        cursor.execute("SELECT table_name, place FROM core_searchbackfill ORDER BY table_name LIMIT 1 FOR UPDATE")
        row = cursor.fetchone()
        if row is None:
            return False
        name, place = row
        end = _fold(name, place)
        if end is None:
            cursor.execute("DELETE FROM core_searchbackfill WHERE table_name = %s", [name])
        else:
            cursor.execute("UPDATE core_searchbackfill SET place = %s WHERE table_name = %s", [end, name])
    return True


def _fold(name: str, place: list[str]) -> list[str] | None:
    """Write the trigrams of BATCH records after the place again. Returns the last one's place; None: no more follow."""
    table = TABLES[name]
    key, after = ", ".join(table.key), _key_condition(table, ">") if place else "true"
    with connection.cursor() as cursor:
        # The end of the batch is read first, by the primary key alone: an UPDATE has no LIMIT.
        cursor.execute(f"SELECT {key} FROM {name} WHERE {after} ORDER BY {key} OFFSET {BATCH - 1} LIMIT 1", place)
        last = cursor.fetchone()
        end = None if last is None else [str(value) for value in last]
        until = "true" if end is None else _key_condition(table, "<=")
        # A generated column is computed when a column that it is made of is written, if only with the same value.
        cursor.execute(
            f"UPDATE {name} SET {table.texts[0]} = {table.texts[0]} WHERE {after} AND {until} AND {table.stale}",
            [*place, *(end or ())],
        )
    return end


def _key_condition(table: Table, operator: str) -> str:
    values = ", ".join("%s::smallint" if column == "position" else "%s" for column in table.key)
    return f"({', '.join(table.key)}) {operator} ({values})"
