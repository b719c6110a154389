"""The import types: one entry for each type of record that files can be imported as."""

from __future__ import annotations

from crm.imports.kinds.base import ImportKind, Written
from crm.imports.kinds.contacts import ContactKind
from crm.imports.kinds.leads import LeadKind

IMPORT_KINDS: dict[str, ImportKind] = {kind.name: kind for kind in (ContactKind(), LeadKind())}
"""Name of the type -> type."""

__all__ = ["IMPORT_KINDS", "ImportKind", "Written"]
