"""The demo company's routine of the last ninety days: leads and how they went, imports, workflows, meetings, tasks,
talks, form answers and log-ins. Rows are inserted together, since the API's services would take too long."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from accounts.models import LoginLog, Member
from config.local.demo.calendar import DAYS, SATURDAY, arrivals, working_time
from config.local.demo.pipelines import reason_ids
from core.models import BaseModel
from core.types import JsonObject
from crm.files.services import store_uploads
from crm.files.storage import Received
from crm.models import Contact, FollowUp, Import, Lead, LeadActivity, Meeting, Stage, StageChange
from outreach.messaging.suppression.models import Suppression
from outreach.models import ChatApp, Conversation, ConversationMessage, EnrichmentProposal, Form, FormLead
from workflows.engine.models import WorkflowRun
from workflows.graphs.models import Workflow

Row = TypeVar("Row", bound=BaseModel)

SKIPPED = 60
"""Contacts whose leads other parts of the demo make."""
MORE_LEADS = 110
PATHS = (
    ("contacted",),
    ("contacted", "qualified", "won"),
    (),
    ("contacted", "lost"),
    ("contacted", "qualified"),
    ("contacted", "qualified", "proposal", "won"),
    ("lost",),
    ("contacted", "qualified", "proposal"),
)
"""Statuses that leads went through, in turn, after they were new."""
SOURCES = ("website", "referral", "event", "website")
IMPORTS = 13
TASKS = ("Send the offer", "Call back", "Send a price list", "Confirm the delivery", "Ask for feedback")
MEETINGS = (("Tasting", "Customer's office"), ("First call", "Video call"), ("Offer review", "Video call"))
TALKS = (
    ("Do you deliver to Leeds?", "Yes, every Tuesday and Friday."),
    ("Our grinder makes a strange noise.", "Sorry about that. A technician will come tomorrow."),
    ("Which roast is the mildest?", "The morning blend. Shall we add a sample to your next order?"),
    ("Can we pause our order in August?", "Of course. We'll resume deliveries in September."),
)
JOB_TITLES = ("Head of facilities", "Chief of staff", "Workplace manager")
ANSWERS = ("Filter roast", "Espresso", "Both")
ASKED_NOT_TO = 16
"""Addresses of people who have asked by phone not to get emails."""


def add_routine(member: Member, contacts: Sequence[Contact], now: datetime) -> None:
    """Add the company's routine. The contacts are all of the demo's, the oldest first, dated."""
    colleagues = [member, *Member.objects.exclude(pk=member.pk).order_by("pk")[:2]]
    leads = _add_leads(colleagues, contacts[SKIPPED : SKIPPED + MORE_LEADS], now)
    _add_tasks(colleagues, leads, now)
    _add_meetings(colleagues, leads[::5], now)
    _add_imports(member, contacts, leads, now)
    _add_runs(contacts, now)
    _add_form_answers(leads)
    _add_talks(colleagues, contacts[::9], now)
    _add_refusals(member, now)
    _add_suggestions(contacts[30:90:9])
    _add_log_ins(colleagues, now)


def _insert_dated(model: type[Row], rows: list[tuple[Row, datetime]]) -> list[Row]:
    """Insert rows, each with the time at which it was made."""
    records = model._default_manager.bulk_create([row for row, _ in rows])
    for row, (_, moment) in zip(records, rows, strict=True):
        row.created_at = moment
    model._default_manager.bulk_update(records, ["created_at"], batch_size=500)
    return records


def _add_leads(members: Sequence[Member], contacts: Sequence[Contact], now: datetime) -> list[Lead]:
    """Add leads that went through the pipeline, with their activities."""
    times = arrivals(len(contacts), now)
    rows = []
    activities = []
    moves = []
    reasons = reason_ids()
    stages = dict(Stage.objects.filter(status__isnull=False).values_list("status", "pk"))
    for place, contact in enumerate(contacts):
        owner = members[place % len(members)]
        created = max(times[place], contact.created_at + timedelta(hours=2))
        path = PATHS[place % len(PATHS)]
        moments = [created + timedelta(days=2 + 4 * step + place % 3) for step in range(len(path))]
        past_moves = [(status, moment) for status, moment in zip(path, moments, strict=True) if moment < now]
        lead = Lead(
            company_id=contact.company_id,
            contact=contact,
            status=past_moves[-1][0] if past_moves else "new",
            status_changed_at=past_moves[-1][1] if past_moves else None,
            lost_reason_id=reasons[place % len(reasons)]
            if past_moves and past_moves[-1][0] == "lost" and reasons
            else None,
            expected_close_at=now + timedelta(days=3 + 13 * (place % 11)) if not past_moves or place % 3 else None,
            source=SOURCES[place % len(SOURCES)],
            value=Decimal(250 + 85 * (place * 7 % 23)),
            team_member=owner,
            created_by=owner,
            updated_by=owner,
        )
        rows.append((lead, created))
        activities.append(_activity(lead, owner, LeadActivity.Kind.CREATED, created, {}))
        before = "new"
        since = created
        for status, moment in past_moves:
            moves.append(
                StageChange(
                    company_id=contact.company_id,
                    lead=lead,
                    changed_at=moment,
                    entered_at=since,
                    from_stage_id=stages[before],
                    to_stage_id=stages[status],
                    member=owner,
                )
            )
            since = moment
            details: JsonObject = {"status": {"from": before, "to": status}}
            activities.append(_activity(lead, owner, LeadActivity.Kind.STATUS, moment, details))
            before = status
    leads = _insert_dated(Lead, rows)
    LeadActivity.objects.bulk_create(activities)
    StageChange.objects.bulk_create(moves)
    return leads


def _activity(lead: Lead, member: Member, kind: str, moment: datetime, details: JsonObject) -> LeadActivity:
    return LeadActivity(
        company_id=lead.company_id,
        kind=kind,
        lead=lead,
        contact_id=lead.contact_id,
        member=member,
        details=details,
        happened_at=moment,
    )


def _add_tasks(members: Sequence[Member], leads: Sequence[Lead], now: datetime) -> None:
    """Add a task that was done to every other lead."""
    rows = []
    for place, lead in enumerate(leads[::2]):
        created = working_time(lead.created_at, place)
        done = max(created, lead.created_at) + timedelta(days=1)
        if done < now:
            task = FollowUp(
                company_id=lead.company_id,
                lead=lead,
                title=TASKS[place % len(TASKS)],
                due_at=done + timedelta(hours=3),
                status=FollowUp.Status.DONE,
                done_at=done,
                assignee=members[place % len(members)],
                created_by=members[place % len(members)],
            )
            rows.append((task, max(created, lead.created_at)))
    tasks = _insert_dated(FollowUp, rows)
    LeadActivity.objects.bulk_create(
        _activity(
            task.lead,
            task.assignee or members[0],
            LeadActivity.Kind.FOLLOW_UP,
            task.done_at or now,
            {"event": "completed", "followUp": task.pk, "title": task.title},
        )
        for task in tasks
    )


def _add_meetings(members: Sequence[Member], leads: Sequence[Lead], now: datetime) -> None:
    """Add meetings that took place a few days after the leads came."""
    rows = []
    for place, lead in enumerate(leads):
        title, where = MEETINGS[place % len(MEETINGS)]
        starts = working_time(lead.created_at + timedelta(days=5), place)
        if lead.created_at < starts < now - timedelta(hours=1):
            meeting = Meeting(
                company_id=lead.company_id,
                title=f"{title}: {lead.contact.name}",
                lead=lead,
                contact_id=lead.contact_id,
                organizer=members[place % len(members)],
                starts_at=starts,
                ends_at=starts + timedelta(minutes=45),
                timezone="Europe/London",
                place=where,
                created_by=members[place % len(members)],
            )
            rows.append((meeting, lead.created_at + timedelta(hours=1)))
    meetings = _insert_dated(Meeting, rows)
    LeadActivity.objects.bulk_create(
        _activity(
            meeting.lead,
            meeting.organizer,
            LeadActivity.Kind.MEETING,
            meeting.created_at,
            {"event": "created", "meeting": meeting.pk, "title": meeting.title},
        )
        for meeting in meetings
        if meeting.lead is not None
    )


def _add_imports(member: Member, contacts: Sequence[Contact], leads: Sequence[Lead], now: datetime) -> None:
    """Add an import a week of the contacts, and of the leads, that came on its day."""
    upload = Received("fair-visitors.csv")
    upload.append(b"Name,Email\nNora Holm,nora.holm@kestrel-foods.example\n")
    upload.complete()
    file = store_uploads(uploads=[upload], member_id=member.pk)[0]
    upload.close()
    for kind, records in ((Import.Type.CONTACT, contacts), (Import.Type.LEAD, leads)):
        by_day: dict[datetime, list[str]] = {}
        for record in records:
            day = record.created_at.replace(hour=7, minute=45, second=0, microsecond=0)
            by_day.setdefault(day, []).append(record.pk)
        days = sorted(by_day)
        import_days = days[:: max(1, len(days) // IMPORTS)]
        rows = []
        for place, day in enumerate(import_days):
            number = len(by_day[day])
            job = Import(
                company_id=member.company_id,
                import_type=kind,
                file=file,
                headers=["Name", "Email"],
                column_mapping={"Name": "name", "Email": "email"},
                status=Import.Status.COMPLETED,
                total=number + place % 3,
                processed=number + place % 3,
                created=number,
                skipped=place % 3,
                started_at=day,
                finished_at=day + timedelta(minutes=1),
                created_by=member,
                updated_by=member,
            )
            rows.append((job, day))
        for job, day in zip(_insert_dated(Import, rows), import_days, strict=True):
            model = Contact if kind == Import.Type.CONTACT else Lead
            model._default_manager.filter(pk__in=by_day[day]).update(import_job=job)


def _add_runs(contacts: Sequence[Contact], now: datetime) -> None:
    """Add the runs of the workflow that welcomes contacts: one for every third."""
    workflow = Workflow.objects.filter(name="Welcome new contacts").select_related("version").first()
    if workflow is None or workflow.version is None:
        return
    rows = []
    for place, contact in enumerate(contacts[::3]):
        began = contact.created_at + timedelta(minutes=1)
        ended_at = began + timedelta(days=3)
        status = WorkflowRun.Status.COMPLETED
        if place % 17 == 5:
            status = WorkflowRun.Status.CANCELLED
        if place % 23 == 7:
            status = WorkflowRun.Status.FAILED
        if ended_at < now:
            run = WorkflowRun(
                company_id=contact.company_id,
                workflow=workflow,
                version=workflow.version,
                contact=contact,
                entry_key=f"history-{contact.pk}",
                status=status,
                trigger={"kind": "contact.created", "objectId": contact.pk, "payload": {}},
                started_at=began,
                finished_at=ended_at,
                error_node="key" if status == WorkflowRun.Status.FAILED else "",
                error_code="TagNotFound_400" if status == WorkflowRun.Status.FAILED else "",
                error="Tag not found." if status == WorkflowRun.Status.FAILED else "",
            )
            rows.append((run, began))
    _insert_dated(WorkflowRun, rows)


def _add_form_answers(leads: Sequence[Lead]) -> None:
    """Add the form's answers that became the leads of the website."""
    form = Form.objects.order_by("pk").first()
    if form is None:
        return
    website = [lead for lead in leads if lead.source == "website"]
    rows = []
    for place, lead in enumerate(website):
        answers = {"name": lead.contact.name, "email": lead.contact.email or "", "kind": ANSWERS[place % len(ANSWERS)]}
        answer = FormLead(
            company_id=lead.company_id,
            form=form,
            leadgen_id=f"history-{place}",
            answers=answers,
            origin={"utm_source": "search" if place % 2 else "newsletter"},
            submitted_at=lead.created_at - timedelta(minutes=1),
            fetched_at=lead.created_at - timedelta(minutes=1),
            state=FormLead.State.IMPORTED,
            status=FormLead.Work.DONE,
            lead=lead,
        )
        rows.append((answer, lead.created_at))
    _insert_dated(FormLead, rows)


