"""The reset of system fields to their initial state."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from django.db import transaction
from django.db.models import F

from core.access.own_records import require_all_records
from core.errors import NamedError, shorten
from core.types import JsonObject
from crm.custom_fields.added_fields import seed_system_fields
from crm.custom_fields.system_fields import (
    CHANGEABLE_OPTIONS,
    SYSTEM_FIELDS,
    check_options,
    system_options_changed,
)
from crm.custom_fields.validation import save_field
from crm.records.locks import lock_fields
from crm.records.models import CustomField

RESET_ATTRIBUTES = (
    "description",
    "section",
    "hide",
    "only_show_table",
    "required",
    "placeholder",
    "helper",
    "default_value",
    "options",
    "children",
)
"""Attributes that a reset restores in addition to those in SYSTEM_FIELDS."""


@transaction.atomic
def reset_system(*, actor_id: str, panel: str | None = None) -> list[str]:
    """Restore the initial state of the system fields of a panel, or of all. Return their ids in order.

    Raises InvalidPanel_400, and CustomFieldNameAlreadyExists_400 if one of the company's own fields has the name.
    Raises InvalidSystemField_400 if live leads have a status or source that would no longer be an option.
    """
    if panel is not None and panel not in SYSTEM_FIELDS:
        raise NamedError(
            "InvalidPanel_400", f"one of {', '.join(SYSTEM_FIELDS)}, not {shorten(panel, 40)!r}", field="panel"
        )
    require_all_records()
    lock_fields()
    seed_system_fields()
    panels = [panel] if panel else list(SYSTEM_FIELDS)
    rows = (
        CustomField.objects.select_for_update(of=("self",), no_key=True)
        .filter(is_system=True, panel__in=panels)
        .order_by("pk")
    )
    present = {(field.panel, field.unique_field_id): field for field in rows}
    resets = [
        (present[name, values["unique_field_id"]], values, order)
        for name in panels
        for order, values in _initial_fields(name)
    ]
    CustomField.objects.filter(pk__in=[field.pk for field, *_ in resets]).update(
        name=F("id")
    )  # so that they can swap their names
    for field, values, order in resets:
        before, blank = field.options, CustomField()
        for name in RESET_ATTRIBUTES:
            setattr(field, name, getattr(blank, name))
        for name, value in {**copy.deepcopy(values), "order": order, "updated_by_id": actor_id}.items():
            setattr(field, name, value)
        if (field.panel, field.unique_field_id) in CHANGEABLE_OPTIONS:
            check_options(field, before)
        save_field(field)
    system_options_changed.send()
    return [field.pk for field, *_ in resets]


def _initial_fields(panel: str) -> Iterator[tuple[int, JsonObject]]:
    return enumerate(SYSTEM_FIELDS[panel], start=1)
