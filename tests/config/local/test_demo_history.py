"""The demo's last ninety days: every chart has a line, and nothing happened before its cause."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from accounts.models import Company, Member
from config.local.demo.company import provision_demo
from config.local.demo.history import DAYS, MAILINGS, arrivals
from core.events.models import Event
from core.tenancy import company_scope
from crm.activities.services import READERS, record
from crm.models import Contact, Lead, LeadActivity
from outreach.models import Campaign, InboundMessage, SendJob, Suppression, TrackingEvent
from tests.kit.cast import SESSION, Caller, session_headers
from tests.kit.rows import kept_for_module

BUSY_DAYS = {"contacts": 40, "leads": 20, "activities": 20, "outreach": 20, "deliverability": 20, "ai-usage": 60}
"""Report -> the days of the last ninety that have numbers, at least."""


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    folder: Path = tmp_path_factory.mktemp("demo")
    with kept_for_module(django_db_blocker), override_settings(LEADWRIGHT_DATA=folder):
        company = provision_demo(folder).made.company
        with company_scope(company.pk):
            record(list(Event.objects.filter(kind__in=READERS)))  # as the worker does
        yield company


@pytest.mark.parametrize(("name", "days"), BUSY_DAYS.items())
def test_reports_have_numbers_on_many_days(demo: Company, name: str, days: int) -> None:
    today = date.today()
    period = {"startDate": str(today - timedelta(days=DAYS - 1)), "endDate": str(today)}
    with company_scope(demo.pk):
        caller = Caller(SESSION, session_headers(Member.objects.get(status="owner")))
    answer = caller.get("/logs/report", reportType=name, by="day", **period)
    busy = [row for row in answer.data["rows"] if any(value for value in row.values() if isinstance(value, int))]
    assert len(busy) >= days, answer.data["rows"][:2]


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
