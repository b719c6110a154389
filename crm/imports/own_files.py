"""Files that the product itself wrote: exports of contacts and leads, which are imported again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crm.contacts.kind import CONTACT
from crm.imports.models import Import
from crm.leads.kind import LEAD

OWN_TARGETS = {
    "contact": {
        "_id": "_id",
        "contactNumber": "number",
        "category.name": "category",
        "tags": "tags",
        **{key: key for key in CONTACT.system_columns},
    },
    "lead": {
        "_id": "_id",
        **{key: key for key in LEAD.system_columns},
        "contact.name": "name",
        "contact.email": "email",
        "contact.contactNumber": "number",
        "productServices": "productServices",
        "team.name": "team",
        "teamMember.name": "teamMember",
        "teamMember.email": "teamMember",
        "tags": "tags",
    },
}
"""Import type -> header of an export, besides those of custom fields -> target. Of two with one target the later
counts."""

ExportColumns = Callable[[str], Sequence[tuple[str, ...]]]
"""Takes a list's name. Returns the names of each column of its export: the header, and of a custom field its key."""
_sources: list[ExportColumns] = []


def register_export_columns(columns: ExportColumns) -> None:
    """Register the function that knows the columns of exports; called when the app is ready."""
    _sources[:] = [columns]


def is_own(job: Import) -> bool:
    """Return whether an export of these records would write all of the file's headers."""
    return bool(job.headers) and set(job.headers) <= own_headers(job.import_type)


def own_headers(import_type: str) -> set[str]:
    """Return the headers that an export of the records writes."""
    return {names[0] for names in _columns(import_type)}


def own_mapping(import_type: str, headers: Sequence[str]) -> dict[str, str]:
    """Return header -> target of the columns that are an export's, as it writes them today."""
    targets = OWN_TARGETS[import_type]
    columns = {names[0]: names for names in _columns(import_type)}
    by_target = {targets[header]: header for header in targets if header in headers and header in columns}
    for header in headers:
        names = columns.get(header, ())
        if len(names) > 1 and header not in targets:  # a custom field
            by_target[names[1]] = header
    found = {header: target for target, header in by_target.items()}
    return {header: found[header] for header in headers if header in found}


def _columns(import_type: str) -> Sequence[tuple[str, ...]]:
    return _sources[0](import_type) if _sources else ()
