"""Erasure of a contact whose records were merged with those of others: the others keep what is theirs."""

from __future__ import annotations

from typing import Any

from django.db import connection

from core.lists import BulkSelection
from crm.bulk_jobs.restore_jobs import restore_many
from crm.leads.kind import LEAD
from crm.models import Contact, Journal, Lead, LeadActivity, Merge
from tests.crm.merging.helpers import merge, undo
from tests.crm.privacy.helpers import EMAIL, FORM, NAME, erase, traces
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

OTHER = {"name": "Ann Other", "email": "ann@other.example", "countryCode": "+49", "number": "1511234567"}


def a_lead(cast: Cast, person: dict[str, Any], notes: str) -> Lead:
    """A contact's lead with a note in its history that names no contact."""
    contact = cast.key.post("/contact", {"formData": person}).data["_id"]
    made = cast.key.post("/lead", {"contact": contact, "formData": {"notes": notes}})
    assert made.status in (200, 201), made.body
    lead = Lead.objects.get(pk=made.data["_id"])
    LeadActivity.objects.create(kind="note", lead=lead, notes=f"note of {notes}", happened_at=lead.created_at)
    return lead


def erased(cast: Cast, contact_id: str) -> None:
    answer = erase(cast.key, contact_id, contact_id)
    assert answer.status == 200, answer.body
    connection.check_constraints()  # the references that a commit checks
    assert set(traces()) <= {"outreach_chatoptout", "outreach_suppression"}


def notes_of(lead: Lead) -> list[str]:
    return list(LeadActivity.objects.filter(lead=lead, kind="note").values_list("notes", flat=True))


def test_a_lead_of_another_contact_that_lost_keeps_its_history(scope: Cast) -> None:
    won, lost = a_lead(scope, FORM, f"met {NAME}"), a_lead(scope, OTHER, "met Ann")
    made = merge(scope, "lead", won.pk, lost.pk)
    assert notes_of(lost) == []
    erased(scope, won.contact_id)
    (left,) = Merge.objects.all()
    assert (left.winner_id, left.loser_ids, left.choices, left.moved) == (won.pk, [lost.pk], {}, {})
    (version,) = Journal.objects.all()
    assert (version.record_id, version.before["row"]["notes"], version.after) == (lost.pk, "met Ann", None)
    assert notes_of(lost) == ["note of met Ann"]
    assert undo(scope, "lead", made["_id"]).status == 400
    (shown,) = scope.key.get("/lead/merge").data
    assert (shown["canUndo"], shown["moved"]) == (False, {})
    assert restore_many(LEAD, actor_id=None, selection=BulkSelection.of_ids([lost.pk])).count == 1
    assert scope.key.get(f"/lead/{lost.pk}").data["notes"] == "met Ann"


def test_a_lead_of_another_contact_that_won_loses_what_it_got(scope: Cast) -> None:
    won, lost = a_lead(scope, OTHER, ""), a_lead(scope, FORM, f"met {NAME}")
    merge(scope, "lead", won.pk, lost.pk, fillEmpty=False, choices={"source": {"value": "website"}})
    assert len(notes_of(won)) == 2
    erased(scope, lost.contact_id)
    assert notes_of(won) == ["note of "]
    assert list(Lead.objects.values_list("pk", "is_deleted")) == [(won.pk, False)]
    (left,) = Merge.objects.all()
    assert (left.choices, left.moved) == ({}, {})
    assert list(Journal.objects.values_list("record_id", "after")) == [(won.pk, None)]


def test_a_chain_of_merges_gives_each_its_own(scope: Cast) -> None:
    first = a_lead(scope, {**OTHER, "email": "bo@other.example", "number": "1519999999"}, "Bo")
    second, won = a_lead(scope, OTHER, "Ann"), a_lead(scope, FORM, NAME)
    early = merge(scope, "lead", second.pk, first.pk)
    merge(scope, "lead", won.pk, second.pk)
    erased(scope, won.contact_id)
    assert sorted(notes_of(second)) == ["note of Ann", "note of Bo"]
    assert list(Lead.objects.order_by("pk").values_list("pk", "merged_into")) == sorted(
        [(first.pk, second.pk), (second.pk, None)]
    )
    assert restore_many(LEAD, actor_id=None, selection=BulkSelection.of_ids([second.pk])).count == 1
    assert undo(scope, "lead", early["_id"]).status == 200
    assert notes_of(first) == ["note of Bo"]


def test_a_merge_of_contacts_that_was_undone_goes_with_either(scope: Cast) -> None:
    winner, loser = ContactFactory(), ContactFactory(name=NAME, email=EMAIL)
    made = merge(scope, "contact", winner.pk, loser.pk, choices={"name": loser.pk})
    assert undo(scope, "contact", made["_id"]).status == 200
    erased(scope, loser.pk)
    assert Contact.objects.get(pk=winner.pk).is_deleted is False
    assert list(Journal.objects.values_list("record_id", "after")) == [(winner.pk, None)]
    erased(scope, winner.pk)
    assert not Journal.objects.exists()
