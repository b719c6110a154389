"""The demo's last ninety days: every chart has a line, and nothing happened before its cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from accounts.models import Company, Member
from config.local.demo.calendar import DAYS, arrivals
from config.local.demo.company import provision_demo
from config.local.demo.history import MAILINGS
from config.urls.web import PAGES
from core.events.models import Event
from core.reports import REPORTS
from core.tenancy import company_scope
from core.web.lists import SIZE
from core.web.navigation.places import SETTINGS
from crm.activities.services import READERS, record
from crm.models import Contact, Lead, LeadActivity
from outreach.models import Campaign, InboundMessage, SendJob, Suppression, TrackingEvent
from tests.kit.cast import SESSION, Caller, session_headers
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.web.helpers import at, enter, text_of

FEW = {"billing": 1, "campaigns": 5, "quotes": 5}
"""Report -> the days of the last ninety that have numbers, where it is not BUSY: a company pays and offers now and
then, and a campaign goes out in a day."""
BUSY = 10
EMPTY = {"workflow-approvals"}
"""Names of pages that are empty in the demo, on purpose."""
CHOOSE = ("Select a conversation",)
"""Titles next to a list of which nothing is open."""
LINK = re.compile(r'<a class="stat-value[^"]*" href="([^"]+)" aria-label="([^:"]+): ([\d,]+), show the list"')


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    folder: Path = tmp_path_factory.mktemp("demo")
    with kept_for_module(django_db_blocker), override_settings(LEADWRIGHT_DATA=folder):
        company = provision_demo(folder).made.company
        with company_scope(company.pk):
            record(list(Event.objects.filter(kind__in=READERS)))  # as the worker does
        yield company


def owner_of(demo: Company) -> Member:
    with company_scope(demo.pk):
        return Member.objects.select_related("user").get(status="owner")


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_reports_have_numbers_on_many_days(demo: Company, name: str) -> None:
    caller = Caller(SESSION, session_headers(owner_of(demo)))
    if "day" not in REPORTS[name].order:
        rows = caller.get("/logs/report", reportType=name, by=next(iter(REPORTS[name].order))).data["rows"]
        assert len(rows) > 1
        return
    data = caller.get("/logs/report", reportType=name, by="day", range="last90").data
    busy = [row for row in data["rows"] if any(row[column["key"]] for column in data["columns"])]
    assert len(busy) >= FEW.get(name, BUSY), data["totals"]
    first = data["columns"][0]["key"]
    assert sum(bool(row[first]) for row in data["rows"]) >= FEW.get(name, BUSY)
    for by in REPORTS[name].order:
        rows = caller.get("/logs/report", reportType=name, by=by, range="last90").data["rows"]
        assert any(row[first] for row in rows if first in row) or by != "day", by
        assert rows, by


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_each_number_of_a_report_is_that_of_its_list(demo: Company, name: str) -> None:
    owner = owner_of(demo)
    client = enter(owner)
    page = html_of(client.get(at(owner, f"reports?reportType={name}&range=last90")))
    for link, title, number in LINK.findall(page):
        response = client.get(unescape(link))
        if name == "workflows":  # its list shows rows alone
            assert html_of(response).count("data-row=") == min(int(number), SIZE), title
        else:
            assert re.search(rf"(?<![\d,]){number} \w", text_of(response)), (title, number)


def test_no_page_of_the_menu_is_empty(demo: Company) -> None:
    owner = owner_of(demo)
    client = enter(owner)
    tabs = {page.menu: page for page in reversed(PAGES) if page.menu is not None and page.menu.place != SETTINGS}
    assert len(tabs) > 20
    empty = []
    for page in tabs.values():
        html = html_of(client.get(at(owner, page.path)))
        titles = re.findall(r'<div class="empty">.*?<h2>(.*?)</h2>', html, re.DOTALL)
        empty += [f"{page.name}: {title}" for title in titles if title not in CHOOSE]
    assert {line.partition(":")[0] for line in empty} <= EMPTY, "; ".join(empty)


def test_causes_come_first(demo: Company) -> None:
    with company_scope(demo.pk):
        assert not Lead.objects.filter(created_at__lt=F("contact__created_at")).exists()
        assert not Lead.objects.filter(status_changed_at__lt=F("created_at")).exists()
        assert not SendJob.objects.filter(status="sent", sent_at__lt=F("contact__created_at")).exists()
        assert not TrackingEvent.objects.filter(happened_at__lt=F("send_job__sent_at")).exists()
        assert not InboundMessage.objects.filter(received_at__lt=F("send_job__sent_at")).exists()
        activities = LeadActivity.objects.exclude(lead=None)
        assert activities.count() > 100
        assert not activities.filter(happened_at__lt=F("lead__created_at")).exists()
        now = timezone.now()
        assert not Contact.objects.filter(created_at__gt=now).exists()
        assert not LeadActivity.objects.filter(happened_at__gt=now).exists()
        assert not Suppression.objects.filter(created_at__gt=now).exists()


def test_finished_campaigns_have_reactions(demo: Company) -> None:
    with company_scope(demo.pk):
        for mailing in MAILINGS:
            campaign = Campaign.objects.get(name=mailing.name)
            jobs = SendJob.objects.filter(run__of_campaign=campaign)
            assert jobs.count() == mailing.recipients
            assert jobs.filter(open_count__gt=0).count() == mailing.opened
            assert jobs.filter(click_count__gt=0).count() == mailing.clicked
            assert jobs.filter(bounced_at__isnull=False).count() == mailing.bounced


@pytest.mark.parametrize("today", [datetime(2026, 2, day, 6, 30, tzinfo=UTC) for day in range(22, 29)])
def test_people_come_on_working_days_and_more_of_them_later(today: datetime) -> None:
    moments = arrivals(300, today)
    assert len(moments) == 300
    assert moments == sorted(moments)
    assert {moment.weekday() for moment in moments} <= {0, 1, 2, 3, 4}
    assert today - timedelta(days=DAYS + 3) < moments[0]
    assert moments[-1] < today
    half = today - timedelta(days=DAYS / 2)
    assert sum(moment > half for moment in moments) > 150
