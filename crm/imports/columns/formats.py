"""Formats of the values in an import's file: from its options, else as detected, else the company's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from django.db.models.functions import Lower

from accounts.companies.country import default_country
from accounts.models import Member
from accounts.settings.formats import formats_of
from core.tenancy import company_id
from core.text.formats import Formats
from core.types import JsonObject
from crm.field_types import FIELD_TYPES, FieldSpec, TextFormat
from crm.field_types.dates import format_of
from crm.imports.columns.evidence import Clock, OwnFormat, Verdict, evidence_of, judge
from crm.imports.columns.mapping import is_new
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.types.base import NEW_FIELD
from crm.records.schema import RecordSchema

NUMBERS, DATES = "number", "date"
KEPT = "settings"
"""The key of Import.detected for the company's settings."""


def text_format(job: Import, options: Options, schema: RecordSchema) -> TextFormat:
    """Return how the file's values are written, with a format of its own for each column that needs one."""
    settings = _settings(job)
    formats = settings.formats
    specs = list(_mapped_fields(job, schema))
    base = TextFormat(
        date_format=options.date_format,
        decimal_mark=options.decimal_mark,
        time_zone=options.time_zone or _zone(job, formats),
        country=options.country or settings.country,
        currency=formats.currency,
        members=member_ids() if any(_names_members(spec) for _, spec in specs) else None,
    )
    verdicts = _verdicts(job, formats)
    fields = {
        spec.key: replace(
            base,
            decimal_mark=options.decimal_mark or verdicts[header].decimal_mark,
            date_order=verdicts[header].date_order,
            day_numbers=verdicts[header].day_numbers,
        )
        for header, spec in specs
        if header in verdicts
    }
    return replace(base, fields=fields or None)


@dataclass(frozen=True, slots=True)
class _Settings:
    """The company's settings at the time when the file was read or its options were given."""

    formats: Formats
    country: str


def _settings(job: Import) -> _Settings:
    """Return the company's settings that the import keeps, so that all of its rows are read as the check read them."""
    kept = job.detected.get(KEPT)
    if kept is None:
        return _Settings(formats_of(company_id()), default_country())
    return _Settings(Formats(**kept["formats"]), kept["country"])


def forget_settings(job: Import) -> None:
    """Take the company's present settings when the import is next judged."""
    job.detected.pop(KEPT, None)


def detect(job: Import, schema: RecordSchema) -> None:
    """Set the import's `detected` from its options, its columns and the company's settings."""
    options = Options.from_stored(job.options)
    settings = _settings(job)
    formats = settings.formats
    verdicts = _verdicts(job, formats)
    kinds = {header: _kind(spec) for header, spec in _mapped_fields(job, schema)} | dict(_new_kinds(job))
    numbers = [verdicts[header] for header, kind in kinds.items() if kind == NUMBERS and header in verdicts]
    dates = [verdicts[header] for header, kind in kinds.items() if kind == DATES and header in verdicts]
    job.detected = {
        **job.detected,
        "decimalMark": options.decimal_mark or _common_value(verdict.decimal_mark for verdict in numbers),
        "dateFormat": options.date_format or _common_value(verdict.date_format for verdict in dates),
        "timeZone": options.time_zone or _zone(job, formats),
        "country": options.country or settings.country or None,
        "ambiguous": list(_ambiguous(kinds, verdicts, options)),
        "assumed": list(_assumptions(kinds, verdicts, options)),
        KEPT: {"formats": asdict(formats), "country": settings.country},
    }


def _ambiguous(kinds: Mapping[str, str], verdicts: Mapping[str, Verdict], options: Options) -> Iterator[JsonObject]:
    for header, verdict in verdicts.items():
        kind = kinds.get(header)
        if kind == NUMBERS and verdict.open_numbers and not options.decimal_mark:
            yield {"column": header, "option": "decimalMark", "examples": list(verdict.open_numbers)}
        elif kind == DATES and verdict.open_dates and not options.date_format:
            yield {"column": header, "option": "dateFormat", "examples": list(verdict.open_dates)}


def _assumptions(kinds: Mapping[str, str], verdicts: Mapping[str, Verdict], options: Options) -> Iterator[JsonObject]:
    for header, verdict in verdicts.items():
        if kinds.get(header) == DATES and verdict.assumed_dates and not options.date_format:
            yield {
                "column": header,
                "option": "dateFormat",
                "value": verdict.date_format,
                "examples": list(verdict.assumed_dates),
            }


def _zone(job: Import, formats: Formats) -> str:
    """Return the zone of the file's times: that of the export that wrote it, or else the company's."""
    return str((job.detected.get("writtenWith") or {}).get("timezone") or formats.timezone)


def _common_value(values: Iterator[str]) -> str | None:
    """Return the one value that all columns with a value share."""
    distinct = {value for value in values if value}
    return distinct.pop() if len(distinct) == 1 else None


def _mapped_fields(job: Import, schema: RecordSchema) -> Iterator[tuple[str, FieldSpec]]:
    """Yield the header and the field of each column that is mapped to one."""
    for header, key in job.column_mapping.items():
        spec = schema.fields.get(key) or schema.system_fields.get(key)
        if spec is not None:
            yield header, spec


def _new_kinds(job: Import) -> Iterator[tuple[str, str]]:
    """Yield the header and the kind of each column that becomes a new field of numbers or days."""
    by_header = dict(zip(job.headers, job.columns, strict=False))
    for header, key in job.column_mapping.items():
        fact = by_header.get(header)
        if fact is None or not is_new(key):
            continue
        field_type = key.removeprefix(NEW_FIELD) or fact["fieldType"]
        own = field_type == fact["fieldType"]
        name = fact["valueType"] if own else FIELD_TYPES[field_type].value_types[0]
        if name in (NUMBERS, DATES):
            yield header, name


def _kind(spec: FieldSpec) -> str:
    name = spec.value_type.name
    return name if name in (NUMBERS, DATES) and not spec.options else ""


def _verdicts(job: Import, formats: Formats) -> Mapping[str, Verdict]:
    columns = evidence_of(job.detected)
    if not columns:
        return {}
    return judge(columns, _own_format(job, formats))


def _own_format(job: Import, formats: Formats) -> OwnFormat | None:
    """Return the date format of a file that the product has written, or may have written."""
    written_with = job.detected.get("writtenWith")
    if written_with is None:
        return None
    written = replace(formats, **written_with)
    form = format_of(written.date_format)
    separator = next((mark for mark in "/.-" if mark in form.text), "")
    clock: Clock = "12" if "a" in written.time_format else "24"
    return OwnFormat(separator, form.order, clock, known=bool(written_with)) if separator else None


def _names_members(spec: FieldSpec) -> bool:
    return spec.value_type.name == "member"


def member_ids() -> dict[str, str]:
    """Return address, name or _id in lower case -> _id; without the names that several members share."""
    rows = list(Member.objects.annotate(lower=Lower("name")).values_list("pk", "email", "lower"))
    names: dict[str, str] = {}
    for pk, _, name in rows:
        names[name] = "" if name in names else pk
    by_name = {name: pk for name, pk in names.items() if name and pk}
    return by_name | {email.lower(): pk for pk, email, _ in rows} | {pk: pk for pk, *_ in rows}
