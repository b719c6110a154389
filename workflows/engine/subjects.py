"""The records of runs: their values, their locks, and their deletions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crm.contacts.models import Contact
from crm.leads.models import Lead
from workflows.expressions.records import values_of

Subject = tuple[str | None, str | None]
"""Contact and lead of a run."""


def lock_contacts(ids: Iterable[str], *, write: bool) -> dict[str, tuple[bool, str | None]]:
    """Return id -> whether the contact is deleted, and the one that it was merged into.

    With `write` the contacts stay locked, in the order of their ids. Contacts locked by others are omitted, so that no
    deadlock is possible.
    """
    rows = Contact.objects.filter(pk__in=sorted(set(ids))).order_by("pk")
    rows = rows.select_for_update(of=("self",), no_key=True, skip_locked=True) if write else rows
    return {id: (is_deleted, heir) for id, is_deleted, heir in rows.values_list("pk", "is_deleted", "merged_into_id")}


def lock_leads(ids: Iterable[str], *, write: bool) -> dict[str, tuple[bool, str | None]]:
    """Return id -> whether the lead is deleted, and the one that it was merged into, as lock_contacts does."""
    rows = Lead.objects.filter(pk__in=sorted(set(ids))).order_by("pk")
    rows = rows.select_for_update(of=("self",), no_key=True, skip_locked=True) if write else rows
    return {id: (is_deleted, heir) for id, is_deleted, heir in rows.values_list("pk", "is_deleted", "merged_into_id")}


def contacts_of_leads(ids: Iterable[str]) -> Mapping[str, str]:
    """Return lead -> its contact."""
    return dict(Lead.objects.filter(pk__in=sorted(set(ids))).order_by().values_list("pk", "contact_id"))


def organizations_of(subjects: Iterable[Subject]) -> dict[Subject, str | None]:
    """Return subject -> its organization: that of the lead, or else that of the contact."""
    pairs = list(subjects)
    contact_ids = sorted({contact for contact, _ in pairs if contact})
    lead_ids = sorted({lead for _, lead in pairs if lead})
    of_contacts = dict(Contact.objects.filter(pk__in=contact_ids).order_by().values_list("pk", "organization_id"))
    of_leads = dict(Lead.objects.filter(pk__in=lead_ids).order_by().values_list("pk", "organization_id"))
    return {(contact, lead): of_leads.get(lead or "") or of_contacts.get(contact or "") for contact, lead in pairs}


__all__ = ["Subject", "contacts_of_leads", "lock_contacts", "lock_leads", "organizations_of", "values_of"]
