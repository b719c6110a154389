"""Provisioning of the demo company. It is idempotent."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Company, Member, Role, User
from config.bootstrap import Bootstrapped, bootstrap
from config.demo_vendors import state_file
from config.local import mail_catcher as catcher
from config.local.demo.booking import create_booking
from config.local.demo.chats import create_chats, open_chats
from config.local.demo.comments import create_comments
from config.local.demo.customers import create_customers
from config.local.demo.deliveries import create_deliveries
from config.local.demo.emails import create_emails
from config.local.demo.forms import create_forms
from config.local.demo.history import add_history
from config.local.demo.outreach import create_outreach
from config.local.demo.people import HEADERS, Person, people
from config.local.demo.purchases import create_purchase, open_gateways
from config.local.demo.questions import create_questions
from config.local.demo.quotes import create_quotes
from config.local.demo.ready_workflows import create_ready_workflows
from config.local.demo.roles import OWN_SALES, create_own_sales
from config.local.demo.sales import create_sales
from config.local.demo.sample_data import CATEGORIES, FIELDS, TAGS
from config.local.demo.workflows import create_workflows
from config.local.ports import catcher_port, chats_port, gateways_port, replace
from config.secrets import read_secret
from core.tenancy import company_scope
from core.text.json import format_iso
from core.types import JsonObject
from crm.contacts.services import create_contacts
from crm.custom_fields.services import create_field
from crm.models import Contact, ContactCategory, ProductService, SavedView, Segment, Tag
from crm.organizations.models import Organization
from crm.organizations.services import create_organization
from crm.tags.services import create_tag
from crm.teams.services import ACTIVE
from outreach.connections.senders.services import create_sender
from outreach.messaging.email_templates.services import create_ready_template, create_template
from outreach.models import Campaign, Dashboard, EmailTemplate, GenieScheduler, Smtp
from outreach.runs.campaigns.launch import start_campaign
from outreach.runs.campaigns.services import create_campaign
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.cadence.steps import read_cadence
from outreach.runs.genie.services import start_run
from workflows.models import Workflow

COMPANY = "Demo company"
OWNER = "demo@leadwright.example"
STAFF = "staff@leadwright.example"
COLLEAGUES = (
    ("Robin Vance", "robin@leadwright.example", "Manager"),
    ("Kim Adler", "kim@leadwright.example", "Member"),
    ("Toni Reyes", "toni@leadwright.example", "Viewer"),
    ("Alex Moor", "alex@leadwright.example", OWN_SALES),
)
"""Name, address and role. Each logs in with the demo's password."""
AUDIENCE = "Trade fair"
CONTACTS = 300
ROWS_IN_FILE = 120
TWICE = ((150, 20), (220, 33))
"""Places of contacts who are the same person as an earlier one."""
PROFILE = {
    "website": "https://www.leadwright.example",
    "country_code": "+44",
    "number": "7400123456",
    "timezone": "Europe/London",
    "description": "Good coffee for offices: rented machines, freshly roasted beans from nearby roasters,"
    " and repairs within a day.",
}
FAIR_DAYS_AGO = 12
"""Days since the trade fair that some contacts visited."""
TILES = [
    {
        "title": title,
        "reportType": report,
        "by": by,
        "chart": chart,
        "metric": metric,
        "range": days,
        "startDate": None,
        "endDate": None,
    }
    for title, report, by, chart, metric, days in (
        ("Leads this month", "leads", "day", "number", "created", "thisMonth"),
        ("New contacts", "contacts", "day", "line", "added", "last30"),
        ("Open leads", "pipeline", "stage", "bar", "openValue", "last30"),
        ("Messages sent", "deliverability", "day", "bar", "sent", "last30"),
        ("Team activity", "activities", "member", "table", "activities", "last30"),
    )
]
"""Tiles of the company's dashboard."""
TEMPLATE = {
    "name": "Trial week",
    "category": "Follow-up",
    "subject": "A free trial week, {{contact.firstName}}?",
    "body": "Hello {{contact.firstName}},\n\nwould you like to try one of our machines at {{Company}} for a week?"
    " The trial is free, beans included.\n\nBest regards\n{{company.name}}",
    "variables": [{"name": "Company", "required": True, "dateType": None}],
}
"""For the follow-ups of an outreach."""
WEEK_MS = 7 * 86_400_000


