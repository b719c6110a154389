"""The company's page of the back office: what it shows, to whom, at what cost; and the searches of the lists."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, CompanySettings, InviteLog, LoginLog, Member, ServerLog, User
from accounts.staff_visits.services import open_visit
from core.backoffice.panels import panels_of
from core.messages.defaults import DEFAULTS
from core.models import ResponseMessage
from core.tenancy import unscoped
from tests.kit.cast import Cast
from tests.kit.factories import CompanyFactory, MemberFactory, UserFactory

PANELS = {
    "Members": "accounts.view_member",
    "Settings": "accounts.view_companysettings",
    "API keys": "accounts.view_apikey",
    "Requests": "accounts.view_serverlog",
    "Log-ins": "accounts.view_loginlog",
    "Invites": "accounts.view_invitelog",
    "Visits": "accounts.view_staffvisit",
}


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("root@example.com", "correct horse battery", name="Root")


@pytest.fixture
def client(staff: User) -> Client:
    return browser(staff)


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, cast: Cast) -> Any:
    answer = client.get(reverse("admin:accounts_company_change", args=(cast.company.pk,)))
    assert answer.status_code == 200
    return answer


def panels(client: Client, cast: Cast) -> dict[str, str]:
    return {one["title"]: one["html"] for one in page(client, cast).context["panels"]}


def happen(cast: Cast, staff: User, word: str, count: int = 1) -> None:
    """Something of each kind, in which the word can be found."""
    with cast.scope():
        for number in range(count):
            LoginLog.objects.create(
                email=f"{word}{number}@example.org", status="failed", reason="wrong password", ip="192.0.2.7"
            )
            InviteLog.objects.create(
                member=cast.narrow, email=f"{word}-invited{number}@example.org", action="role_changed", detail=word
            )
            ServerLog.objects.create(
                auth_path="session",
                member=cast.owner,
                method="POST",
                route="contact/<str:id>",
                path=f"/{word}/{number}",
                status=403,
                duration_ms=12.3,
            )
            open_visit(staff=staff, company_id=cast.company.pk, reason=f"Ticket {number} {word}")


def test_each_panel_shows_what_is_there(cast: Cast, outsiders: Cast, staff: User, client: Client) -> None:
    happen(cast, staff, "apple")
    happen(outsiders, staff, "quince")
    used = timezone.now().replace(microsecond=0)
    with cast.scope():
        ApiKey.objects.update(last_used_at=used)
        CompanySettings.objects.update_or_create(
            defaults={"app_name": "Orchard", "currency": "NOK", "links": {"x": "https://x.example"}}
        )
    shown = panels(client, cast)
    expected = {
        "Members": (cast.owner.email, cast.narrow.email, "Owner", "Accepted"),
        "Settings": ("Orchard", "NOK", "d mmm yyyy HH:mm", "UTC"),
        "API keys": (cast.api_key.masked_key, used.isoformat(), cast.owner.name),
        "Requests": ("POST /apple/0", "403", "12 ms", "Browser or app", cast.owner.name),
        "Log-ins": ("apple0@example.org", "Failed", "wrong password", "192.0.2.7"),
        "Invites": ("apple-invited0@example.org", "Role changed", "apple"),
        "Visits": ("Ticket 0 apple", "root@example.com", "Open"),
    }
    assert set(PANELS) == set(expected)
    assert set(PANELS) <= set(shown)
    for title, words in expected.items():
        for word in words:
            assert word in shown[title], (title, word)
    text = page(client, cast).content.decode()
    for foreign in ("quince", outsiders.owner.email, outsiders.api_key.masked_key, cast.api_key.key):
        assert foreign not in text, foreign


def test_panels_lead_to_their_filtered_lists(cast: Cast, outsiders: Cast, staff: User, client: Client) -> None:
    happen(cast, staff, "apple")
    happen(outsiders, staff, "quince")
    shown = panels(client, cast)
    pages = {f"accounts.view_{model._meta.model_name}": model for model in admin.site._registry}
    for title, permission in PANELS.items():
        model = pages[permission]
        if model is CompanySettings:
            continue
        place = f"{reverse(f'admin:accounts_{model._meta.model_name}_changelist')}?company__id__exact={cast.company.pk}"
        assert f'href="{place}"' in shown[title], title
        text = client.get(place).content.decode()
        assert "quince" not in text
        assert outsiders.owner.email not in text


def test_a_company_where_nothing_happened(client: Client) -> None:
    company = CompanyFactory()
    answer = client.get(reverse("admin:accounts_company_change", args=(company.pk,)))
    shown = {one["title"]: one["html"] for one in answer.context["panels"]}
    assert "Never changed" in shown["Settings"]
    assert "No requests yet." in shown["Requests"]
    assert "No log-ins yet." in shown["Log-ins"]
    assert "No invites yet." in shown["Invites"]
    assert "No visits yet." in shown["Visits"]


@pytest.mark.parametrize("title", PANELS)
def test_a_panel_takes_the_permission_of_its_records(title: str, cast: Cast, staff: User) -> None:
    happen(cast, staff, "apple")
    user = UserFactory(is_staff=True)
    codename = PANELS[title].removeprefix("accounts.")
    user.user_permissions.add(Permission.objects.get(codename="view_company"))
    assert title not in panels(browser(user), cast)
    user.user_permissions.add(Permission.objects.get(codename=codename, content_type__app_label="accounts"))
    assert set(PANELS) & set(panels(browser(user), cast)) == {title}


def test_queries_do_not_grow(cast: Cast, staff: User, client: Client) -> None:
    happen(cast, staff, "apple", 2)
    page(client, cast)
    with CaptureQueriesContext(connection) as few:
        page(client, cast)
    happen(cast, staff, "quince", 25)
    with cast.scope():
        MemberFactory.create_batch(20)
    with CaptureQueriesContext(connection) as many:
        page(client, cast)
    assert len(many) <= len(few)


# Finding


def found(client: Client, kind: str, search: str) -> set[str]:
    answer = client.get(reverse(f"admin:{kind}_changelist"), {"q": search})
    assert answer.status_code == 200
    return {str(row) for row in answer.context["cl"].result_list}


def test_companies_are_found(cast: Cast, outsiders: Cast, client: Client) -> None:
    company = cast.company
    type(company).objects.filter(pk=company.pk).update(name="Orchard & Sons", website="https://orchard.example")
    for search in (
        "orchard & s",
        "Orchard",
        "orchard.example",
        company.pk,
        company.email,
        cast.narrow.email,
        cast.owner.email.upper(),
    ):
        assert found(client, "accounts_company", search) == {"Orchard & Sons"}, search
    with outsiders.scope():
        Member.objects.create(email="somebody@example.org", status=Member.Status.INVITED)
    assert found(client, "accounts_company", "somebody@example.org") == {outsiders.company.name}
    assert found(client, "accounts_company", "nobody@example.org") == set()
    assert found(client, "accounts_company", "") >= {"Orchard & Sons", outsiders.company.name}


def test_users_are_found(cast: Cast, outsiders: Cast, client: Client) -> None:
    people = {cast.owner.email, cast.narrow.email}
    assert found(client, "accounts_user", cast.company.name.lower()) == people
    assert found(client, "accounts_user", cast.company.pk) == people
    assert found(client, "accounts_user", cast.narrow.email.upper()) == {cast.narrow.email}
    assert found(client, "accounts_user", cast.narrow.user.pk) == {cast.narrow.email}
    assert found(client, "accounts_user", "nobody at all") == set()


def test_a_users_page_shows_where_they_belong_and_log_in(
    cast: Cast, outsiders: Cast, client: Client, rf: Any, staff: User
) -> None:
    user = cast.owner.user
    with cast.scope():
        LoginLog.objects.create(user=user, email=user.email, status="success", ip="192.0.2.1")
    with outsiders.scope():
        MemberFactory(user=user)
        LoginLog.objects.create(user=user, email=user.email, status="success", ip="192.0.2.1")
        LoginLog.objects.create(user=outsiders.owner.user, email="x@example.org", status="failed", ip="192.0.2.2")
    with unscoped(reason="test: rows of one attempt have one time"):
        LoginLog.objects.update(created_at=timezone.now())
    text = client.get(reverse("admin:accounts_user_change", args=(user.pk,))).content.decode()
    for shown in (cast.company.name, outsiders.company.name, "192.0.2.1", "Owner"):
        assert shown in text, shown
    assert "192.0.2.2" not in text
    assert text.count("192.0.2.1") == 1
    request = rf.get("/")
    request.user = UserFactory(is_staff=True)
    assert panels_of(user, request) == []


# Response messages


def test_edited_messages_are_found(client: Client) -> None:
    ResponseMessage.objects.filter(name="ContactNotFound_400").update(text="No such contact")
    place = reverse("admin:core_responsemessage_changelist")
    edited = {row.name for row in client.get(place, {"edited": "yes"}).context["cl"].result_list}
    assert edited == {"ContactNotFound_400"}
    rest = client.get(place, {"edited": "no"}).context["cl"]
    assert rest.result_count == len(DEFAULTS) - 1
    assert found(client, "core_responsemessage", "no such contact") == {"ContactNotFound_400"}
    row = ResponseMessage.objects.get(name="ContactNotFound_400")
    status, text = DEFAULTS["ContactNotFound_400"]
    shown = client.get(reverse("admin:core_responsemessage_change", args=(row.pk,))).content.decode()
    assert f"{status} {text}" in shown
    client.post(reverse("admin:core_responsemessage_command", args=(row.pk,)), {"command": "reset"})
    assert client.get(place, {"edited": "yes"}).context["cl"].result_count == 0


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        (
            "ContactNotFound_400",
            ["", "x", "42", "100", "200", "204", "302", "399", "600", "4040", "-400"],
            ["400", "404", "410", "500", "599"],
        ),
        ("LeadCreated_201", ["199", "204", "205", "300", "400", "500"], ["200", "201", "202"]),
    ],
)
def test_a_bad_status_is_refused(name: str, bad: list[str], good: list[str], client: Client) -> None:
    row = ResponseMessage.objects.get(name=name)
    place = reverse("admin:core_responsemessage_change", args=(row.pk,))
    for status in bad:
        answer = client.post(place, {"status": status, "text": row.text})
        assert (answer.status_code, list(answer.context["adminform"].form.errors)) == (200, ["status"]), status
    row.refresh_from_db()
    assert row.status == DEFAULTS[name][0]
    for status in good:
        assert client.post(place, {"status": status, "text": "Told"}).status_code == 302, status
        row.refresh_from_db()
        assert (row.status, row.text) == (int(status), "Told")
    assert client.post(place, {"status": good[0], "text": ""}).status_code == 200
