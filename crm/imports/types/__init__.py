"""The import types: one entry for each type of record that files can be imported as."""

from __future__ import annotations

from crm.imports.types.base import BatchResult, ImportType
from crm.imports.types.contacts import ContactImportType
from crm.imports.types.leads import LeadImportType
from crm.imports.types.organizations import OrganizationImportType

IMPORT_TYPES: dict[str, ImportType] = {
    kind.name: kind for kind in (ContactImportType(), LeadImportType(), OrganizationImportType())
}
"""Name of the type -> type."""

__all__ = ["IMPORT_TYPES", "ImportType", "BatchResult"]
