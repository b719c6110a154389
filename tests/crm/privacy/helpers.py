"""A person whose traces are wherever the service leaves some, and the search for them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from accounts.models import Mail
from core.events import emit
from core.fields import EncryptedTextField
from core.ids import new_id
from core.jobs import WORK
from core.models import Event
from core.tenancy import unscoped
from crm.models import (
    BulkJob,
    Contact,
    CustomField,
    Export,
    File,
    Meeting,
    SavedView,
    Webhook,
    WebhookDelivery,
)
from outreach.models import (
    Booking,
    CalendarConnection,
    CalendarEvent,
    CardScan,
    ChatApp,
    ChatEvent,
    ChatOptOut,
    ChatWidget,
    Conversation,
    ConversationMessage,
    CrmChatMessage,
    CrmChatThread,
    EnrichmentProposal,
    Form,
    FormLead,
    GenieScheduler,
    InboundMessage,
    LeadGeneration,
    MailApp,
    MailEvent,
    PersonalMail,
    SendJob,
    SendJobTransition,
    Suppression,
    TrackingEvent,
    WidgetVisitor,
)
from tests.crm.imports.helpers import MAPPING, csv_of, people
from tests.crm.imports.helpers import run as run_import
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from workflows.models import RunApproval, RunCall, RunStep, Workflow, WorkflowRun, WorkflowVersion

NAME, EMAIL, NUMBER = "Zorbaxia Quillfeather", "zorbaxia@quillfeather.example", "1701987654"
OLD_EMAIL = "zorbaxia.before@quillfeather.example"
MARKS = ("zorbaxia", "quillfeather", NUMBER)
FORM = {"name": NAME, "email": EMAIL, "countryCode": "+49", "number": NUMBER}


def traces() -> dict[str, list[str]]:
    """Return table -> the rows that name the person, in any text or JSON column; encrypted ones are read through their
    models."""
    found: dict[str, list[str]] = {}
    with unscoped(reason="test: every table of the database"), connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"  # noqa: E501
        )
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT row_to_json(t)::text FROM "{table}" t WHERE row_to_json(t)::text ILIKE ANY(%s)',
                [[f"%{m}%" for m in MARKS]],
            )
            if rows := [row for (row,) in cursor.fetchall()]:
                found[table] = rows
        for model in apps.get_models():
            names = [field.name for field in model._meta.concrete_fields if isinstance(field, EncryptedTextField)]
            for record in model._base_manager.all() if names else ():
                row = [getattr(record, name) for name in names]
                if any(mark in str(row).lower() for mark in MARKS):
                    found.setdefault(f"{model._meta.db_table} (encrypted)", []).append(str(row))
    return found


def erase(caller: Caller, id: str, confirm: str = EMAIL) -> Any:
    return caller.post(f"/contact/{id}/erase", {"confirm": confirm})


def _scatter_chat(contact: Contact) -> None:
    phone, now = f"+49{NUMBER}", timezone.now()
    app = ChatApp.objects.create(
        name="Us", phone_number_id="1", waba_id="2", access_token="t", last_error=f"no {phone}"
    )
    place = {"chat_app": app, "contact": contact, "address": phone, "name": NAME, "last_text": f"I am {NAME}"}
    conversation = Conversation.objects.create(**place)
    ConversationMessage.objects.create(
        conversation=conversation, direction="in", author="contact", text=f"I am {NAME}", happened_at=now
    )
    ChatEvent.objects.create(
        app=app, dedupe_key="b" * 64, kind="message", phone=phone, data={"name": NAME}, happened_at=now
    )
    ChatOptOut.objects.create(phone=phone)
    form = Form.objects.create(name="Fair", token="f" * 32)
    FormLead.objects.create(form=form, leadgen_id="1", answers={"name": NAME, "email": EMAIL}, submitted_at=now)
    widget = ChatWidget.objects.create(name="Site")
    WidgetVisitor.objects.create(
        widget=widget, name=NAME, email=EMAIL, phone=phone, answers=[{"label": "Who", "value": NAME}], seen_at=now
    )
    emit("conversation.received", [conversation.pk], payloads={conversation.pk: {"text": f"I am {NAME}"}})


def scatter(cast: Cast) -> str:
    """Create a contact with traces wherever the service leaves some. Returns its id."""
    key = cast.key
    CustomField.objects.create(name="Nickname", unique_field_id="nick", field_type="text", value_type="string")
    CustomField.objects.create(name="Passport", unique_field_id="passport", field_type="file", value_type="file")
    CustomField.objects.create(
        name="Remark", unique_field_id="remark", field_type="text", value_type="string", panel="lead"
    )
    passport = key.upload("/upload", SimpleUploadedFile(f"{NAME}.txt", b"passport")).data["_id"]
    card = File.objects.create(name=f"{NAME}.png", size=1, mime="image/png", hashes={"md5": NAME})
    CardScan.objects.create(file=card, status="completed", lines=[[NAME, 0.9]], form_data={"email": EMAIL})
    made = run_import(
        cast,
        csv_of([f"{NAME},{OLD_EMAIL},+49,{NUMBER}", f"{NAME},nobody,+49,{NUMBER}", *people(2)]),
        columnMapping=MAPPING,
    )
    assert (made["created"], made["failed"]) == (3, 1), made
    contact = Contact.objects.get(email=OLD_EMAIL)
    form = {**FORM, "nick": "Quillfeather the Great", "passport": passport}
    updated = key.put(f"/contact/{contact.pk}", {"formData": form, "tags": [TagFactory().pk]})
    assert updated.status == 200, updated.body
    twin = key.post(
        "/contact",
        {"formData": {"name": f"{NAME} II", "email": f"2.{EMAIL}", "countryCode": "+49", "number": "1701987655"}},
    ).data
    merged = key.post("/contact/merge", {"ids": [contact.pk, twin["_id"]], "winner": contact.pk})
    assert merged.status in (200, 201), merged.body
    lead = key.post(
        "/lead", {"contact": contact.pk, "formData": {"notes": f"Met {NAME}", "remark": f"call {EMAIL}"}}
    ).data
    key.put(f"/lead/{lead['_id']}", {"formData": {"notes": f"Met {NAME} again"}})
    soon = timezone.now().replace(microsecond=0)
    for path, body in (
        (
            "/quote",
            {"lead": lead["_id"], "title": f"For {NAME}", "lines": [{"name": "Tea"}]},
        ),
        (
            "/lead-activity/follow-up",
            {"lead": lead["_id"], "title": f"Ring {NAME}", "dueAt": soon.isoformat(), "remindMinutes": 5},
        ),
        (
            "/comment",
            {
                "text": f"{NAME} asked, @{cast.owner.email}",
                "record": {"kind": "lead", "id": lead["_id"]},
            },
        ),
        (
            "/calllog",
            {
                "contact": contact.pk,
                "number": f"+49{NUMBER}",
                "startedAt": soon.isoformat(),
                "notes": f"{NAME} was out",
            },
        ),
    ):
        answer = key.post(path, body)
        assert answer.status in (200, 201), (path, answer.body)
    meeting(cast, contact.pk, soon)
    reached_out(cast, contact)
    ran_through(contact)
    Suppression.objects.create(email=EMAIL, reason="bounced", details={"said": f"no {NAME} here"})
    BulkJob.objects.create(
        action="update", panel="contact", status="completed", selection={"query": {"searchValue": EMAIL}}
    )
    Export.objects.create(resource="contact", query={"searchValue": NAME}, status="completed")
    either = {"field": "email", "operator": "in", "value": [EMAIL, "beside@example.org"]}
    nested = {"operator": "or", "conditions": [either, {"field": "name", "operator": "isEmpty"}]}
    SavedView.objects.create(resource="contact", name="Both", query={"advancedFilters": nested}, created_by=cast.owner)
    SavedView.objects.create(resource="contact", name="Town", query={"searchValue": "Ulm"}, shared=True)
    WORK["events"].drain(float("inf"))
    Event.objects.filter(object_id=contact.pk).update(payload={"changes": {"name": {"from": NAME, "to": NAME}}})
    return contact.pk


def ran_through(contact: Contact) -> None:
    """Make a run about the contact, with a step, a call and a question that say its name, and a delivery."""
    workflow = Workflow.objects.create(name="Welcome")
    version = WorkflowVersion.objects.create(workflow=workflow, number=1, graph={})
    run = WorkflowRun.objects.create(
        workflow=workflow, version=version, contact=contact, entry_key="manual:1", trigger={"payload": {"name": NAME}}
    )
    RunStep.objects.create(run=run, node="note", visit=1, status="done", output={"said": NAME})
    asks = {"run": run, "node": "ask", "token": "1", "epoch": 0}
    RunCall.objects.create(**asks, key="1", kind="http", host="a.example", keyed=True, request={"body": NAME})
    RunApproval.objects.create(**asks, text=f"Write to {NAME}?", until=timezone.now())
    hook = Webhook.objects.create(url="https://a.example/", kinds=["*"], secret="s")
    told = {"event_id": new_id(), "object_id": contact.pk, "kind": "contact.created", "sequence": 1}
    WebhookDelivery.objects.create(webhook=hook, object_sequence=1, body=f"Hello {NAME}", **told)


def meeting(cast: Cast, contact_id: str, soon: Any) -> None:
    """Create a meeting with the contact, with mails of all states, and one of others to which it is invited."""
    organizer, ends = cast.owner, soon + timedelta(hours=1)
    shared = {"organizer": organizer, "starts_at": soon, "ends_at": ends, "timezone": "UTC"}
    own = Meeting.objects.create(title=f"Lunch with {NAME}", contact_id=contact_id, **shared)
    own.attendees.create(email="else@example.org", name="Somebody Else")
    other = Meeting.objects.create(title="Fair", **shared)
    other.attendees.create(email=EMAIL, name=NAME, contact_id=contact_id)
    other.attendees.create(email="third@example.org", name="Third")
    who = {"contact_id": contact_id, "name": NAME, "email": EMAIL, "answers": {"topic": f"{NAME} asks"}}
    calendar = CalendarConnection.objects.create(member=organizer, email="us@example.org")
    CalendarEvent.objects.create(connection=calendar, meeting=own, status="done")
    Booking.objects.create(meeting=own, member=organizer, sent_id=new_id(), token=new_id(), **who)
    company = {"company_id": cast.company.pk, "kind": "meeting_invitation"}
    Mail.objects.create(to=EMAIL, subject="Invitation: Fair", status="sent", **company)
    Mail.objects.create(to="third@example.org", subject=f"Soon: Lunch with {NAME}", status="sent", **company)
    Mail.objects.create(
        to="third@example.org",
        subject="Soon",
        text=f"with {NAME}",
        calendar=f"ATTENDEE:{EMAIL}",
        status="failed",
        **company,
    )
    Mail.objects.create(to="third@example.org", subject="Soon: Fair", text="with Third", status="queued", **company)


def reached_out(cast: Cast, contact: Contact) -> None:
    """Create messages in all states but the one that keeps it from being erased."""
    smtp = SmtpFactory(last_error=f"550 <{EMAIL}> unknown")
    run = GenieScheduler.objects.create(ai_type="offline", total=9)
    said = {
        "recipient": EMAIL,
        "subject": f"Dear {NAME}",
        "text": f"Dear {NAME}",
        "html": f"<p>{NAME}</p>",
        "reply": f"<{EMAIL}> ok",
        "error": NAME,
    }
    for number, status in enumerate(
        ("planned", "draft", "approved", "claimed", "sent", "failed", "unknown", "cancelled", "suppressed")
    ):
        job = SendJob.objects.create(run=run, contact=contact, smtp=smtp, status=status, step=number + 1, **said)
        PersonalMail.objects.create(contact=contact, subject=f"Dear {NAME}", text=f"Dear {NAME}", send_job=job)
        SendJobTransition.objects.create(send_job=job, to_status=status, detail=f"<{EMAIL}>")
        TrackingEvent.objects.create(send_job=job, kind="opened", link=0, visitor="v", happened_at=timezone.now())
        emit("mail.sent", [job.pk], payloads={job.pk: {"contact": contact.pk, "subject": f"Dear {NAME}"}})
    others = ContactFactory()
    found = [
        {"contact": contact.pk, "score": 1, "reason": f"{NAME} gardens"},
        {"contact": others.pk, "score": 1, "reason": "digs"},
    ]
    LeadGeneration.objects.create(
        prompt="Gardeners",
        ai_type="ai-offline",
        count=5,
        status="completed",
        found=found,
        candidates=[{"email": EMAIL, "name": NAME}, {"email": "beside@example.org"}],
    )
    inbound = InboundMessage.objects.create(
        kind="reply", uid_validity=1, uid=1, digest="a", contact=contact, from_name=NAME, from_email=EMAIL,
        text=f"Yours, {NAME}", received_at=timezone.now(),
    )  # fmt: skip
    app = MailApp.objects.create(from_email="me@example.org", from_name="Me", api_key="key")
    MailEvent.objects.create(
        app=app, dedupe_key="a" * 64, kind="delivered", recipient=EMAIL, detail=NAME, happened_at=timezone.now()
    )
    _scatter_chat(contact)
    thread = CrmChatThread.objects.create(owner=cast.owner, title=f"About {NAME}")
    CrmChatMessage.objects.create(thread=thread, question=f"Where is {NAME}?", answer=f"{NAME} is here.")
    emit("mail.replied", [inbound.pk], payloads={inbound.pk: {"contact": contact.pk, "subject": f"Re: {NAME}"}})
    EnrichmentProposal.objects.create(contact=contact, field="name", value=NAME, text=NAME, source="Knows All", run=run)
