"""What files can be imported as: one entry for each import type."""

from __future__ import annotations

from crm.imports.kinds.base import ImportKind, Written
from crm.imports.kinds.contacts import ContactKind
from crm.imports.kinds.leads import LeadKind

IMPORT_KINDS: dict[str, ImportKind] = {kind.name: kind for kind in (ContactKind(), LeadKind())}
"""Import type -> kind."""

__all__ = ["IMPORT_KINDS", "ImportKind", "Written"]
