"""Restore journaled records (crm.bulk_jobs.history.journal), a batch with one statement for each table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.access import remaining_quota
from core.fields import CompanyForeignKey
from core.types import JsonObject, Values
from crm.bulk_jobs.history.three_way_merge import CHANGED_AT, CHANGED_BY, CUSTOM, MergedRecord, is_same, merge_versions
from crm.field_types import BadValue, FieldSpec
from crm.records.kinds import RecordKind
from crm.records.models import CustomField
from crm.records.pending import write_pending
from crm.records.schema import RecordSchema
from crm.records.types import RECORD_TYPES
from crm.records.values import add_values, remove_values
from crm.records.writes.updates import Changes

MAX_ROUNDS = 5
PLACES = ("pipeline_id", "stage_id")
"""Columns of a record's place, for which there may be another one (RecordSchema.place_of)."""


class JournalEntry(NamedTuple):
    """An entry of the journal. Without `before` the source created the record; the record is untouched if its time is
    that of `after`, or the time of its creation where `after` is null too."""

    id: str
    before: JsonObject | None
    after: JsonObject | None
    at: datetime


@dataclass(slots=True)
class RestoreResult:
    """The outcome of restoring records.

    `changed` (id -> differences, named as in the API) includes the `revived` records, which were deleted before, and
    those `deleted_again`. Records in `deleted` had been created by the source. In `kept` are the later changes that
    stay (id -> names).

    Records left alone are in `taken` (id -> part of the unique key that another record has now). Others are in
    `over_quota` (deleted records beyond the plan's limit) and `missing` (permanently deleted).
    """

    changed: dict[str, Changes] = field(default_factory=dict)
    revived: set[str] = field(default_factory=set)
    deleted_again: set[str] = field(default_factory=set)
    deleted: list[str] = field(default_factory=list)
    kept: dict[str, list[str]] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    over_quota: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)
    """Records that have another place, since their own, such as a stage, has been deleted."""

    def add(self, other: RestoreResult) -> RestoreResult:
        """Add the outcome of other records."""
        for name in self.__dataclass_fields__:
            mine = getattr(self, name)
            mine.extend(getattr(other, name)) if isinstance(mine, list) else mine.update(getattr(other, name))
        return self


