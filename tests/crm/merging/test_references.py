"""What refers to a loser goes to the winner, and back when the merge is undone."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from core.ids import new_id
from core.tenancy import use_owner_role
from core.tenancy.row_security import company_references
from crm.contacts.kind import CONTACT
from crm.leads.kind import LEAD
from crm.merging.references import references_to
from crm.models import (
    CallLog,
    Comment,
    Contact,
    FollowUp,
    Lead,
    LeadActivity,
    Meeting,
    MeetingAttendee,
    Merge,
    Segment,
    SegmentRecord,
)
from crm.records.kinds import RecordKind
from outreach.models import (
    Booking,
    Conversation,
    EnrichmentProposal,
    Form,
    FormLead,
    GenieScheduler,
    InboundMessage,
    PersonalMail,
    Quote,
    SendJob,
)
from tests.crm.merging.helpers import differences, everything, merge, undo
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from workflows.models import Workflow, WorkflowRun, WorkflowVersion

OF_CONTACTS = {
    "crm.Lead.contact",
    "crm.Contact.merged_into",
    "crm.SegmentRecord.contact",
    "crm.LeadActivity.contact",
    "crm.FollowUp.contact",
    "crm.Comment.contact",
    "crm.CallLog.contact",
    "crm.Meeting.contact",
    "crm.MeetingAttendee.contact",
    "outreach.Booking.contact",
    "outreach.Conversation.contact",
    "outreach.EnrichmentProposal.contact",
    "outreach.InboundMessage.contact",
    "outreach.PersonalMail.contact",
    "outreach.Quote.contact",
    "outreach.SendJob.contact",
    "workflows.WorkflowRun.contact",
}
OF_LEADS = {
    "crm.Lead.merged_into",
    "crm.SegmentRecord.lead",
    "crm.LeadActivity.lead",
    "crm.FollowUp.lead",
    "crm.Comment.lead",
    "crm.CallLog.lead",
    "crm.Meeting.lead",
    "outreach.Booking.lead",
    "outreach.Conversation.lead",
    "outreach.FormLead.lead",
    "outreach.PersonalMail.lead",
    "outreach.Quote.lead",
    "workflows.WorkflowRun.lead",
}


@pytest.mark.parametrize(("kind", "names"), [(CONTACT, OF_CONTACTS), (LEAD, OF_LEADS)])
def test_every_reference_is_found(kind: RecordKind, names: set[str]) -> None:
    """Whoever adds a reference to contacts or leads looks here: does it go along with a merge?"""
    assert set(references_to(kind)) == names
    own = (kind.values, kind.tags, *kind.histories, *(table for _, table, _ in kind.links))
    parts = {table._meta.label for table in own if table}
    every = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in company_references(model)
        if field.related_model is kind.model
    }
    assert every - names == {f"{part}.{kind.link}" for part in parts}


@pytest.mark.parametrize("kind", [CONTACT, LEAD])
def test_every_reference_has_an_index(kind: RecordKind, db: None) -> None:
    for field in references_to(kind).values():
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_get_indexdef(indexrelid, 1, true), pg_get_indexdef(indexrelid, 2, true) FROM pg_index"
                " WHERE indrelid = %s::regclass",
                [field.model._meta.db_table],
            )
            first = {second if one == "company_id" else one for one, second in cursor.fetchall()}
            assert field.column in first, f"{field} has no index that begins with it, or with the company and it"


def meeting(owner: str, **values: Any) -> Meeting:
    now = timezone.now()
    return Meeting.objects.create(
        title="Talk",
        organizer_id=owner,
        starts_at=now,
        ends_at=now + timezone.timedelta(hours=1),
        timezone="UTC",
        **values,
    )


def surround(owner: str, contact: Contact, lead: Lead) -> None:
    """Create one row of everything that may refer to a contact or a lead."""
    now = timezone.now()
    LeadActivity.objects.create(kind="note", lead=lead, contact=contact, happened_at=now, notes="Hello")
    FollowUp.objects.create(lead=lead, title="Ask again", due_at=now)
    FollowUp.objects.create(contact=contact, title="Send the offer", due_at=now)
    Comment.objects.create(lead=lead, text="Is it warm?")
    Comment.objects.create(contact=contact, text="Who calls?")
    CallLog.objects.create(lead=lead, contact=contact, started_at=now)
    made = meeting(owner, lead=lead, contact=contact)
    MeetingAttendee.objects.create(meeting=made, contact=contact, email=contact.email)
    about = {"contact": contact, "lead": lead, "sent_id": new_id(), "token": new_id()}
    Booking.objects.create(meeting=made, member_id=owner, **about)
    segment = Segment.objects.create(name=f"Of {contact.pk}", kind="static")
    SegmentRecord.objects.create(segment=segment, contact=contact)
    SegmentRecord.objects.create(segment=segment, lead=lead)
    SendJob.objects.create(run=GenieScheduler.objects.create(ai_type="offline"), contact=contact, subject="Hi")
    PersonalMail.objects.create(contact=contact, lead=lead, subject="Hi")
    Quote.objects.create(
        contact=contact, lead=lead, number=f"Q-{lead.pk}", title="Tea", currency="EUR", valid_until=now
    )
    Conversation.objects.create(contact=contact, lead=lead, address=contact.pk)
    form = Form.objects.create(name=f"Of {contact.pk}", token=contact.pk)
    FormLead.objects.create(form=form, leadgen_id="1", submitted_at=now, lead=lead)
    InboundMessage.objects.create(
        kind="reply",
        uid_validity=1,
        uid=1,
        digest=contact.pk,
        contact=contact,
        received_at=now,
        from_email="a@b.example",
    )
    EnrichmentProposal.objects.create(
        contact=contact, field="jobTitle", value=contact.pk, text=contact.pk, source="Register"
    )
    workflow = Workflow.objects.create(name=f"About {contact.pk}", trigger_event_type="manual")
    version = WorkflowVersion.objects.create(workflow=workflow, number=1, graph={})
    WorkflowRun.objects.create(workflow=workflow, version=version, contact=contact, lead=lead, entry_key=contact.pk)
    ContactFactory(is_deleted=True, merged_into=contact)
    LeadFactory(is_deleted=True, merged_into=lead, contact=contact)


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_all_of_it_moves_and_comes_back(cast: Cast, panel: str) -> None:
    with cast.scope():
        contacts = [ContactFactory() for _ in range(3)]
        leads = [LeadFactory(contact=contact) for contact in contacts]
        for contact, lead in zip(contacts, leads, strict=True):
            surround(cast.owner.pk, contact, lead)
    before = everything(cast)
    kind, records = (CONTACT, contacts) if panel == "contact" else (LEAD, leads)
    found = merge(cast, panel, *(record.pk for record in records))
    assert set(found["moved"]) == set(references_to(kind))
    with cast.scope():
        for name, field in references_to(kind).items():
            rows = field.model._default_manager.filter(**{f"{field.name}__isnull": False})
            if name.endswith("merged_into"):
                rows = rows.exclude(pk__in=[record.pk for record in records])
            assert set(rows.values_list(field.attname, flat=True)) == {records[0].pk}, name
        assert Merge.objects.get().moved["crm.CallLog." + panel].keys() == {record.pk for record in records[1:]}
    answer = undo(cast, panel, found["_id"])
    assert (answer.status, answer.data["kept"]) == (200, [])
    assert differences(before, everything(cast)) == []


def test_what_the_winner_has_already_stays_with_the_loser(cast: Cast) -> None:
    with cast.scope():
        one, two, three = (ContactFactory() for _ in range(3))
        shared, theirs = (Segment.objects.create(name=name, kind="static") for name in ("shared", "theirs"))
        for contact in (one, two, three):
            SegmentRecord.objects.create(segment=shared, contact=contact)
        for contact in (two, three):
            SegmentRecord.objects.create(segment=theirs, contact=contact)
        run = GenieScheduler.objects.create(ai_type="offline")
        for contact in (one, two):
            SendJob.objects.create(run=run, contact=contact)
        SendJob.objects.create(run=run, contact=two, step=2)
        for contact in (one, two):
            SendJob.objects.create(contact=contact)  # of no run: null equals null there
    before = everything(cast)
    found = merge(cast, "contact", one.pk, two.pk, three.pk)
    assert found["moved"] == {"crm.SegmentRecord.contact": 1, "outreach.SendJob.contact": 1}
    with cast.scope():
        assert set(SegmentRecord.objects.filter(contact=one).values_list("segment__name", flat=True)) == {
            "shared",
            "theirs",
        }
        assert sorted(SegmentRecord.objects.values_list("contact_id", flat=True)) == sorted(
            [one.pk, one.pk, two.pk, three.pk, three.pk]
        )
        assert sorted(SendJob.objects.filter(contact=one).values_list("step", flat=True)) == [1, 1, 2]
    assert undo(cast, "contact", found["_id"]).status == 200
    assert differences(before, everything(cast)) == []


def test_activities_of_one_event_do_not_clash(cast: Cast) -> None:
    event = new_id()
    with cast.scope():
        one, two = LeadFactory(), LeadFactory()
        for lead in (one, two):
            LeadActivity.objects.create(kind="mail", lead=lead, event_id=event, happened_at=timezone.now())
            LeadActivity.objects.create(kind="note", lead=lead, happened_at=timezone.now())
    before = everything(cast)
    found = merge(cast, "lead", one.pk, two.pk)
    assert found["moved"] == {"crm.LeadActivity.lead": 1}
    undo(cast, "lead", found["_id"])
    assert differences(before, everything(cast)) == []


def test_a_row_that_went_elsewhere_since_stays_there_and_is_named(cast: Cast) -> None:
    with cast.scope():
        one, two, other = (ContactFactory() for _ in range(3))
        moved, given, gone = (LeadFactory(contact=two).pk for _ in range(3))
    found = merge(cast, "contact", one.pk, two.pk)
    assert cast.key.put(f"/lead/{given}", {"contact": other.pk}).status == 200
    with cast.scope():
        Lead.objects.filter(pk=gone).delete()
        since = LeadFactory(contact=one).pk
    answer = undo(cast, "contact", found["_id"])
    assert answer.data["kept"] == [{"resource": "Lead", "_id": given, "keys": ["contact"]}]
    with cast.scope():
        assert dict(Lead.objects.values_list("pk", "contact_id")) == {moved: two.pk, given: other.pk, since: one.pk}
