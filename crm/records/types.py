"""The registry of record types: one entry for each panel, which its domain registers when the app is ready.

Bulk changes, undoing, merges, segments, custom fields and exports read it: a new kind of record is one registration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.api.output import Output
from core.lists import FieldSet
from crm.records.bulk_change import ChangesById
from crm.records.kinds import RecordKind
from crm.records.schema import RecordSchema

Apply = Callable[[list[str]], ChangesById]
"""Changes a batch of locked records; returns what is different about which."""


@dataclass(frozen=True, slots=True)
class RecordType:
    """A kind of records with what can be done with them."""

    kind: RecordKind
    schema: type[RecordSchema]
    fields: FieldSet
    """What their list is filtered, searched and sorted by."""
    output: type[Output]
    """A record as its list shows it."""
    prepare: Callable[[str | None, Mapping[str, Any]], Apply]
    """Reads a bulk change, which is JSON, for a member's id, in the transaction that applies it; raises what is wrong with it by name."""


RECORD_TYPES: dict[str, RecordType] = {}
"""Panel -> record type."""


def register_record_type(record_type: RecordType) -> None:
    """Make a kind of records known to all that deals with records of any kind."""
    RECORD_TYPES[record_type.kind.panel] = record_type


def kind_of(panel: str) -> RecordKind:
    """The kind of records of a panel."""
    return RECORD_TYPES[panel].kind
