"""manage.py demo."""

from __future__ import annotations

import csv
import io
import json
import os
import socket
import stat
from pathlib import Path

import phonenumbers
import pytest
from django.core.management import call_command
from django.db.models import Count
from django.test import override_settings
from django.utils import timezone

from accounts.models import Company, Member, User
from billing.entitlements.selectors import entitlement_of
from billing.models import Dunning, Subscription
from config.local.demo.company import AUDIENCE, CONTACTS, HEADERS, OWNER, STAFF, TILES
from config.local.demo.outreach import ANSWERED, PEOPLE
from config.local.demo.people import people
from config.local.demo.ready_workflows import RUNS, WAYS
from config.local.demo.routine import MORE_LEADS
from config.local.demo.sales import LEADS
from config.local.ports import catcher_port
from core.tenancy import company_scope, unscoped
from crm.models import (
    CallLog,
    Comment,
    CommentMention,
    Contact,
    ContactTag,
    CustomField,
    CustomFieldValue,
    FollowUp,
    Lead,
    Meeting,
)
from outreach.connections.ai.services import choose_ai_app
from outreach.insights.reports.serializers import TileOut
from outreach.messaging.delivery.senders import choose_sender
from outreach.models import AiApp, AiUsage, GenieScheduler, SendJob, Smtp
from tests.kit.cast import KEY, Caller
from workflows.definitions.starters import templates
from workflows.models import RunStep, Workflow, WorkflowRun

pytestmark = pytest.mark.usefixtures("nobody")


@pytest.fixture
def data(tmp_path: Path, settings: object) -> Path:
    with override_settings(LEADWRIGHT_DATA=tmp_path):
        yield tmp_path


def run() -> str:
    out = io.StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def key_in(text: str) -> str:
    return text.partition("API key is ")[2].split()[0]


@pytest.mark.django_db
def test_makes_a_company_to_try(data: Path) -> None:
    text = run()
    company = Company.objects.get(name="Demo company")
    assert (company.name, company.timezone) == ("Demo company", "Europe/London")
    with company_scope(company.pk):
        assert Contact.objects.count() == CONTACTS == 300
        visitors = Contact.objects.filter(tag_links__tag__name=AUDIENCE).count()
        assert CustomFieldValue.objects.count() == CONTACTS * 5 + visitors > CONTACTS * 5
        assert set(CustomField.objects.filter(is_system=False).values_list("name", flat=True)) == {
            "Company",
            "Job title",
            "City",
            "Employees",
            "Birthday",
            "Visited our stand",
        }
        assert Contact.objects.filter(category=None).count() == 0
        assert (LEADS, Lead.objects.count()) == (36, 36 + 2 + MORE_LEADS)  # two are of bookings
        assert set(Lead.objects.values_list("status", flat=True)) == {
            *("new", "contacted", "qualified", "proposal", "won", "lost")
        }
        assert FollowUp.objects.filter(status="open").count() == 7
        assert (Comment.objects.count(), CommentMention.objects.count()) == (10, 7)
        assert LEADS <= CallLog.objects.count() <= 6 + LEADS + 2
        assert Meeting.objects.filter(starts_at__gt=timezone.now()).count() == 4
        colleagues = Member.objects.exclude(role=None).order_by("email").values_list("email", "role__name", "status")
        assert list(colleagues) == [
            ("alex@leadwright.example", "Sales, own records", "accepted"),
            ("kim@leadwright.example", "Member", "accepted"),
            ("robin@leadwright.example", "Manager", "accepted"),
            ("toni@leadwright.example", "Viewer", "accepted"),
        ]
        runs = GenieScheduler.objects.filter(of_campaign=None).order_by("name")
        assert list(runs.values_list("name", "draft", "recurring", "status")) == [
            ("Contracts ending this winter", True, False, "completed"),
            ("New machines for key accounts", True, False, "queued"),
            ("Tastings in Berlin", True, False, "queued"),
            ("Welcome", False, False, "completed"),
            ("Welcome to your new office", True, True, "queued"),
        ]
        followed = SendJob.objects.filter(run=runs[0], status="sent")
        assert dict(followed.values_list("step").annotate(n=Count("pk"))) == {1: PEOPLE, 2: PEOPLE - ANSWERED}
        assert followed.filter(next_step_at__gt=timezone.now()).count() == PEOPLE - ANSWERED
        assert AiUsage.objects.filter(run=runs[0]).exists()
        assert [step["template"] is not None for step in runs[1].outreach_cadence["steps"]] == [False, True]
        assert set(WAYS) == {key for key, template in templates().items() if template.get("emails")}
        for key in WAYS:
            workflow = Workflow.objects.get(name=templates()[key]["name"])
            ended = WorkflowRun.objects.filter(workflow=workflow, status="completed")
            assert (workflow.status, ended.count()) == ("published", RUNS)
            walked = set(RunStep.objects.filter(run__workflow=workflow).values_list("node", flat=True))
            assert walked <= {node["id"] for node in workflow.nodes}
        assert ContactTag.objects.filter(tag__name=AUDIENCE).count() == sum(
            AUDIENCE in person.tags for person in people(CONTACTS)
        )
        assert entitlement_of(company.pk) is not None
        assert choose_ai_app(None) == AiApp.objects.get(is_default=True)
        assert choose_sender(None) == Smtp.objects.get()
    listed = Caller(KEY, {"apikey": key_in(text)}).get("/contact", p=1, n=1)
    assert (listed.status, listed.body["totalCount"]) == (200, CONTACTS)


