"""The consumer of activities does not wait for changes of records that are not committed yet."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from core.events import deliver, emit
from core.lists import BulkSelection
from core.tenancy import company_scope
from crm.bulk_jobs.restore_jobs import restore_many
from crm.contacts.bulk import delete_contacts, update_many
from crm.contacts.kind import CONTACT
from crm.contacts.services import update_contact
from crm.leads.bulk import update_many as update_leads
from crm.leads.relations import Relations
from crm.leads.services import create_lead
from crm.models import Lead, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory

Change = Callable[[str, Lead], Any]
CHANGES: dict[str, Change] = {
    "many contacts": lambda actor, lead: update_many(
        actor_id=actor, selection=BulkSelection.of_ids([lead.contact_id]), form_data={"name": "Bea"}
    ),
    "deletion": lambda actor, lead: delete_contacts(actor_id=actor, selection=BulkSelection.of_ids([lead.contact_id])),
    "many leads": lambda actor, lead: update_leads(
        actor_id=actor, selection=BulkSelection.of_ids([lead.pk]), form_data={"notes": "x"}
    ),
    "one contact": lambda actor, lead: update_contact(
        id=lead.contact_id, actor_id=actor, form_data={"email": "other@example.org"}
    ),
    "new lead": lambda actor, lead: create_lead(
        actor_id=actor, form_data={"notes": "x"}, relations=Relations(contact=lead.contact_id), existing_error=False
    ),
}


def hold(cast: Cast, lead: Lead, change: Change, changed: threading.Event, over: threading.Event) -> None:
    """Make the change, and commit it when the test is over."""
    try:
        with cast.scope(), transaction.atomic():
            change(cast.owner.pk, lead)
            changed.set()
            assert over.wait(20)
    finally:
        connection.close()


def change_both(*pairs: tuple[Cast, Lead]) -> None:
    """Tell of a change of the lead and of its contact in each company."""
    for cast, lead in pairs:
        with cast.scope(), transaction.atomic():
            changes = {lead.contact_id: {"changes": {"name": {"from": "a", "to": "b"}}}}
            emit("contact.updated", [lead.contact_id], payloads=changes)
            emit("lead.updated", [lead.pk], payloads={lead.pk: {"changes": {"value": {"from": 1, "to": 2}}}})


def delivered(*casts: Cast) -> list[int]:
    """Deliver what there is. Returns the companies' numbers of activities."""
    try:
        deliver()
        return [_count(cast.company.pk) for cast in casts]
    finally:
        connection.close()


def _count(company: str) -> int:
    with company_scope(company):
        return LeadActivity.objects.count()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", CHANGES)
def test_activities_are_written_while_a_change_is_not_committed(name: str) -> None:
    pairs = []
    for cast in (make_cast(), make_cast()):
        with cast.scope():
            pairs.append((cast, LeadFactory()))
    ours, theirs = pairs
    change_both(ours, theirs)
    changed, over = threading.Event(), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(hold, *ours, CHANGES[name], changed, over)
        try:
            assert changed.wait(10)
            told = pool.submit(delivered, ours[0], theirs[0])
            assert told.result(timeout=10) == [2, 2]
        finally:
            over.set()
        holding.result(timeout=20)


@pytest.mark.django_db(transaction=True)
def test_activities_are_written_while_records_are_restored() -> None:
    cast, other = make_cast(), make_cast()
    with cast.scope():
        lead = LeadFactory()
        delete_contacts(actor_id=cast.owner.pk, selection=BulkSelection.of_ids([lead.contact_id]))
    with other.scope():
        theirs = LeadFactory()
    deliver()
    change_both((cast, lead), (other, theirs))
    changed, over = threading.Event(), threading.Event()

    def restore(actor: str, lead: Lead) -> Any:
        return restore_many(CONTACT, actor_id=actor, selection=BulkSelection.of_ids([lead.contact_id]))

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(hold, cast, lead, restore, changed, over)
        try:
            assert changed.wait(10)
            assert pool.submit(delivered, cast, other).result(timeout=10) == [3, 2]
        finally:
            over.set()
        holding.result(timeout=20)