def _add_talks(members: Sequence[Member], contacts: Sequence[Contact], now: datetime) -> None:
    """Add chats that were answered and closed."""
    app = ChatApp.objects.order_by("pk").first()
    contact_ids = set(Conversation.objects.values_list("contact", flat=True))
    people = [contact for contact in contacts if contact.contact_number and contact.pk not in contact_ids]
    conversations = []
    messages = []
    for place, (contact, moment) in enumerate(zip(people, arrivals(len(people), now), strict=True)):
        asked, answer = TALKS[place % len(TALKS)]
        began = max(moment, contact.created_at + timedelta(hours=1))
        member = members[place % len(members)]
        answered = began + timedelta(minutes=4 + 11 * place % 50)
        conversation = Conversation(
            company_id=contact.company_id,
            chat_app=app,
            contact=contact,
            address=contact.contact_number or "",
            name=contact.name,
            state=Conversation.State.CLOSED,
            assignee=member,
            last_text=answer,
            last_inbound_at=began,
            last_message_at=answered,
            answered_at=answered,
            closed_at=answered + timedelta(hours=1),
        )
        conversations.append((conversation, began))
        for direction, author, text, at in (("in", "contact", asked, began), ("out", "member", answer, answered)):
            message = ConversationMessage(
                company_id=contact.company_id,
                conversation=conversation,
                direction=direction,
                author=author,
                member=member if author == "member" else None,
                text=text,
                happened_at=at,
            )
            messages.append((message, at))
    _insert_dated(Conversation, conversations)
    _insert_dated(ConversationMessage, messages)