@dataclass(frozen=True)
class Demo:
    """The parts of the demo, for its banner."""

    made: Bootstrapped
    password: str
    contacts: int
    audience_id: str | None
    file: Path


def provision_demo(data: Path) -> Demo:
    """Create the demo company or its missing parts, and connect its sender to the mail catcher."""
    password = read_secret("DEMO_PASSWORD", data)
    with transaction.atomic():
        bootstrapped = bootstrap(
            company_name=COMPANY, email=OWNER, password=password, owner_name="Dana Moreau", weak_password=True
        )
        _staff(password, bootstrapped.user)
        with company_scope(bootstrapped.company.pk):
            if bootstrapped.created:
                Company.objects.filter(pk=bootstrapped.company.pk).update(**PROFILE)
                _colleagues(bootstrapped.user)
            if not Contact.objects.exists():
                _contacts(bootstrapped.member)
                if not ProductService.objects.exists():
                    create_sales(bootstrapped.member)
                    create_comments()
                    create_quotes(bootstrapped.member)
                _views(bootstrapped.member)
            _sender(bootstrapped.member, catcher_port(data))
            open_gateways(gateways_port(data))
            chat_port = chats_port(data)
            if bootstrapped.created:
                create_purchase(bootstrapped.member, User.objects.get(email=STAFF))
                create_template(member_id=bootstrapped.member.pk, **TEMPLATE)
                create_ready_template(member_id=bootstrapped.member.pk, ready="newsletter")
                by = bootstrapped.member
                values = {"shared": True, "tiles": TILES, "created_by": by, "updated_by": by}
                Dashboard.objects.get_or_create(name="Overview", defaults=values)
            if bootstrapped.created and not GenieScheduler.objects.exists():
                _runs(bootstrapped.member)
                create_outreach(bootstrapped.member)
            if bootstrapped.created:
                create_deliveries(bootstrapped.member)
                create_emails(bootstrapped.member)
                create_chats(bootstrapped.member)
                create_forms(bootstrapped.member)
                create_questions(bootstrapped.member)
                create_booking(bootstrapped.member)
            open_chats(state_file(data), chat_port)
            if bootstrapped.created and not Campaign.objects.exists():
                _campaigns(bootstrapped.member)
            if bootstrapped.created and not Workflow.objects.exists():
                create_workflows(bootstrapped.member)
            if bootstrapped.created:
                add_history(bootstrapped.member)
                create_ready_workflows(bootstrapped.member)
                Segment.objects.update(counted_at=None)  # made before the leads; a periodic task counts them again
            contacts = Contact.objects.filter(is_deleted=False).count()
            audience_id = Tag.objects.filter(name=AUDIENCE).values_list("pk", flat=True).first()
            file = write_sample(data)
        if bootstrapped.created:
            create_customers(lambda email, name: _user(email, name, bootstrapped.user))
    return Demo(bootstrapped, password, contacts, audience_id, file)


def _staff(password: str, owner: User) -> None:
    """Create a user for the back office."""
    user = User.objects.filter(email=STAFF).first()
    if user is None:
        _user(STAFF, "Sam Staff", owner, is_staff=True, is_superuser=True)
    elif user.password != owner.password and not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password", "session_version", "updated_at"])


def _user(email: str, name: str, owner: User, **values: Any) -> User:
    """Create a user with the owner's password. The hash is copied, since to make one takes long on purpose."""
    return User.objects.create(
        email=email, name=name, password=owner.password, email_verified_at=timezone.now(), **values
    )


def _colleagues(owner: User) -> None:
    """Create members with the default roles, and one with own records."""
    create_own_sales()
    for name, email, role in COLLEAGUES:
        user = User.objects.filter(email=email).first() or _user(email, name, owner)
        Member.objects.create(
            user=user,
            name=name,
            email=email,
            role=Role.objects.filter(name=role).first() or Role.objects.get(is_default=True),
            status=Member.Status.ACCEPTED,
            accepted_at=timezone.now(),
        )


