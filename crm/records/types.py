"""The registry of record types: each domain registers the type of its panel when the app is ready.

Bulk changes, undo, merges, segments, custom fields and exports read it, so a new kind of records is one registration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from core.api.output import Output
from core.lists import FieldSet
from core.types import Values
from crm.records.kinds import RecordKind
from crm.records.schema import RecordSchema
from crm.records.writes.bulk_change import ChangesById

LINKS = frozenset({"tags", "category", "productServices", "team", "teamMember", "contact", "organization", "owner"})
"""Names of changes that are no fields."""
Apply = Callable[[list[str]], ChangesById]
"""Changes a batch of locked records. Returns the changes of each."""


@dataclass(frozen=True, slots=True)
class RecordType:
    """A kind of records and the operations on it."""

    kind: RecordKind
    schema: type[RecordSchema]
    fields: FieldSet
    """The fields that their list is filtered, searched and sorted by."""
    output: type[Output]
    """A record as its list shows it."""
    prepare: Callable[[str | None, Values], Apply]
    """Reads a bulk change (JSON) of a member (id), in the transaction that applies it.

    Raises invalid input by its name.
    """
    judge: Callable[[ChangesById], Mapping[str, str]] = lambda moved: {}
    """Checks records after a bulk change: id -> warning. Raises the company's refusals."""
    judge_restored: Callable[[Collection[str]], Mapping[str, str]] = lambda ids: {}
    """Judges records (ids) that were restored, as `judge` does."""

    @property
    def changing(self) -> set[str]:
        """The names that the changes of an event about such a record may have."""
        columns = {column.api_name for column in self.kind.columns if column.api_name}
        return columns | set(self.schema.load().fields) | LINKS


RECORD_TYPES: dict[str, RecordType] = {}
"""Panel -> record type."""


def register_record_type(record_type: RecordType) -> None:
    """Register a record type."""
    RECORD_TYPES[record_type.kind.panel] = record_type


def kind_of(panel: str) -> RecordKind:
    """Return the kind of records of a panel."""
    return RECORD_TYPES[panel].kind