def _add_refusals(member: Member, now: datetime) -> None:
    """Add addresses of people who have asked for no emails."""
    rows = []
    for place, moment in enumerate(arrivals(ASKED_NOT_TO, now)):
        row = Suppression(
            company_id=member.company_id,
            email=f"person{place + 1}@quiet.example",
            reason=Suppression.Reason.MANUAL,
            source="Unsubscribed by phone",
            created_by=member,
        )
        rows.append((row, moment))
    _insert_dated(Suppression, rows)


def _add_suggestions(contacts: Sequence[Contact]) -> None:
    """Add values of an enrichment app that wait for a person's decision."""
    EnrichmentProposal.objects.bulk_create(
        EnrichmentProposal(
            company_id=contact.company_id,
            contact=contact,
            field="jobTitle",
            value=JOB_TITLES[place % len(JOB_TITLES)],
            text=JOB_TITLES[place % len(JOB_TITLES)],
            source="Company directory",
        )
        for place, contact in enumerate(contacts)
    )


def _add_log_ins(members: Sequence[Member], now: datetime) -> None:
    """Add log-ins on working days, and a wrong password now and then."""
    rows = []
    for days_ago in range(DAYS - 1, 0, -1):
        day = now - timedelta(days=days_ago)
        present = members if day.weekday() < SATURDAY else ()
        for place, member in enumerate(present):
            is_wrong = (days_ago + place) % 19 == 0
            row = LoginLog(
                company_id=member.company_id,
                user=member.user,
                email=member.email,
                status=LoginLog.Status.FAILED if is_wrong else LoginLog.Status.SUCCESS,
                reason="wrong password" if is_wrong else "",
                ip=f"192.0.2.{10 + place}",
                user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            )
            rows.append((row, day.replace(hour=7, minute=40 + 5 * place, second=0, microsecond=0)))
    _insert_dated(LoginLog, rows)