def restore_batch(
    kind: RecordKind,
    entries: Sequence[JournalEntry],
    load: Callable[[Sequence[str]], Mapping[str, JsonObject]],
    actor_id: str | None,
) -> RestoreResult:
    """Restore the journaled records in the caller's transaction. `load` returns and locks their present versions.

    Inside of core.access.limited_creation only as many deleted records come back as the plan allows.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("restore_batch() needs a transaction around it")
    schema = RECORD_TYPES[kind.panel].schema.load()
    schema.lock_references()
    schema.lock_unique_values()
    # Before the rows are locked, as writers of new records do.
    quota = remaining_quota(kind.resource) if any(map(_revives, entries)) else None
    present = load([entry.id for entry in entries])
    write_pending(schema, list(present))
    for _ in range(MAX_ROUNDS):
        try:
            # A unique key that another record has taken undoes the batch; a further round leaves its value out.
            with transaction.atomic():
                return _Batch(kind, schema, present, actor_id, quota).write(entries)
        except IntegrityError as error:
            if not kind.violates_unique(error):
                raise
            continue  # another writer has taken a key since the check
    raise RuntimeError("other writers kept taking the unique keys of these records")


def _revives(entry: JournalEntry) -> bool:
    """Return whether restoring the entry may bring a deleted record back."""
    return entry.before is not None and "is_deleted" in (entry.after or {}).get("row", {})


@dataclass(slots=True)
class _Batch:
    """One attempt to restore a batch."""

    kind: RecordKind
    schema: RecordSchema
    present: Mapping[str, JsonObject]
    actor_id: str | None
    quota: int | None = None
    """Number of deleted records that may be restored; None: all."""
    result: RestoreResult = field(default_factory=RestoreResult)

    def write(self, entries: Sequence[JournalEntry]) -> RestoreResult:
        result, now = self.result, timezone.now()
        result.missing = [entry.id for entry in entries if entry.id not in self.present]
        there = [entry for entry in entries if entry.id in self.present]
        self._delete([entry for entry in there if entry.before is None], now)
        records = self._merge([entry for entry in there if entry.before is not None])
        self._refuse_dangling(records)
        self._place_revived(there, records)
        # Checked before the write, so that one taken key costs one record. The
        # unique index is the last resort.
        result.taken = _key_conflicts(self.schema, {id: record for id, record in records.items() if record.row_differs})
        records = {id: record for id, record in records.items() if id not in result.taken}
        if self.quota is not None:
            # In the order of the ids, so that a repeated call restores the same ones.
            result.over_quota = [id for id, record in sorted(records.items()) if record.revives][self.quota :]
            records = {id: record for id, record in records.items() if id not in set(result.over_quota)}
        result.kept |= {
            id: [self.kind.name_of(name) for name in record.kept] for id, record in records.items() if record.kept
        }
        different = {id: record for id, record in sorted(records.items()) if record.differs}
        for record in different.values():
            if not record.untouched:
                record.row[CHANGED_AT] = now.isoformat()
                record.row[CHANGED_BY] = self.actor_id
        self._write_links(different.values())
        self._write_values(different)
        self._write_rows(different)
        result.changed = {id: _changes(self.schema, record) for id, record in different.items()}
        result.revived = {id for id, record in different.items() if record.revives}
        result.deleted_again = {
            id for id, record in different.items() if record.row["is_deleted"] and not record.present["is_deleted"]
        }
        return result

    def _delete(self, entries: Iterable[JournalEntry], now: datetime) -> None:
        """Delete the records that the source created, unless they have been changed since or live records refer to
        them."""
        entries = [entry for entry in entries if not self.present[entry.id]["row"]["is_deleted"]]
        used = _in_use(self.kind, [entry.id for entry in entries])
        for entry in entries:
            row = self.present[entry.id]["row"]
            then = row["created_at"] if entry.after is None else entry.after.get("row", {}).get(CHANGED_AT)
            # Keep records that members have edited since the import.
            if row[CHANGED_AT] == then and entry.id not in used:
                self.result.deleted.append(entry.id)
            else:
                self.result.kept[entry.id] = ["_id"]
        if self.result.deleted:
            self.kind.model._default_manager.filter(pk__in=self.result.deleted).update(
                is_deleted=True, deleted_at=now, updated_at=now, updated_by_id=self.actor_id
            )

    def _merge(self, changed: Sequence[JournalEntry]) -> dict[str, MergedRecord]:
        if not changed:
            return {}
        schema = self.schema
        # A field may have other options or another type by now. Its old values
        # are checked before they come back.
        redefined = set(
            CustomField.objects.filter(
                panel=self.kind.panel, is_system=False, updated_at__gt=min(entry.at for entry in changed)
            ).values_list("unique_field_id", flat=True)
        )

        def fits(key: str, value: Any) -> bool | None:
            spec = schema.fields.get(key)
            return None if spec is None else key not in redefined or value is None or _accepts(spec, value)

        return {
            entry.id: merge_versions(
                self.kind, entry.before or {}, entry.after or {"row": {}}, self.present[entry.id], fits
            )
            for entry in changed
        }

    def _refuse_dangling(self, records: Mapping[str, MergedRecord]) -> None:
        """Keep the present value if the record that the old one refers to is gone; lock the existing ones until the
        caller's transaction ends."""
        for reference in self.kind.model._meta.local_concrete_fields:
            if not isinstance(reference, CompanyForeignKey):
                continue
            column = reference.column
            moved = [
                record
                for record in records.values()
                if record.row.get(column) and record.row[column] != record.present[column]
            ]
            # Locked as a foreign key's check would lock them, but before the write: a missing one costs its
            # value only, instead of the whole statement.
            there = _lock_present(reference.related_model, {record.row[column] for record in moved})
            for record in moved:
                if record.row[column] not in there and not self._place(record, column):
                    record.drop_reference(column)
            if column == PLACES[-1]:
                for record in moved:
                    if record.row[column] in there:
                        self._place(record)  # its stage may have become one of another kind
        for name, table, target in self.kind.links:
            model: Any = next(f.related_model for f in table._meta.local_concrete_fields if f.column == target)
            gained = [record for record in records.values() if record.added.get(name)]
            there = _lock_present(model, {link[target] for record in gained for link in record.added[name]})
            for record in gained:
                links = [link for link in record.added[name] if link[target] in there]
                if len(links) < len(record.added[name]) and name not in record.kept:
                    record.kept.append(name)
                record.added[name] = links
                if not links:
                    del record.added[name]

    def _place(self, record: MergedRecord, gone: str = "") -> bool:
        """Give the record another place if its own is gone, such as a stage. Return whether it has another one."""
        if gone and gone not in PLACES:
            return False
        # The stages of a pipeline go with it.
        columns = PLACES[PLACES.index(gone) :] if gone else ()
        place = self.schema.place_of({**record.row, **dict.fromkeys(columns)})
        if place:
            record.row |= place
            record.untouched = False
            self.result.placed.append(record.row["id"])
        return bool(place)

    def _place_revived(self, entries: Iterable[JournalEntry], records: Mapping[str, MergedRecord]) -> None:
        """Place the revived records, and note those that have another place than before: theirs was deleted."""
        for entry in entries:
            record = records.get(entry.id)
            if record is None or not record.revives or self._place(record):
                continue
            was = (entry.before or {}).get("row", {})
            if any(was.get(column) != record.row.get(column) for column in PLACES):
                self.result.placed.append(entry.id)

    def _write_links(self, records: Iterable[MergedRecord]) -> None:
        records = list(records)
        for name, table, _ in self.kind.links:
            gone = [id for record in records for id in record.removed.get(name, ())]
            back = [link for record in records for link in record.added.get(name, ())]
            db_table = table._meta.db_table
            with connection.cursor() as cursor:
                if gone:
                    cursor.execute(f"DELETE FROM {db_table} WHERE id = ANY(%s)", [gone])
                if back:
                    rows = f"SELECT * FROM jsonb_populate_recordset(NULL::{db_table}, %s::jsonb)"
                    cursor.execute(
                        f"INSERT INTO {db_table} {rows} ON CONFLICT DO NOTHING", [orjson.dumps(back).decode()]
                    )

    def _write_values(self, records: Mapping[str, MergedRecord]) -> None:
        """Write the typed rows of the custom values that differ now."""
        fields = self.schema.fields
        moved = {id: [key for key in record.custom_keys if key in fields] for id, record in records.items()}
        remove_values(self.kind, [(id, fields[key].id) for id, keys in moved.items() for key in keys])
        add_values(
            self.schema,
            [
                (id, {key: records[id].row[CUSTOM][key] for key in keys if key in records[id].row[CUSTOM]})
                for id, keys in moved.items()
            ],
        )

    def _write_rows(self, records: Mapping[str, MergedRecord]) -> None:
        if not records:
            return
        kind, schema = self.kind, self.schema
        rows = [record.row for record in records.values()]
        with connection.cursor() as cursor:
            derived = list(schema.derive(rows[0]))
            if derived:
                # Release keys first, so that records of the batch can exchange them.
                freed = [
                    id
                    for id, record in records.items()
                    if _claims(schema, record.present) - _claims(schema, record.row)
                ]
                if freed:
                    nulls = ", ".join(f"{column} = NULL" for column in derived)
                    cursor.execute(f"UPDATE {kind.table} SET {nulls} WHERE id = ANY(%s)", [freed])
                rows = [schema.derive(row) | row for row in rows]
            columns = [column for column in rows[0] if column not in ("id", "company_id", "created_at")]
            cursor.execute(
                f"UPDATE {kind.table} r SET {', '.join(f'{column} = new.{column}' for column in columns)}"
                f" FROM jsonb_populate_recordset(NULL::{kind.table}, %s::jsonb) AS new WHERE r.id = new.id",
                [orjson.dumps(rows).decode()],
            )


