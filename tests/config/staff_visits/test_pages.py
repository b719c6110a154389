"""The pages of a staff visit: every list and record of one company, read-only, without secrets, each one logged."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from django.utils import timezone

from accounts.models import Company, StaffVisit, User
from accounts.staff_visits.services import open_visit
from config.staff_visits.resources import find_resources
from config.urls import session
from core.ids import new_id
from crm.models import FollowUp, Lead, Meeting
from outreach.models import ChatApp
from tests.config.staff_visits.helpers import REASON, at, opened, show, spread_secrets
from tests.guards.backoffice_rows import SECRET
from tests.guards.population import populate
from tests.guards.routes import operations
from tests.kit.cast import Cast
from tests.kit.examples import walked
from tests.kit.factories import ContactFactory, SubscriptionFactory, TagFactory
from tests.kit.rows import row

RESOURCES = find_resources(session.router.operations())
every_resource = pytest.mark.parametrize("resource", walked(RESOURCES), ids=lambda resource: resource.route.path)


def test_each_list_of_the_api_has_a_page(visit: StaffVisit) -> None:
    lists = {
        one.path.removeprefix("api/protected/")
        for one in operations("api/protected/")
        if one.method == "GET" and one.endpoint.many
    }
    plain = {path for path in lists if "<" not in path} - {"events"}  # the feed has no pages
    assert {"contact", "contact/import", "tag", "api", "genie", "genie/send-jobs", "logs/smtp"} <= plain
    assert {resource.route.path for resource in RESOURCES} == plain
    for path in plain:
        assert resolve(at(visit, path)).kwargs["resource"].route.path == path
    assert "contact/<str:id>" in {resource.record.path for resource in RESOURCES if resource.record}
    assert [one.route.path for r in RESOURCES for one in r.below if r.route.path == "contact/import"] == [
        "contact/import/<str:id>/errors"
    ]


def test_list_and_records_show_one_company_and_no_secret(
    cast: Cast, outsiders: Cast, visit: StaffVisit, client: Client, subtests: pytest.Subtests
) -> None:
    for company in (cast, outsiders):
        populate(company)
        _add_kinds(company)
        spread_secrets(company)
    for resource in walked(RESOURCES):
        with row(subtests, resource.route.path):
            shows_one_company_and_no_secret(resource, cast, outsiders, visit, client)


def shows_one_company_and_no_secret(
    resource: Any, cast: Cast, outsiders: Cast, visit: StaffVisit, client: Client
) -> None:
    before = opened(visit, cast)
    pages = {resource.route.path: client.get(at(visit, resource.route.path))}
    assert pages[resource.route.path].context["problem"] == ""
    records = [
        row["address"].partition(visit.pk + "/")[2]
        for row in pages[resource.route.path].context["rows"]
        if row["address"]
    ]
    for place in records[:1]:
        pages[place] = client.get(at(visit, place))
        assert pages[place].context["entries"]
        for one in resource.below:
            below = f"{place}/{one.route.path.rpartition('/')[2]}"
            pages[below] = client.get(at(visit, below))
            assert pages[below].context["rows"] or one.route.path in NO_ROWS
    assert records or not resource.record or resource.route.path in NO_RECORD
    for place, answer in pages.items():
        shown = answer.content.decode()
        assert answer.status_code == 200
        assert SECRET not in shown, place
        assert cast.api_key.key not in shown
        assert "/files/" not in shown, place
        assert outsiders.owner.email not in shown, place
        assert outsiders.company.name not in shown, place
    assert opened(visit, cast) == [*before, *(f"/{place}" for place in pages)]


NO_ROWS = {"campaign/<str:id>/messages"}
"""Lists below a record that only some records have: the campaign here goes by itself."""
NO_RECORD = {
    *("ai-crm-chat", "my-videocall"),
    *("ai-usage", "apps/ai-a", "apps/ai-b", "apps/ai-offline", "apps/enrich"),
    *(f"apps/mailvendor-{letter}" for letter in "bcdefgh"),
    *("workflow/approvals", "contact/merge", "dashboard", "export", "lead/import", "lead/merge", "saved-view"),
    *("organization/import", "organization/merge"),
}
"""Lists whose records are of some kind that the population has not made, or which no visitor sees."""


def _add_kinds(cast: Cast) -> None:
    """Add what lists show of models that the population has of another kind."""
    with cast.scope():
        for vendor in ("messenger", "social-b"):
            ChatApp.objects.create(name=vendor, vendor=vendor, phone_number_id=new_id(), access_token=SECRET)
        begins = timezone.now()
        times = {"starts_at": begins, "ends_at": begins + timedelta(hours=1), "timezone": "UTC"}
        Meeting.objects.create(title="Call", kind="online", organizer=cast.owner, **times)
        FollowUp.objects.create(title="Call", lead=Lead.objects.first(), due_at=begins)


def test_records_of_keys_have_no_page(cast: Cast, visit: StaffVisit, client: Client) -> None:
    assert cast.api_key.masked_key in show(client, visit, "api")
    assert client.get(at(visit, f"api/{cast.api_key.pk}")).status_code == 404
    assert client.get(at(visit, f"file/{cast.api_key.pk}/download")).status_code == 404


def test_overview(cast: Cast, visit: StaffVisit, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.staff_visits.pages.COUNTING", float("inf"))
    with cast.scope():
        ContactFactory.create_batch(3)
    page = show(client, visit)
    for shown in (cast.company.name, REASON, cast.owner.email, cast.narrow.email, "Active", "End the visit"):
        assert shown in page, shown
    counts = {one["title"]: one["number"] for one in client.get(at(visit)).context["counts"]}
    assert (counts["Contacts"], counts["API keys"], counts["Tags"]) == (3, 1, 0)
    uncounted = {title for title, number in counts.items() if number is None}
    kinds = ("Contacts", "Leads", "Organizations")
    assert uncounted == {f"{kind} that are probably the same" for kind in kinds}
    assert opened(visit, cast) == ["/", "/"]
    monkeypatch.setattr("config.staff_visits.pages.COUNTING", 0)  # what there is no time for is there to be looked at
    assert {one["number"] for one in client.get(at(visit)).context["counts"]} == {None}


def test_lists_page_on_and_back_and_are_searched(cast: Cast, visit: StaffVisit, client: Client) -> None:
    with cast.scope():
        for number in range(120):
            ContactFactory(name=f"Person {number:03d}", email=None)  # one with a number, the search would find, too
    place, seen, back = "contact?", [], []
    while place:
        answer = client.get(at(visit, place))
        assert answer.context["total"] == 120
        seen.append(re.findall(r"Person \d{3}", answer.content.decode()))
        back.append(answer.context["previous"])
        place = answer.context["next"] and "contact" + answer.context["next"]
    names = [list(dict.fromkeys(page)) for page in seen]
    assert [len(page) for page in names] == [50, 50, 20]
    assert len({name for page in names for name in page}) == 120
    assert back[0] == ""
    for step in (2, 1):
        answer = client.get(at(visit, "contact" + back[step]))
        assert list(dict.fromkeys(re.findall(r"Person \d{3}", answer.content.decode()))) == names[step - 1]
        assert answer.context["previous"] == back[step - 1]
    assert client.get(at(visit, "contact" + answer.context["next"])).context["previous"] == back[1]
    found = show(client, visit, "contact", search="person 017")
    assert set(re.findall(r"Person \d{3}", found)) == {"Person 017"}
    assert "No results." in show(client, visit, "contact", search="nobody")
    assert "/contact?search=person 017" in opened(visit, cast)


def test_queries_do_not_grow(cast: Cast, visit: StaffVisit, client: Client) -> None:
    counts = []
    for more in (1, 40):
        with cast.scope():
            ContactFactory.create_batch(more)
        client.get(at(visit, "contact"))
        with CaptureQueriesContext(connection) as queries:
            client.get(at(visit, "contact"))
        counts.append(len(queries))
    assert counts[1] <= counts[0] <= 30


def test_a_list_that_does_more_than_list_is_called_by_its_path() -> None:
    titles = {resource.route.path: resource.title for resource in RESOURCES}
    assert (titles["contact"], titles["contact/import"], titles["plans"]) == ("Contacts", "Imports", "Plans")


def test_what_the_api_refuses_is_said(cast: Cast, visit: StaffVisit, client: Client) -> None:
    answer = client.get(at(visit, "contact"), {"cursor": "nonsense"})
    assert (answer.status_code, answer.context["rows"]) == (200, [])
    assert "cursor" in answer.context["problem"]
    missing = client.get(at(visit, "contact/" + "0" * 24))
    assert missing.context["problem"].endswith("there is no such contact in this company")
    assert "Invalid format" in client.get(at(visit, "contact/nonsense")).context["problem"]
    assert '<p class="backoffice-problem" role="alert">' in missing.content.decode()


def test_values_are_escaped(cast: Cast, visit: StaffVisit, client: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="<script>alert(1)</script>")
    for place in ("contact", f"contact/{contact.pk}"):
        page = show(client, visit, place)
        assert "<script>alert(1)" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_a_lapsed_company_can_be_looked_at(cast: Cast, visit: StaffVisit, client: Client) -> None:
    with cast.scope():
        TagFactory(name="Trade fair")
        from billing.models import Subscription

        Subscription.objects.all().delete()
        assert cast.session.get("/tag").status == 500
        assert "Trade fair" in show(client, visit, "tag")
        assert "none" in show(client, visit)
        SubscriptionFactory(modules=["contact"])
        assert cast.session.get("/tag").status == 403
        assert "Trade fair" in show(client, visit, "tag")


# Who may look, and until when


# Nothing is written


def test_a_company_without_anything(staff: User, client: Client) -> None:
    company = Company.objects.create(name="Empty")
    visit = open_visit(staff=staff, company_id=company.pk, reason=REASON)
    assert "none" in show(client, visit)
    for resource in walked(RESOURCES):
        if resource.route.path == "plans":
            continue  # they are the service's
        assert "No records yet." in show(client, visit, resource.route.path)


# How answers are shown
