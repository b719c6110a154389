"""Leads written while their team is deleted, and jobs that undo while others change the same records"""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.db import transaction

from core.lists import BulkSelection
from core.tenancy import company_scope
from crm.bulk_jobs.history import restore
from crm.bulk_jobs.undo import undo_bulk_job
from crm.contacts.bulk import delete_contacts, update_many
from crm.leads import bulk as lead_bulk
from crm.leads import services as lead_services
from crm.leads.relations import Relations
from crm.leads.services import create_lead
from crm.merging import services as merge_services
from crm.merging.services import merge_records
from crm.models import BulkJob, Contact, Lead, Team
from crm.teams.services import delete_teams
from tests.crm.bulk_jobs.helpers import work
from tests.crm.contacts.helpers import add_field
from tests.crm.leads.helpers import default_team, team_of
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.threads import at_once


@pytest.mark.django_db(transaction=True)
def test_a_lead_and_the_deletion_of_its_team_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    cast, looked = make_cast(), threading.Event()
    with cast.scope():
        general, north, south = default_team().pk, team_of("North").pk, team_of("South").pk
        contacts = [ContactFactory().pk for _ in range(2)]
    look = lead_services.missing_references

    def slow_look(rows: object) -> object:
        found = look(rows)  # type: ignore[arg-type]
        looked.set()
        time.sleep(0.5)
        return found

    def write(n: int) -> object:
        if n == 0:
            return create_lead(
                actor_id=cast.owner.pk, form_data={}, relations=Relations(contact=contacts[0], team=north)
            ).id
        assert looked.wait(10)
        return delete_teams(actor_id=cast.owner.pk, selection=BulkSelection.parse({"ids": [north]}, {}, None))  # type: ignore[arg-type]

    monkeypatch.setattr(lead_services, "missing_references", slow_look)
    lead, deleted = at_once(2, cast.company.pk, write)
    monkeypatch.undo()
    with cast.scope():
        assert (deleted, Lead.objects.get(pk=lead).team_id) == (1, general)
    held = threading.Event()

    def other_way(n: int) -> object:
        if n == 0:
            with transaction.atomic():
                delete_teams(actor_id=cast.owner.pk, selection=BulkSelection.parse({"ids": [south]}, {}, None))  # type: ignore[arg-type]
                held.set()
                time.sleep(0.5)
            return "deleted"
        assert held.wait(10)
        return create_lead(
            actor_id=cast.owner.pk, form_data={}, relations=Relations(contact=contacts[1], team=south)
        ).id

    assert at_once(2, cast.company.pk, other_way) == ["deleted", "TeamNotFound_400"]
    with cast.scope():
        assert (Lead.objects.count(), Team.objects.filter(pk=south).exists()) == (1, False)


@pytest.mark.django_db(transaction=True)
def test_changes_of_the_same_records_at_once_end_without_deadlock() -> None:
    cast = make_cast()
    with cast.scope():
        add_field("city")
        ids = sorted(contact.pk for contact in ContactFactory.create_batch(40))

    def change(n: int) -> object:
        selection = BulkSelection.parse({"ids": ids[:: 1 if n % 2 else -1]}, {}, None)  # type: ignore[arg-type]
        outcome = update_many(actor_id=cast.owner.pk, selection=selection, form_data={"city": f"City {n}"})
        assert outcome.job is not None
        if n == 3:
            delete_contacts(actor_id=cast.owner.pk, selection=selection)
        undo_bulk_job(id=outcome.job.pk, actor_id=cast.owner.pk)
        return outcome.changed

    with company_scope(cast.company.pk):
        assert at_once(3, cast.company.pk, change) == [40] * 3

        def undo(n: int) -> None:
            work()

        at_once(3, cast.company.pk, undo)
        undone = BulkJob.objects.filter(action="undo")
        assert list(undone.values_list("status", flat=True)) == ["completed"] * 3
        kept = sum(row.report["keptCount"] for row in undone)
        assert sum(undone.values_list("changed", flat=True)) + kept == 3 * 40
        assert Contact.objects.filter(is_deleted=False).count() == 40


@pytest.mark.django_db(transaction=True)
def test_an_undone_assignment_and_the_deletion_of_its_team_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The undoing holds a lead of the team when it looks whether there is the team; the deletion moves that lead."""
    cast, held = make_cast(), threading.Event()
    with cast.scope():
        general, north = default_team().pk, team_of("North").pk
        leads = [LeadFactory(team_id=north).pk for _ in range(2)]
        common: Any = {"actor_id": cast.owner.pk, "selection": BulkSelection.of_ids(leads)}
        job = lead_bulk.update_many(form_data={"notes": "x"}, relations=Relations(team=general), **common).job
        assert job is not None
        Lead.objects.filter(pk=leads[1]).update(team_id=north)
        undo_bulk_job(id=job.pk, actor_id=cast.owner.pk)
    lock = restore._lock_present

    def slow_lock(model: object, ids: object) -> object:
        held.set()  # the leads are locked, the team is next
        time.sleep(0.5)
        return lock(model, ids)  # type: ignore[arg-type]

    def write(n: int) -> object:
        if n == 0:
            return work()
        assert held.wait(10)
        return delete_teams(actor_id=cast.owner.pk, selection=BulkSelection.of_ids([north]))

    monkeypatch.setattr(restore, "_lock_present", slow_lock)
    _, deleted = at_once(2, cast.company.pk, write)
    with cast.scope():
        assert deleted == 1
        assert set(Lead.objects.values_list("team_id", flat=True)) == {general}
        assert BulkJob.objects.get(action="undo").status == "completed"


@pytest.mark.django_db(transaction=True)
def test_a_merge_that_assigns_a_team_and_its_deletion_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The winner takes the team of the loser, which the deletion moves out of it."""
    cast, held = make_cast(), threading.Event()
    with cast.scope():
        general, north = default_team().pk, team_of("North").pk
        winner = LeadFactory(team_id=general)
        loser = LeadFactory(team_id=north, contact=winner.contact)
    load = merge_services._load

    def slow_load(kind: object, ids: object) -> object:
        found = load(kind, ids)  # type: ignore[arg-type]
        held.set()
        time.sleep(0.5)
        return found

    def write(n: int) -> object:
        if n == 0:
            merge_records(
                panel="lead",
                actor_id=cast.owner.pk,
                ids=[winner.pk, loser.pk],
                winner=winner.pk,
                choices={"team": loser.pk},
            )
            return "merged"
        assert held.wait(10)
        return delete_teams(actor_id=cast.owner.pk, selection=BulkSelection.of_ids([north]))

    monkeypatch.setattr(merge_services, "_load", slow_load)
    assert at_once(2, cast.company.pk, write) == ["merged", 1]
    with cast.scope():
        assert set(Lead.objects.values_list("team_id", flat=True)) == {general}