def _in_use(kind: RecordKind, ids: list[str]) -> set[str]:
    """Return those of the records that live ones refer to by the relations of `protected_by`."""
    used_ids: set[str] = set()
    for name in kind.protected_by if ids else ():
        relation: Any = kind.model._meta.get_field(name)
        column = relation.field.attname
        rows = relation.related_model._default_manager.filter(**{f"{column}__in": ids}, is_deleted=False)
        used_ids |= set(rows.values_list(column, flat=True))
    return used_ids


def _lock_present(model: Any, ids: Collection[str]) -> set[str]:
    """Return those of the ids that exist, and lock them against deletion until the transaction ends."""
    if not ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM {model._meta.db_table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [sorted(ids)]
        )
        return {id for (id,) in cursor.fetchall()}


def _claims(schema: RecordSchema, row: Values) -> set[tuple[str, str]]:
    """Return the unique keys of the record while it is live, as (part, key)."""
    return set() if row["is_deleted"] else set(schema.claims(row).items())


def _holders(kind: RecordKind, claims: Collection[tuple[str, str]], others: Collection[str]) -> set[tuple[str, str]]:
    """Return those of the claims that live records other than `others` hold."""
    held: set[tuple[str, str]] = set()
    with connection.cursor() as cursor:
        for part, column in kind.unique.items():
            keys = [key for name, key in claims if name == part]
            if keys:
                cursor.execute(
                    f"SELECT {column} FROM {kind.table} WHERE company_id = current_setting('app.company') AND NOT"
                    f" is_deleted AND {column} = ANY(%s) AND id <> ALL(%s)",
                    [keys, list(others)],
                )
                held |= {(part, key) for (key,) in cursor.fetchall()}
    return held


