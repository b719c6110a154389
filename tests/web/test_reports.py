"""The pages of reports and dashboards."""

from __future__ import annotations

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.utils import timezone

from accounts.models import Member, Role
from core.web.figures import change_text, dates_of
from crm.models import Contact
from outreach.models import Dashboard
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

pytestmark = pytest.mark.django_db


def test_a_report_leads_to_what_it_counts_and_onto_a_dashboard(cast: Cast) -> None:
    with cast.scope():
        for name, status in (("Ann Lee", "new"), ("Bob Ray", "won"), ("Cy Fox", "won")):
            LeadFactory(contact=ContactFactory(name=name), status=status)
    client = enter(cast.owner)
    usual = client.get(at(cast.owner, "reports"))
    assert '<svg class="chart"' in html_of(usual)
    asked = "reports?reportType=leads&by=status&chart=bar&metric=created"
    page = html_of(client.get(at(cast.owner, asked)))
    assert re.search(r"<progress max=\"2\" value=\"2\" aria-label=\"Won\">", page)
    link = re.search(r'<a class="link" href="([^"]+)">Won</a>', page)
    assert link is not None
    leads = text_of(client.get(unescape(link[1])))
    assert ("Bob Ray" in leads, "Ann Lee" in leads, "Records of the report" in leads) == (True, False, True)
    file = client.get(at(cast.owner, "reports?reportType=leads&by=status&download=true"))
    assert b"".join(file.streaming_content).decode("utf-8-sig").splitlines()[1].startswith("Won,2,")
    wrong = text_of(client.get(at(cast.owner, "reports?reportType=leads&by=vendor&chart=line&startDate=2020-01-01")))
    assert "at most 366 days" in wrong

    added = client.post(at(cast.owner, asked), {"do": "add", "name": "Sales", "range": "thisMonth"})
    assert "Added to the dashboard" in toast_of(client, added)
    with cast.scope():
        board = Dashboard.objects.get(name="Sales")
    added = client.post(at(cast.owner, asked), {"do": "add", "dashboard": board.pk, "range": "custom"})
    shown = text_of(client.get(added["Location"]))
    assert ("This month" in shown, shown.count("Won 2")) == (True, 2)
    sent = {
        "name": "Sales",
        "shared": "on",
        "title-1": "First",
        "title-2": "Second",
        "chart-2": "number",
        "place-1": "9",
    }
    saved = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", **sent})
    assert "Dashboard saved" in toast_of(client, saved)
    with cast.scope():
        board.refresh_from_db()
    kept = [(tile["title"], tile["chart"], tile["range"]) for tile in board.tiles]
    assert (board.shared, kept) == (True, [("Second", "number", "custom"), ("First", "bar", "thisMonth")])
    up = {"name": "Sales", "shared": "on", "title-1": "Second", "title-2": "First", "place-1": "1", "place-2": "1"}
    client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", **up})
    with cast.scope():
        board.refresh_from_db()
    assert [tile["title"] for tile in board.tiles] == ["First", "Second"]  # the one that was moved there is the first

    with cast.scope():
        role = Role.objects.get(name="Viewer")
        viewer = enter(MemberFactory(status=Member.Status.ACCEPTED, role=role))
    found = html_of(viewer.get(at(cast.owner, f"dashboards/{board.pk}")))
    assert ("Second" in found, ">Edit" in found) == (True, False)
    assert "Add to a dashboard" not in text_of(viewer.get(at(cast.owner, "reports")))
    gone = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "save", "remove-1": "on", "name": ""})
    assert (gone.status_code, "name" in html_of(gone)) == (422, True)
    deleted = client.post(at(cast.owner, f"dashboards/{board.pk}/edit"), {"do": "delete"})
    assert "Dashboard deleted" in toast_of(client, deleted)


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("last7", "2026-02-23", "2026-03-01"),
        ("last90", "2025-12-02", "2026-03-01"),
        ("thisMonth", "2026-03-01", "2026-03-01"),
        ("lastMonth", "2026-02-01", "2026-02-28"),
        ("thisQuarter", "2026-01-01", "2026-03-01"),
    ],
)
def test_periods_have_their_days(period: str, first: str, last: str) -> None:
    assert dates_of(period, date(2026, 3, 1)) == {"startDate": first, "endDate": last}
    assert dates_of("custom", date(2026, 3, 1)) == {}


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        (15, 10, "▲ 50 % more than in the 30 days before (10)"),
        (5, 10, "▼ 50 % less than in the 30 days before (10)"),
        (10, 10, "10 in the 30 days before"),
        (4, 0, "▲ None in the 30 days before"),
        (0, 0, "0 in the 30 days before"),
        (None, 10, "10 in the 30 days before"),
    ],
)
def test_a_change_is_told_in_words(now: int | None, before: int, text: str) -> None:
    assert change_text(now, before, str(before), 30, in_points=False) == text


def test_a_rate_changes_by_points() -> None:
    assert change_text(12.5, 10, "10 %", 7, in_points=True).startswith("▲ 2.5 points more")
    assert change_text(8, 10, "10 %", 7, in_points=True).startswith("▼ 2.0 points less")


def test_a_report_compares_with_the_days_before_and_folds_empty_days(cast: Cast) -> None:
    now = timezone.now()
    with cast.scope():
        for days_ago in (0, 1, 5, 9, 9):
            contact = ContactFactory(email=f"a{ContactFactory._meta.model.objects.count()}@ann.example")
            Contact.objects.filter(pk=contact.pk).update(created_at=now - timedelta(days=days_ago))
    client = enter(cast.owner)
    address = at(cast.owner, "reports?reportType=contacts&by=day&metric=added&range=last7")
    page = client.get(address)
    shown = text_of(page)
    assert "50 % more than in the 7 days before (2)" in shown
    assert "3 days without data" in shown
    assert '<option value="last7" selected>' in html_of(page)
    assert "Show table" in shown
    forged = text_of(client.get(at(cast.owner, "reports?range=ever")))
    assert "in the 30 days before" in forged


def test_a_new_dashboard_opens(cast: Cast) -> None:
    client = enter(cast.owner)
    made = client.post(at(cast.owner, "dashboards/new"), {"do": "save", "name": "Board"})
    with cast.scope():
        assert made["Location"] == at(cast.owner, f"dashboards/{Dashboard.objects.get().pk}")
