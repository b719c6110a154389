"""The settings for quotes, and the next number."""

from __future__ import annotations

from django.db import transaction

from core.errors import NamedError
from core.types import JsonObject, Values
from crm.activities.text import one_line, several_lines
from crm.pipelines.models import Stage
from outreach.site.quotes.models import QuoteSettings
from outreach.site.quotes.selectors import quote_settings

DIGITS = 4


def read_settings() -> JsonObject:
    """Return the settings as the API shows them."""
    row = quote_settings()
    return {
        "prefix": row.prefix,
        "nextNumber": number_text(row.prefix, row.last_number + 1),
        "validDays": row.valid_days,
        "terms": row.terms,
        "movesAccepted": row.moves_accepted,
        "acceptedStage": row.accepted_stage_id,
        "declinedStage": row.declined_stage_id,
        "updatedAt": row.updated_at,
    }


@transaction.atomic
def change_settings(*, member_id: str, values: Values) -> None:
    """Change the given settings. Raises StageNotFound_404."""
    row = locked_settings()
    for name, field in (("accepted_stage", "acceptedStage"), ("declined_stage", "declinedStage")):
        if name not in values:
            continue
        stage_id = values[name]
        if stage_id and not Stage.objects.filter(pk=stage_id).exists():
            raise NamedError("StageNotFound_404", f"there is no stage {stage_id} in this company", field=field)
        setattr(row, f"{name}_id", stage_id)
    if "prefix" in values:
        row.prefix = one_line(values["prefix"])
    if "terms" in values:
        row.terms = several_lines(values["terms"])
    row.valid_days = values.get("valid_days", row.valid_days)
    row.moves_accepted = values.get("moves_accepted", row.moves_accepted)
    row.updated_by_id = member_id
    row.save()


def locked_settings() -> QuoteSettings:
    """Return the settings, locked until the transaction ends."""
    # Locked in a second step, since get_or_create may have just made the row.
    row, _ = QuoteSettings.objects.get_or_create()
    return QuoteSettings.objects.select_for_update(of=("self",)).get(pk=row.pk)


def take_number() -> str:
    """Take the next number of the company. The series has no gap: a number that is rolled back is taken again."""
    row = locked_settings()
    # Under the lock of the row: a rolled back transaction gives its number back, a sequence would not.
    row.last_number += 1
    row.save(update_fields=["last_number", "updated_at"])
    return number_text(row.prefix, row.last_number)


def number_text(prefix: str, number: int) -> str:
    """Write a number of the series."""
    return f"{prefix}{number:0{DIGITS}}"
