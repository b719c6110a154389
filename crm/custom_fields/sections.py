"""Use cases of custom sections: titled groups of a panel's fields, in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError, shorten
from core.ids import is_id
from core.lists import BulkSelection
from core.types import Values
from crm.custom_fields.models import CustomSection
from crm.records.models import CustomField
from crm.records.ordering import reorder
from crm.records.writes.unique_names import save_unique_name

TAKEN = "CustomSectionNameAlreadyExists_400"
NOT_FOUND = "CustomSectionNotFound_400"
NONE_SELECTED = "NoCustomSectionSelected_400"


def check_section(panel: str, id: Any) -> None:
    """Refuse an id that belongs to no section of the panel.

    In a transaction the section stays locked against deletion until the end. Raises InvalidSectionId_400.
    """
    if is_id(id):
        with connection.cursor() as cursor:
            # KEY SHARE forbids deletion alone: fields of one section are created side by side.
            cursor.execute("SELECT id FROM crm_customsection WHERE id = %s AND panel = %s FOR KEY SHARE", [id, panel])
            if cursor.fetchone():
                return
    raise NamedError("InvalidSectionId_400", f"choose a section of the panel {panel}", field="section")


@transaction.atomic
def create_section(*, actor_id: str, values: Values) -> CustomSection:
    """Create a section, at the end of its panel unless `order` says otherwise.

    Raises InvalidPanel_400, CustomSectionNameAlreadyExists_400, PlanLimitExceeded_403.
    """
    reserve_quota("custom-section")
    section = CustomSection(created_by_id=actor_id, updated_by_id=actor_id, **values)
    if section.panel not in CustomField.Panel.values:
        raise NamedError(
            "InvalidPanel_400",
            f"one of {', '.join(CustomField.Panel.values)}, not {shorten(section.panel, 40)!r}",
            field="panel",
        )
    if section.order is None:
        section.order = (
            CustomSection.objects.filter(panel=section.panel).aggregate(last=Max("order"))["last"] or 0
        ) + 1
    save_unique_name(section, TAKEN)
    return section


@transaction.atomic
def update_section(*, id: str, actor_id: str, values: Values) -> CustomSection:
    """Change the given values of a section, except its panel.

    Raises CustomSectionNotFound_400, InvalidPanel_400, CustomSectionNameAlreadyExists_400.
    """
    section = CustomSection.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if section is None:
        raise not_found()
    if values.get("panel", section.panel) != section.panel:
        raise NamedError("InvalidPanel_400", f"the section belongs to {section.panel} and cannot move", field="panel")
    for name, value in values.items():
        setattr(section, name, value)
    section.updated_by_id = actor_id
    save_unique_name(section, TAKEN)
    return section


def not_found() -> NamedError:
    """Return the error of an id that belongs to no section of the company."""
    return NamedError(NOT_FOUND, "there is no such section in this company", field="id")


@transaction.atomic
def reorder_sections(*, actor_id: str, ids: Sequence[str]) -> list[str]:
    """Reorder sections of one panel. Sections that are not named follow in their present order.

    Returns all sections of the panel. Raises NoCustomSectionSelected_400, CustomSectionNotFound_400, InvalidPanel_400
    (of several panels).
    """
    if not ids:
        raise NamedError(NONE_SELECTED, "name the sections of a panel in their new order", field="ids")
    return reorder(CustomSection, ids, actor_id=actor_id, missing=NOT_FOUND)


@transaction.atomic
def delete_sections(*, selection: BulkSelection) -> int:
    """Delete the selected sections. Their fields stay, without section. Returns the number deleted.

    Raises CustomSectionNotFound_400 when ids name none.
    """
    ids = list(
        selection.apply(CustomSection.objects.select_for_update(of=("self",)))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    if not ids and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a section of this company", field="ids")
    CustomField.objects.filter(section__in=ids).update(section=None, updated_at=timezone.now())
    CustomSection.objects.filter(pk__in=ids).delete()
    return len(ids)
