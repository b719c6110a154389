"""The pages of reports and dashboards."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.models import Member, Role
from crm.activities.services import add_note
from crm.models import Lead, LeadActivity, Stage
from outreach.insights.reports.pages.pictures import change_of, fold_empty_days
from outreach.models import Dashboard, Form, FormLead, GenieScheduler, SendJob
from outreach.runs.campaigns.models import Campaign
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
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
    assert '<div class="chart' in html_of(usual)
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


def test_numbers_tell_their_change_and_lead_to_their_lists(cast: Cast) -> None:
    today = timezone.now()
    with cast.scope():
        ages = (1, 2, 2, 40, 45)
        for age in ages:
            lead = LeadFactory(status="won" if age == 2 else "new")
            Lead.objects.filter(pk=lead.pk).update(created_at=today - timedelta(days=age))
        Lead.objects.filter(status="won").update(status_changed_at=today - timedelta(days=1))
    client = enter(cast.owner)
    page = client.get(at(cast.owner, "reports?reportType=leads&by=day&range=last30"))
    html, text = html_of(page), text_of(page)
    assert "50% more than the 30 days before" in text  # 3 after 2
    assert "None in the 30 days before" in text  # won
    assert re.search(r"\d+ days without data", text)
    cards = re.findall(r'<a class="stat-value num" href="([^"]+)" aria-label="([^:]+): (\d+), show the list', html)
    assert [(title, number) for _, title, number in cards] == [("Created", "3"), ("Won", "2")]
    for link, title, number in cards:
        assert f"{number} leads" in text_of(client.get(unescape(link))), title
    cells = re.findall(r'<td class="right num"><a href="([^"]+)">(\d+)</a>', html)
    assert len(cells) >= 4
    for link, number in cells:
        assert re.search(rf"\b{number} leads?\b", text_of(client.get(unescape(link))))
    other = html_of(client.get(at(cast.owner, "reports?reportType=contacts&range=last90")))
    assert '<input type="hidden" name="range" value="last90">' in other
    own = client.get(at(cast.owner, "reports?reportType=leads&range=custom&startDate=2020-01-01&endDate=2020-01-01"))
    assert ("No change from the day before" in text_of(own), "No data in these days." in text_of(own)) == (True, True)


def test_each_number_of_a_report_leads_to_its_list(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory()
        add_note(actor_id=cast.owner.pk, lead_id=lead.pk, contact_id=None, notes="Ring <b>tomorrow</b>")
        form = Form.objects.create(name="Contact us")
        FormLead.objects.create(form=form, leadgen_id="1", submitted_at=timezone.now(), state="failed")
    client = enter(cast.owner)
    counted = {}
    for report in ("activities&by=kind", "forms&by=form"):
        html = html_of(client.get(at(cast.owner, f"reports?reportType={report}")))
        cards = re.findall(r'<a class="stat-value num" href="([^"]+)" aria-label="([^:]+): (\d+), show the list', html)
        assert cards, report
        for link, title, number in cards:
            text = text_of(client.get(unescape(link)))
            assert re.search(rf"\b{number} (activit|submission)", text), (title, number, text)
            counted[title] = text
    assert ("Ring <b>tomorrow</b>" in counted["Notes"], "Contact us" in counted["Failed"]) == (True, True)
    assert client.get(at(cast.owner, "reports/payments")).status_code == 200


@time_machine.travel("2026-11-28T12:00:00Z", tick=False)
def test_a_month_is_compared_with_the_month_before(db: None) -> None:
    cast = make_cast()  # whose subscription runs at this time
    created = ("2026-11-01", "2026-11-28", "2026-11-20", "2026-10-01", "2026-10-28", "2026-10-30", "2026-09-15")
    with cast.scope():
        for day in created:
            Lead.objects.filter(pk=LeadFactory().pk).update(created_at=f"{day}T12:00:00Z")
    client = enter(cast.owner)
    this = text_of(client.get(at(cast.owner, "reports?reportType=leads&by=day&range=thisMonth")))
    assert "50% more than 1 Oct 2026 – 28 Oct 2026" in this
    last = text_of(client.get(at(cast.owner, "reports?reportType=leads&by=day&range=lastMonth")))
    assert "Over ten times" not in last
    assert "200% more than 1 Sep 2026 – 30 Sep 2026" in last


@pytest.mark.parametrize(
    ("value", "before", "type", "expected"),
    [
        (3, 2, "count", "50% more than May"),
        (1, 2, "money", "50% less than May"),
        (12.5, 10.0, "percent", "2.5 points more than May"),
        (7.5, 10.0, "percent", "2.5 points less than May"),
        (1.0, 3.0, "days", "2.0 days less than May"),
        (4.0, 3.0, "days", "1.0 days more than May"),
        (2, 2, "count", "No change from May"),
        (1001, 1000, "money", "No change from May"),
        (10.01, 10.0, "percent", "No change from May"),
        (2, 0, "count", "None from May"),
        (70, 5, "count", "Over ten times May"),
        (None, 2, "percent", None),
    ],
)
def test_changes_against_a_month_are_sentences(
    value: float | None, before: float | None, type: str, expected: str | None
) -> None:
    change = change_of(value, before, type, 30, "May")
    assert (change.text if change else None) == expected


@pytest.mark.parametrize(
    ("value", "before", "type", "days", "expected"),
    [
        (3, 2, "count", 30, "50% more than the 30 days before"),
        (1, 2, "money", 7, "50% less than the 7 days before"),
        (12.5, 10.0, "percent", 7, "2.5 points more than the 7 days before"),
        (1.0, 3.0, "days", 1, "2.0 days less than the day before"),
        (2, 2, "count", 1, "No change from the day before"),
        (1001, 1000, "count", 30, "No change from the 30 days before"),
        (0.98, 1.0, "days", 7, "No change from the 7 days before"),
        (2, 0, "count", 7, "None in the 7 days before"),
        (70, 5, "count", 7, "Over ten times the 7 days before"),
        (None, 2, "percent", 7, None),
        (2, None, "count", 7, None),
    ],
)
def test_changes_are_sentences(
    value: float | None, before: float | None, type: str, days: int, expected: str | None
) -> None:
    change = change_of(value, before, type, days)
    assert (change.text if change else None) == expected


def test_days_without_data_fold(cast: Cast) -> None:
    rows = [{"key": str(day), "is_empty": day not in (1, 5)} for day in range(1, 9)]
    lines = [
        (line.get("folded"), line.get("first"), line.get("last"), line.get("key")) for line in fold_empty_days(rows)
    ]
    assert lines == [
        (None, None, None, "1"),
        (3, "2", "4", None),
        (None, None, None, "5"),
        (3, "6", "8", None),
    ]


def test_bars_show_groups_with_numbers_alone(cast: Cast) -> None:
    with cast.scope():
        LeadFactory(status="new")
        won = LeadFactory(status="new")
        LeadActivity.objects.create(
            kind="status",
            lead=won,
            contact=won.contact,
            happened_at=timezone.now(),
            details={"status": {"from": "new", "to": "won"}},
        )
        Lead.objects.filter(pk=won.pk).update(status="won")
    page = html_of(enter(cast.owner).get(at(cast.owner, "reports?reportType=pipeline&by=status&metric=open")))
    assert re.findall(r'<progress max="1" value="1" aria-label="(\w+)">', page) == ["New"]


@pytest.mark.parametrize(
    ("metric", "by", "period"),
    [("open", "stage", "Now"), ("openValue", "status", "Now"), ("moved", "day", "This month")],
)
def test_a_number_of_now_has_no_days(cast: Cast, metric: str, by: str, period: str) -> None:
    offered = stage_ids(make_pipeline(cast))["Offered"]
    with cast.scope():
        LeadFactory(stage=Stage.objects.get(status="new"), value=3)
        LeadFactory(stage=Stage.objects.get(pk=offered), value=5)
    client = enter(cast.owner)
    asked = f"reports?reportType=pipeline&by={by}&chart=bar&metric={metric}"
    added = client.post(at(cast.owner, asked), {"do": "add", "name": "Sales", "range": "thisMonth"})
    shown = text_of(client.get(added["Location"]))
    assert {text for text in ("Now", "This month") if text in shown} == {period}
    assert ("Wholesale: Offered" in shown) == (by == "stage")


def test_a_new_dashboard_opens(cast: Cast) -> None:
    client = enter(cast.owner)
    made = client.post(at(cast.owner, "dashboards/new"), {"do": "save", "name": "Sales"})
    with cast.scope():
        assert made["Location"] == at(cast.owner, f"dashboards/{Dashboard.objects.get().pk}")


def chosen_dashboard(page: Any) -> str:
    """Return the dashboard that the form chooses at first."""
    select = re.search(r'<select[^>]*name="dashboard".*?</select>', html_of(page), re.DOTALL)
    assert select is not None
    choice = re.search(r'value="([^"]*)" selected', select[0])
    return choice[1] if choice else ""


def test_the_only_or_last_opened_dashboard_is_chosen(cast: Cast) -> None:
    client = enter(cast.owner)
    reports = at(cast.owner, "reports?reportType=contacts")
    assert 'name="dashboard"' not in html_of(client.get(reports))
    with cast.scope():
        first, second, third = (Dashboard.objects.create(name=name, created_by=cast.owner) for name in "ABC")
        third.delete()
    assert chosen_dashboard(client.get(reports)) == ""
    for board in (first, second, first):
        client.get(at(cast.owner, f"dashboards/{board.pk}"))
        assert chosen_dashboard(client.get(reports)) == board.pk
    with cast.scope():
        first.delete()
    assert chosen_dashboard(enter(cast.owner).get(reports)) == second.pk


def test_a_refused_name_is_shown_at_its_field(cast: Cast) -> None:
    with cast.scope():
        Dashboard.objects.create(name="Sales", created_by=cast.owner)
    client = enter(cast.owner)
    reports = at(cast.owner, "reports?reportType=contacts")
    assert not re.search(r"<details[^>]* open><summary>Add to a dashboard", html_of(client.get(reports)))
    for name in ("", "x" * 300, " "):
        refused = client.post(reports, {"do": "add", "dashboard": "", "name": name, "range": "last7"})
        html = html_of(refused)
        assert refused.status_code == 422, name
        assert re.search(r"<details[^>]* open><summary>Add to a dashboard", html), name
        field = re.search(r'<input[^>]*name="name"[^>]*>', html)
        assert field is not None
        assert 'aria-invalid="true"' in field[0], name
    with cast.scope():
        assert Dashboard.objects.count() == 1


def test_the_forecast_shows_its_weighted_value_and_no_period(cast: Cast) -> None:
    client = enter(cast.owner)
    page = html_of(client.get(at(cast.owner, "reports?reportType=forecast")))
    cards = re.findall(r'<li class="card stat"><a\s+class="muted"[^>]*>([^<]*)</a>', page)
    assert cards == ["Weighted value", "Value", "Open leads"]
    assert 'aria-label="Period"' not in page
    for report in ("leads", "pipeline", "stages"):
        assert 'aria-label="Period"' in html_of(client.get(at(cast.owner, f"reports?reportType={report}")))


def test_a_chosen_report_opens_by_its_own_first_grouping(cast: Cast) -> None:
    client = enter(cast.owner)
    by_stage = html_of(client.get(at(cast.owner, "reports?reportType=leads&by=stage")))
    by_status = html_of(client.get(at(cast.owner, "reports?reportType=leads&by=status")))
    assert ['<option value="status"' in page for page in (by_stage, by_status)] == [False, True]
    reports = cast.session.get("/logs/report/types").data["reports"]
    assert len({report["by"][0]["key"] for report in reports}) > 2
    for report in reports:
        # The form sends the grouping that stood in it before the choice of another report.
        address = f"reports?of=leads&reportType={report['reportType']}&by=day&chart=bar"
        page = html_of(client.get(at(cast.owner, address)))
        first = "day" if report["reportType"] == "leads" else report["by"][0]["key"]
        assert re.search(rf'name="by".*?<option value="{re.escape(first)}" selected', page, re.DOTALL), report[
            "reportType"
        ]
        assert f'name="of" value="{report["reportType"]}"' in page


def test_campaigns_are_compared_by_an_open_table_first(cast: Cast) -> None:
    with cast.scope():
        campaign = Campaign.objects.create(name="Spring", status="completed", subject="x", body="x")
        run = GenieScheduler.objects.create(ai_type="offline", of_campaign=campaign, status="completed")
        SendJob.objects.create(
            run=run,
            contact=ContactFactory(),
            subject="Hi",
            status="sent",
            channel="smtp",
            sending_at=timezone.now(),
            sent_at=timezone.now(),
        )
    client = enter(cast.owner)
    html = html_of(client.get(at(cast.owner, "reports?reportType=campaigns")))
    assert html.index('class="figures"') < html.index('class="stats"')
    assert "Show table" not in html
    titles = [unescape(title).strip() for title in re.findall(r'<li class="card stat"><a[^>]*>([^<]*)</a>', html)]
    assert titles == ["Sent", "Replied", "Open rate", "Click rate"]
    row = re.search(r"Spring</a>(.*?)</tr>", html, re.DOTALL)
    assert row is not None
    assert re.findall(r">([^<>\s]+)</(?:a|td)>", row[1])[:2] == ["1", "–"]
    assert "SMTP servers do not report deliveries." in html
    file = client.get(at(cast.owner, "reports?reportType=campaigns&by=campaign&download=true"))
    assert b"".join(file.streaming_content).decode("utf-8-sig").splitlines()[1].startswith("Spring,1,,")
    bars = html_of(client.get(at(cast.owner, "reports?reportType=campaigns&by=campaign&chart=bar&metric=bounced")))
    assert bars.index('class="stats"') < bars.index("Show table")
    assert ">Bounced</a>" in bars
    chosen = html_of(client.get(at(cast.owner, "reports?reportType=campaigns&of=leads&by=day&chart=bar")))
    assert "Show table" not in chosen
