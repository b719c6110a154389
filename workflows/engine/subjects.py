"""The records that runs are about, as their expressions see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crm.contacts.models import Contact
from crm.leads.models import Lead
from crm.records.types import kind_of
from crm.records.updates import event_value


def values_of(panel: str, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return id -> the values of the records by their names in the API, custom ones by their keys."""
    kind = kind_of(panel)
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    names = {column.name: column.api_name for column in kind.columns if column.api_name}
    rows = kind.model._default_manager.filter(pk__in=wanted).order_by().values("id", "created_at", "custom", *names)
    return {
        row["id"]: {
            **row["custom"],
            **{name: event_value(row[column]) for column, name in names.items()},
            "_id": row["id"],
            "createdAt": event_value(row["created_at"]),
        }
        for row in rows
    }


def lock_contacts(ids: Iterable[str], *, write: bool) -> dict[str, tuple[bool, str | None]]:
    """Return id -> whether the contact is deleted, and the one that it was merged into.

    With `write` the contacts stay locked, in the order of their ids; those that others hold are left out, so that
    nobody waits for whom he hinders.
    """
    rows = Contact.objects.filter(pk__in=sorted(set(ids))).order_by("pk")
    rows = rows.select_for_update(of=("self",), no_key=True, skip_locked=True) if write else rows
    return {id: (gone, heir) for id, gone, heir in rows.values_list("pk", "is_deleted", "merged_into_id")}


def lock_leads(ids: Iterable[str], *, write: bool) -> dict[str, tuple[bool, str | None]]:
    """Return id -> whether the lead is deleted, and the one that it was merged into, as lock_contacts does."""
    rows = Lead.objects.filter(pk__in=sorted(set(ids))).order_by("pk")
    rows = rows.select_for_update(of=("self",), no_key=True, skip_locked=True) if write else rows
    return {id: (gone, heir) for id, gone, heir in rows.values_list("pk", "is_deleted", "merged_into_id")}


def contacts_of_leads(ids: Iterable[str]) -> Mapping[str, str]:
    """Return lead -> its contact."""
    return dict(Lead.objects.filter(pk__in=sorted(set(ids))).order_by().values_list("pk", "contact_id"))