def _views(member: Member) -> None:
    """Create views that everybody sees: a table of contacts, one of leads, and their board."""
    key = Tag.objects.get(name="Key account").pk
    for resource, name, layout, condition in (
        ("contact", "Key accounts", "table", {"field": "tags", "operator": "in", "value": [key]}),
        ("lead", "Over 1,000", "table", {"field": "value", "operator": "greaterThan", "value": 1000}),
        ("organization", "Without an owner", "table", {"field": "owner", "operator": "isEmpty"}),
        ("lead", "From the website", "board", {"field": "source", "operator": "in", "value": ["website"]}),
    ):
        query = {"advancedFilters": {"operator": "and", "conditions": [condition]}}
        values = {"layout": layout, "query": query, "shared": True, "updated_by": member}
        SavedView.objects.get_or_create(resource=resource, name=name, created_by=member, defaults=values)


def _contacts(member: Member) -> None:
    """Create custom fields, tags and contacts by the API's services."""
    for field in FIELDS:
        create_field(actor_id=member.pk, values=field)
    categories = {
        name: create_tag(ContactCategory, actor_id=member.pk, values={"name": name, "color": color}).pk
        for name, color, _ in CATEGORIES
    }
    tags = {
        name: create_tag(Tag, actor_id=member.pk, values={"name": name, "color": color}).pk for name, color, _ in TAGS
    }
    organizations = _organizations(member)
    owners = dict(Organization.objects.values_list("pk", "owner"))
    opening = timezone.now().replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=FAIR_DAYS_AGO)
    items = []
    for place, person in enumerate(people(CONTACTS)):
        form_data = person.form_data()
        form_data["birthday"] = f"{1958 + place % 43}-{1 + place % 12:02}-{1 + place % 28:02}"
        if AUDIENCE in person.tags:
            form_data["visitedAt"] = format_iso(opening + timedelta(minutes=5 * (place % 90)))
        labels = {
            "category": categories[person.category],
            "organization": organizations[person.company],
            "owner": owners.get(organizations[person.company]),
            "tags": [tags[name] for name in person.tags],
        }
        items.append({**form_data, **labels})
    for second, first in TWICE:  # who wrote by another address, for the page of duplicates
        local, _, domain = str(items[first]["email"]).partition("@")
        items[second] |= {"name": items[first]["name"], "email": f"{local}+office@{domain}"}
    result = create_contacts(actor_id=member.pk, items=items, automation=False)
    if result.errors:
        raise RuntimeError(f"the demo's own contacts were refused: {result.errors[:3]}")


def _organizations(member: Member) -> dict[str, str]:
    """Create the organizations that the contacts name. Return name -> id."""
    owners = list(Member.objects.filter(status__in=ACTIVE).order_by("pk").values_list("pk", flat=True))
    domains = {person.company: person.email.partition("@")[2] for person in people(CONTACTS)}
    organizations: dict[str, str] = {}
    for place, (name, domain) in enumerate(sorted(domains.items())):
        owner = owners[place % len(owners)] if owners and place % 3 else None
        saved = create_organization(
            actor_id=member.pk, form_data={"name": name, "domain": domain}, owner_id=owner, automation=False
        )
        organizations[name] = saved.id
    return organizations


def _sender(member: Member, port: int) -> None:
    """Create the sender that uses the catcher, whose port may change with each start."""
    password = "demo"  # noqa: S105  the catcher accepts every login
    mine = Smtp.objects.filter(name="Demo sender", host=catcher.HOST).first()
    if mine is None:
        mine = create_sender(
            member_id=member.pk,
            verified=False,  # no connection test, since the catcher may start later
            name="Demo sender",
            host=catcher.HOST,
            port=port,
            username="demo",
            password=password,
            secure=False,
            from_email="dana@leadwright.example",
            from_name="Dana Moreau",
        )
    if (mine.port, mine.verified) != (port, True):
        mine.port = port
        mine.password = password
        mine.verified = True
        mine.save()