@pytest.mark.django_db
def test_again_it_is_the_same(data: Path) -> None:
    first, again = run(), run()
    assert again == first
    assert (Company.objects.count(), User.objects.count()) == (3, 8)
    with company_scope(Company.objects.get(name="Demo company").pk):
        assert (Contact.objects.count(), Smtp.objects.count(), AiApp.objects.count()) == (CONTACTS, 1, 2)
    with unscoped(reason="test: what the back office shows"):
        statuses = Subscription.objects.order_by("status").values_list("status", flat=True)
        assert list(statuses) == ["active", "past_due", "trial"]
        assert Dunning.objects.count() == 1


@pytest.mark.django_db
def test_what_people_changed_stays(data: Path) -> None:
    run()
    with company_scope(Company.objects.get(name="Demo company").pk):
        Contact.objects.filter(leads=None, conversations=None)[:1].get().delete()
        Company.objects.filter(name="Demo company").update(description="Something else")
    assert f"{CONTACTS - 1} contacts" in run()
    assert Company.objects.get(name="Demo company").description == "Something else"


@pytest.mark.django_db
def test_logins_that_are_printed_work(data: Path) -> None:
    text = run()
    password = text.partition(f"{OWNER} / ")[2].split()[0]
    assert password == text.partition(f"{STAFF} / ")[2].split()[0]
    owner, staff = User.objects.get(email=OWNER), User.objects.get(email=STAFF)
    users = list(User.objects.all())
    assert all(user.check_password(password) and user.email_verified_at for user in users)
    assert len({user.password for user in users}) == 1, "hashed once: that takes long on purpose"
    staff.set_password("another password")
    staff.save()
    run()
    staff.refresh_from_db()
    assert staff.check_password(password)
    assert (owner.is_staff, staff.is_staff, staff.is_superuser) == (False, True, True)
    file = data / "secrets" / "DEMO_PASSWORD"
    assert file.read_text() == password
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


@pytest.mark.django_db
def test_the_sender_follows_the_catcher(data: Path) -> None:
    run()
    noted = json.loads((data / "mailcatcher.json").read_text())
    with company_scope(Company.objects.get(name="Demo company").pk):
        assert (Smtp.objects.get().host, Smtp.objects.get().port) == ("127.0.0.1", noted["port"])
    (data / "mailcatcher.json").write_text(json.dumps({"host": "127.0.0.1", "port": 2, "pid": os.getpid()}))
    run()
    with company_scope(Company.objects.get(name="Demo company").pk):
        assert (Smtp.objects.get().port, Smtp.objects.get().verified) == (2, True)


def test_a_port_that_somebody_took_is_given_up(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        (tmp_path / "mailcatcher.json").write_text(json.dumps({"host": "127.0.0.1", "port": taken, "pid": 2**22 + 1}))
        port = catcher_port(tmp_path)
    assert port != taken
    assert catcher_port(tmp_path) == port


@pytest.mark.django_db
def test_the_sample_file_can_be_imported(data: Path) -> None:
    text = run()
    file = data / "demo" / "contacts.csv"
    assert f"file=@{file}" in text
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert tuple(rows[0]) == HEADERS
    assert len(rows) == 1 + 120 + 5 + 3
    key = key_in(text)
    caller = Caller(KEY, {"apikey": key})
    with file.open("rb") as stream:
        uploaded = caller.upload("/upload", stream)
    assert uploaded.status in (200, 201)
    made = caller.post("/contact/import", {"importType": "contact", "fileId": uploaded.data["_id"]})
    assert made.status == 201
    mapping = made.data["import"]["columnMapping"]
    assert mapping == {
        "Name": "name",
        "Email": "email",
        "Country code": "countryCode",
        "Phone": "number",
        "Company": "company",
        "Job title": "jobTitle",
        "City": "city",
        "Employees": "employees",
    }


@pytest.mark.django_db
def test_the_sample_file_holds_others_once_it_was_imported(data: Path) -> None:
    run()
    file = data / "demo" / "contacts.csv"
    first = file.read_text(encoding="utf-8")
    with company_scope(Company.objects.get(name="Demo company").pk):
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            Contact.objects.get_or_create(email=row["Email"], defaults={"name": row["Name"]})
        run()
        assert file.read_text(encoding="utf-8") != first
        with file.open(encoding="utf-8", newline="") as stream:
            emails = [row["Email"] for row in csv.DictReader(stream)]
        assert Contact.objects.filter(email__in=emails).count() <= 10


def test_each_tile_of_the_dashboard_has_what_the_api_promises() -> None:
    assert [tile.keys() for tile in TILES] == [TileOut._declared_fields.keys()] * len(TILES)


def test_people_are_the_same_and_all_different() -> None:
    everybody = people(500)
    assert everybody[:300] == people(300)
    assert len({person.email for person in everybody}) == 500
    assert len({person.dial + person.number for person in everybody}) == 500
    assert all(person.email.endswith(".example") for person in everybody)
    assert len({person.dial for person in everybody}) == 7
    wrong = [
        person
        for person in everybody
        if not phonenumbers.is_valid_number(phonenumbers.parse(person.dial + person.number))
    ]
    assert wrong == []
