"""The journal of changes: the versions of records before a bulk change, from which the change can be undone by batches.

    ids = …                        # live or deleted, of one kind; the caller has locked their rows in the order of ids
    journal.before(CONTACT, ids, Source.bulk_job(job.pk))
    …                              # the change: rows, custom values, tags, products
    journal.after(CONTACT, ids, Source.bulk_job(job.pk))

    restored = journal.restore(CONTACT, Source.bulk_job(job.pk), ids, actor_id=…)

All of it happens in the caller's transaction. A record may be journaled for the same source several times: changes by
others in between count as part of the earlier version. Records that an import creates carry its id and need no journal
unless the import updates them as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple, Self

import orjson
from django.db import connection
from django.db.models import GeneratedField
from django.utils import timezone

from core.ids import new_id
from core.tenancy import company_id
from core.types import JsonObject
from crm.bulk_jobs.history.restore import JournalEntry, RestoreResult, restore_batch
from crm.bulk_jobs.history.three_way_merge import CHANGED_AT, merge_versions
from crm.records.kinds import RecordKind
from crm.records.pending import present_custom

MODIFIED_SINCE = "{}"
"""`after` of a record that the source created and that has been changed since."""


class Source(NamedTuple):
    """The source of a change: the journal's reference to it, and its id."""

    column: str
    id: str

    @classmethod
    def bulk_job(cls, id: str) -> Self:
        return cls("bulk_job_id", id)

    @classmethod
    def import_job(cls, id: str) -> Self:
        return cls("import_job_id", id)

    @classmethod
    def merge(cls, id: str) -> Self:
        return cls("merge_id", id)


_changing: ContextVar[Source | None] = ContextVar("changing", default=None)
"""The source of the change that is being applied."""


@contextmanager
def apply_journaled(source: Source) -> Iterator[None]:
    """Attribute the records that `journal_created` gets inside of the block to the source."""
    token = _changing.set(source)
    try:
        yield
    finally:
        _changing.reset(token)


def journal_created(kind: RecordKind, ids: Sequence[str]) -> None:
    """Journal new records of the change that is being applied; undoing it deletes them."""
    source = _changing.get()
    if source is None or not ids:
        return
    now = timezone.now()
    rows = orjson.dumps([{"id": new_id(), "record": id} for id in ids]).decode()
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO crm_journal (id, created_at, updated_at, company_id, panel, {source.column}, record_id)"
            " SELECT id, %s, %s, %s, %s, %s, record FROM json_to_recordset(%s::json) AS given (id text, record text)",
            [now, now, company_id(), kind.panel, source.id, rows],
        )


def record_before(kind: RecordKind, ids: Sequence[str], source: Source) -> None:
    """Journal the present versions of the records; call it before they are changed."""
    if not ids:
        return
    is_created = _created_by_source("r", kind, source)
    statement = f"""
        INSERT INTO crm_journal
            (id, created_at, updated_at, company_id, panel, {source.column}, record_id, before, after)
        SELECT given.id, %(now)s, %(now)s, %(company)s, %(panel)s, %(source)s, r.id,
            CASE WHEN NOT {is_created} THEN {_snapshot(kind)} END,
            CASE WHEN {is_created} AND r.updated_at <> r.created_at THEN '{MODIFIED_SINCE}'::jsonb END
        FROM json_to_recordset(%(rows)s::json) AS given (id text, record text)
            JOIN {kind.table} r ON r.id = given.record
        ON CONFLICT DO NOTHING RETURNING record_id
    """
    rows = orjson.dumps([{"id": new_id(), "record": id} for id in ids]).decode()
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {"now": timezone.now(), "company": company_id(), "panel": kind.panel, "source": source.id, "rows": rows},
        )
        # ON CONFLICT DO NOTHING left out what the source has journaled before,
        # whose version must not be replaced.
        noted = {id for (id,) in cursor.fetchall()}
    if len(noted) < len(ids):
        _rebase(kind, [id for id in ids if id not in noted], source)


