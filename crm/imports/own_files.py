"""Files that the product itself wrote: exports of contacts and leads, which are imported again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from core.hooks import Hook
from core.ids import is_id
from core.text.formats import DATE_PATTERNS, Formats
from crm.contacts.kind import CONTACT
from crm.imports.models import Import
from crm.imports.types.base import RECORD_ID
from crm.leads.kind import LEAD
from crm.organizations.kind import ORGANIZATION
from crm.records.schema import RecordSchema

OWN_TARGETS = {
    "contact": {
        "_id": "_id",
        "contactNumber": "number",
        "category.name": "category",
        "organization.name": "organization",
        "owner.name": "owner",
        "owner.email": "owner",
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
        "organization.name": "organization",
        "pipeline.name": "pipeline",
        "stage.name": "stage",
        "lostReason.name": "lostReason",
        "expectedCloseAt": "expectedCloseAt",
        "tags": "tags",
    },
    "organization": {
        "_id": "_id",
        **{key: key for key in ORGANIZATION.system_columns},
        "owner.name": "owner",
        "owner.email": "owner",
        "tags": "tags",
    },
}
"""Import type -> header of an export, in addition to those of custom fields -> target. Of two with one target the
later counts."""

export_columns: Hook[[str], Sequence[tuple[str, ...]]] = Hook(
    __name__,
    "export_columns",
    "When an import's file may be an export of a list (name). Returns the names of each column of the list's export:"
    " the header, and of a custom field its key.",
)
export_formats: Hook[[str, Mapping[str, str]], dict[str, str]] = Hook(
    __name__,
    "export_formats",
    "When an import's file (hashes) may be an export of a list (name). Returns the formats of the export that wrote the"
    " file, if any did.",
)
CREATED = "createdAt"
_CLOCK = re.compile(r" \d{2}:\d{2}(?: [AP]M)?$", re.ASCII)


def is_own(job: Import) -> bool:
    """Return whether an export of these records would write all of the file's headers, of which one is no custom
    field's."""
    headers = set(job.headers)
    return not headers.isdisjoint(OWN_TARGETS[job.import_type]) and headers <= own_headers(job.import_type)


def written_with(job: Import, schema: RecordSchema) -> dict[str, str] | None:
    """Return the formats with which the product wrote the import's file, in the names of Formats.

    Empty if nobody knows them: the file is taken for an export by its headers alone. None for any other file, and for
    an export of another company. An export that a worker made is known by its content; others show in which format
    they write when their records were created.
    """
    formats = export_formats.first(job.import_type, job.file.hashes)
    if formats:
        return formats
    if not is_own(job):
        return None
    if RECORD_ID not in job.headers:
        return {}
    place = job.headers.index(RECORD_ID)
    rows = {row[place]: row for row in job.sample if place < len(row) and is_id(row[place])}
    created = dict(schema.kind.live().filter(pk__in=rows).values_list("pk", "created_at"))
    if rows and not created:
        return None
    if not created or CREATED not in job.headers:
        return {}
    place = job.headers.index(CREATED)
    fits = [
        name
        for name in DATE_PATTERNS
        if all(_distinguishes_format(rows[pk][place], name, created[pk]) for pk in created)
    ]
    return {"date_format": fits[0]} if len(fits) == 1 else {}


def _distinguishes_format(text: Any, date_format: str, moment: datetime) -> bool:
    """Return whether the text, read in this format and in some time zone, is the day of this time."""
    day = Formats(date_format=date_format).read_date(_CLOCK.sub("", str(text)))
    return day is not None and abs(day - moment.date()) <= timedelta(days=1)


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
    targets_by_header = {header: target for target, header in by_target.items()}
    return {header: targets_by_header[header] for header in headers if header in targets_by_header}


def _columns(import_type: str) -> Sequence[tuple[str, ...]]:
    return export_columns.first(import_type) or ()