def _key_conflicts(schema: RecordSchema, records: Mapping[str, MergedRecord]) -> dict[str, str]:
    """Return the records that cannot be restored because another live record has their unique key: id -> part of the
    key."""
    claims = {id: _claims(schema, record.row) for id, record in records.items()}
    present = {id: _claims(schema, record.present) for id, record in records.items()}
    gained = {claim for id in records for claim in claims[id] - present[id]}
    if not gained:
        return {}
    held = _holders(schema.kind, gained, list(records))
    taken: dict[str, str] = {}
    while True:
        # A record that is not restored keeps its present key, which may block others of the batch, and so on.
        users: dict[tuple[str, str], set[str]] = {}
        for id in records:
            for claim in present[id] if id in taken else claims[id]:
                users.setdefault(claim, set()).add(id)
        blocked = {}
        for id in sorted(records.keys() - taken.keys()):
            for claim in sorted(claims[id] - present[id]):
                first = min(users[claim], key=lambda user: (user not in taken, claim not in present[user], user))
                if claim in held or first != id:
                    blocked[id] = claim[0]
        if not blocked:
            return taken
        taken |= blocked


def _changes(schema: RecordSchema, record: MergedRecord) -> Changes:
    """Return the differences of the record, as events report them."""
    changes: Changes = {
        name: {"from": record.present[column], "to": record.row[column]}
        for column, name in schema.names.items()
        if column in record.row and record.row[column] != record.present[column]
    }
    now, was = record.row.get(CUSTOM, {}), record.present.get(CUSTOM, {})
    changes |= {key: {"from": was.get(key), "to": now.get(key)} for key in record.custom_keys}
    for name, _, target in schema.kind.links:
        if name in record.added:
            changes.setdefault(name, {})["added"] = [link[target] for link in record.added[name]]
        if name in record.removed:
            changes.setdefault(name, {})["removed"] = list(record.removed[name].values())
    return changes


def _accepts(spec: FieldSpec, value: Any) -> bool:
    try:
        return is_same(spec.clean(value), value)
    except BadValue:
        return False