def record_after(kind: RecordKind, ids: Sequence[str], source: Source) -> None:
    """Complete the entries of `before` once the records are changed; entries of unchanged records are deleted."""
    if not ids:
        return
    # Only the differences: the rest is in `before` already.
    links = "".join(
        f" || CASE WHEN now.version -> '{name}' <> j.before -> '{name}' THEN jsonb_build_object('{name}', now.version"
        f" -> '{name}') ELSE '{{}}' END"
        for name, *_ in kind.links
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
WITH now AS MATERIALIZED (  -- once a record, however often it is named below
                SELECT r.id, {_snapshot(kind)} AS version FROM {kind.table} r WHERE r.id = ANY(%(ids)s)
            )
            UPDATE crm_journal j SET updated_at = %(now)s, after = CASE WHEN j.before IS NULL
                THEN jsonb_build_object('row', jsonb_build_object('updated_at', now.version -> 'row' -> 'updated_at'))
                ELSE jsonb_build_object('row', (
                    SELECT coalesce(jsonb_object_agg(key, value), '{{}}') FROM jsonb_each(now.version -> 'row')
                    WHERE value IS DISTINCT FROM j.before -> 'row' -> key)){links} END
            FROM now WHERE {_by_source("j", source)} AND j.record_id = ANY(%(ids)s) AND j.record_id = now.id
                AND j.after IS DISTINCT FROM '{MODIFIED_SINCE}'
            """,
            {"now": timezone.now(), "ids": list(ids), "source": source.id, "panel": kind.panel},
        )
        cursor.execute(
            f"DELETE FROM crm_journal j WHERE {_by_source('j', source)} AND j.record_id = ANY(%(ids)s)"
            """ AND j.before IS NOT NULL AND j.after = '{"row": {}}'""",
            {"ids": list(ids), "source": source.id, "panel": kind.panel},
        )


def restore(kind: RecordKind, source: Source, ids: Sequence[str], *, actor_id: str | None) -> RestoreResult:
    """Restore the records to their versions before the source changed them, and delete those that it created.

    A column, custom value or link that was changed later stays and is listed in `kept`. A record without other changes
    becomes byte for byte the former one. A record whose unique key another live record has taken stays as it is and is
    listed in `taken`.

    The function locks the rows in the order of their ids; the caller owns the transaction and emits the events.
    """
    if not ids:
        return RestoreResult()
    entries = _entries(kind, ids, source)
    noted = {entry.id for entry in entries}
    if source.column == "import_job_id":
        entries += _made_by_import(kind, [id for id in ids if id not in noted], source)
    return restore_batch(kind, entries, lambda entry_ids: versions(kind, entry_ids, lock=True), actor_id)


def revive(kind: RecordKind, ids: Sequence[str], *, actor_id: str | None) -> RestoreResult:
    """Restore deleted records as they are, like `restore`. Call the schema's lock_unique_values before the rows are
    locked."""
    present = versions(kind, ids, lock=True)
    entries = []
    for id, version in present.items():
        row = version["row"]
        # A restoring is an undoing of the deletion alone, so the same code
        # merges it with what has changed since.
        live = {**version, "row": {**row, "is_deleted": False, "deleted_at": None}}
        # The record gets a new time of change if this one differs from the present one.
        deletion = {"is_deleted": row["is_deleted"], "deleted_at": row["deleted_at"], CHANGED_AT: None}
        entries.append(JournalEntry(id, live, {"row": deletion}, timezone.now()))
    return restore_batch(kind, entries, lambda entry_ids: present, actor_id)


def versions(kind: RecordKind, ids: Sequence[str], *, lock: bool = False) -> dict[str, JsonObject]:
    """Return the present versions of the records by their ids (crm.bulk_jobs.history.three_way_merge)."""
    with connection.cursor() as cursor:
        if lock:  # a query of its own, so that the read sees what the last holder of the lock has written
            cursor.execute(f"SELECT id FROM {kind.table} WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE", [list(ids)])
        cursor.execute(f"SELECT r.id, ({_snapshot(kind)})::text FROM {kind.table} r WHERE r.id = ANY(%s)", [list(ids)])
        return {id: orjson.loads(version) for id, version in cursor.fetchall()}


def _entries(kind: RecordKind, ids: Sequence[str], source: Source) -> list[JournalEntry]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT j.record_id, j.before::text, j.after::text, j.created_at FROM crm_journal j"
            f" WHERE {_by_source('j', source)} AND j.record_id = ANY(%(ids)s)",
            {"ids": list(ids), "source": source.id, "panel": kind.panel},
        )
        return [
            JournalEntry(record, orjson.loads(was or "null"), orjson.loads(then or "null"), at)
            for record, was, then, at in cursor.fetchall()
        ]


def _rebase(kind: RecordKind, ids: Sequence[str], source: Source) -> None:
    """Journal records for the source once more: `before` becomes the version that they would have now without the
    source."""
    with connection.cursor() as cursor:
        present, rows = versions(kind, ids), []
        for id, stored, changed, _ in _entries(kind, ids, source):
            if id not in present:
                continue
            if stored is not None and changed is not None:
                rows.append({"id": id, "before": _without(stored, changed, present[id], kind), "after": None})
            elif stored is None and changed and changed["row"][CHANGED_AT] != present[id]["row"][CHANGED_AT]:
                rows.append({"id": id, "before": None, "after": {}})
        cursor.execute(
            f"UPDATE crm_journal j SET before = new.before, after = new.after"
            f" FROM json_to_recordset(%(rows)s::json) AS new (id text, before jsonb, after jsonb)"
            f" WHERE {_by_source('j', source)} AND j.record_id = new.id",
            {"rows": orjson.dumps(rows).decode(), "source": source.id, "panel": kind.panel},
        )


def _without(was: JsonObject, then: JsonObject, present: JsonObject, kind: RecordKind) -> JsonObject:
    """Return the version that the record would have if only others had changed it."""
    merged = merge_versions(kind, was, then, present, lambda key, value: True)
    version: JsonObject = {"row": merged.row}
    for name, *_ in kind.links:
        links = [link for link in present[name] if link["id"] not in merged.removed.get(name, ())]
        version[name] = sorted([*links, *merged.added.get(name, ())], key=lambda link: link["id"])
    return version


def _made_by_import(kind: RecordKind, ids: Sequence[str], source: Source) -> list[JournalEntry]:
    """Return the records that the import created and that have no journal."""
    created_ids = kind.model._default_manager.filter(pk__in=ids, import_job_id=source.id).values_list("pk", flat=True)
    return [JournalEntry(id, None, None, timezone.now()) for id in created_ids]


@cache
def row_columns(kind: RecordKind) -> tuple[str, ...]:
    """Return the columns of a record that a journal keeps."""
    fields = kind.model._meta.local_concrete_fields
    kept = [str(field.column) for field in fields if not isinstance(field, GeneratedField)]
    return tuple(column for column in kept if column not in kind.derived_columns)


@cache
def _decimals(kind: RecordKind) -> tuple[str, ...]:
    fields = kind.model._meta.local_concrete_fields
    return tuple(str(field.column) for field in fields if field.get_internal_type() == "DecimalField")


@cache
def _snapshot(kind: RecordKind) -> str:
    """Return the SQL of the version of the record `r`. It holds decimals as text, since a float would round them."""
    expressions = {name: f"r.{name}::text AS {name}" for name in _decimals(kind)}
    expressions["custom"] = f"{present_custom('r')} AS custom"
    columns = ", ".join(expressions.get(name, f"r.{name}") for name in row_columns(kind))
    parts = [f"'row', (SELECT to_jsonb(x) FROM (SELECT {columns}) AS x)"]
    for name, table, _ in kind.links:
        links = (
            f"SELECT jsonb_agg(to_jsonb(l) ORDER BY l.id) FROM {table._meta.db_table} l WHERE l.{kind.column} = r.id"
        )
        parts.append(f"'{name}', coalesce(({links}), '[]')")
    return f"jsonb_build_object({', '.join(parts)})"


def _by_source(alias: str, source: Source) -> str:
    return f"{alias}.{source.column} = %(source)s AND {alias}.panel = %(panel)s"


def _created_by_source(alias: str, kind: RecordKind, source: Source) -> str:
    """Return the SQL of whether the source created the record."""
    if source.column == "import_job_id" and "import_job_id" in row_columns(kind):
        return f"({alias}.import_job_id IS NOT DISTINCT FROM %(source)s)"
    return "false"


__all__ = [
    "RestoreResult",
    "Source",
    "record_after",
    "record_before",
    "apply_journaled",
    "journal_created",
    "restore",
    "revive",
    "row_columns",
    "versions",
]