def _runs(member: Member) -> None:
    """Start an outreach with two follow-ups, and one that repeats. What workers write for them waits as drafts."""
    template = EmailTemplate.objects.values_list("pk", flat=True).first()
    tags = dict(Tag.objects.values_list("name", "pk"))
    steps: list[JsonObject] = [
        {"delay": {"amount": 3, "unit": "days"}, "prompt": "Offer a free trial week"},
        {"delay": {"amount": 1, "unit": "weeks"}, "template": template},
    ]
    start_run(
        member_id=member.pk,
        audience=Audience(tags=(tags["Key account"],)),
        name="New machines for key accounts",
        prompt="Introduce our new machines",
        outreach_cadence=read_cadence({"steps": steps}),
        draft=True,
        automation=False,
    )
    start_run(
        member_id=member.pk,
        audience=Audience(tags=(tags["Moved office"],)),
        name="Welcome to your new office",
        prompt="Offer a free tasting at the new office",
        recurring=True,
        interval_ms=WEEK_MS,
        draft=True,
        automation=False,
    )


def _campaigns(member: Member) -> None:
    """Start a campaign with two versions, which workers send to the catcher, and write a draft of another."""
    template = EmailTemplate.objects.values_list("pk", flat=True).first()
    tags = dict(Tag.objects.values_list("name", "pk"))
    sender = Smtp.objects.values_list("pk", flat=True).first()
    versions = (("Question", "Coffee on us, {{contact.firstName}}?"), ("Plain", "Your invitation to a free tasting"))
    body = (
        "Hello {{contact.firstName}},\n\nwe'd love to bring our new roast to your office for a free tasting."
        " Which day suits you?\n\nDana"
    )
    variants = [
        {"name": name, "share": 50, "templateId": None, "subject": subject, "body": body} for name, subject in versions
    ]
    tasting = create_campaign(
        member_id=member.pk, name="Free tasting", smtp=sender, tags=[tags["Moved office"]], variants=variants
    )
    start_campaign(id=tasting.pk, member_id=member.pk)
    create_campaign(
        member_id=member.pk,
        name="News for key accounts",
        smtp=sender,
        tags=[tags["Key account"]],
        template_id=template,
        throttle=60,
    )


def write_sample(data: Path) -> Path:
    """Write a file to import: new people, a few existing ones, and a few invalid rows. Returns its path.

    An imported file is replaced by one with other people, so that the main job creates some each time.
    """
    fresh = _people_who_are_missing()
    rows = [person.cells() for person in (*fresh[:60], *people(5), *fresh[60:])]
    rows[20:20] = _wrong_rows(fresh[0])
    text = io.StringIO()
    csv.writer(text).writerows([HEADERS, *rows])
    file = data / "demo" / "contacts.csv"
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists() or file.read_text(encoding="utf-8") != text.getvalue():
        replace(file, text.getvalue())
    return file


def _people_who_are_missing() -> list[Person]:
    """Return the next ROWS_IN_FILE people of whom the active company has fewer than half."""
    start = CONTACTS
    while True:
        batch = people(start + ROWS_IN_FILE)[start:]
        if Contact.objects.filter(email__in=[person.email for person in batch]).count() * 2 < ROWS_IN_FILE:
            return batch
        start += ROWS_IN_FILE


def _wrong_rows(person: Person) -> list[list[str]]:
    """Return rows with an invalid address, a number that is too short, and no address."""
    return [
        ["Nora Holm", "nora.holm(at)kestrel-foods", "+46", "701740001", "Kestrel Foods", person.job, "Malmö", "12"],
        ["Ian Marsh", "ian.marsh@maple-legal.example", "+44", "12", "Maple Legal", person.job, "Leeds", "40"],
        ["Eva Postma", "", "+31", "612340002", "Fjord Freight", person.job, "Utrecht", "8"],
    ]


def local_address() -> str:
    """Return the service's address for a browser on this machine."""
    return str(settings.BASE_URL).replace("://0.0.0.0", "://127.0.0.1").replace("://[::]", "://[::1]")
