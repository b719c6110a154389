"""Conversions of campaigns, by variant and over time: by day, and by hour for the first two days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Company
from crm.models import Contact, Lead
from outreach.models import Campaign, GenieScheduler, SendJob
from outreach.runs.campaigns.selectors import campaign_detail
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory

SENT_AT = datetime(2026, 11, 2, 9, 40, tzinfo=UTC)
NOW = SENT_AT + timedelta(days=60)
NAMES = ("sent", "opened", "clicked", "replied", "unsubscribed", "converted")


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    with time_machine.travel(NOW, tick=False):
        yield make_cast()


@pytest.fixture
def run(cast: Cast) -> GenieScheduler:
    """The run of a campaign with two variants."""
    variants = [
        {"name": name, "share": 50, "subject": "Hi", "text": "x", "html": "", "variables": []} for name in ("A", "B")
    ]
    with cast.scope():
        campaign = Campaign.objects.create(name="Spring", status="running", variants=variants)
        content = {"variants": variants, "testShare": None, "chosen": None}
        run: GenieScheduler = GenieScheduler.objects.create(
            ai_type="offline", of_campaign=campaign, status="completed", content=content
        )
        return run


def sent(run: GenieScheduler, at: datetime = SENT_AT, **values: object) -> SendJob:
    details = {"contact": values.pop("contact", None) or ContactFactory(), "variant": 0, "status": "sent", **values}
    job: SendJob = SendJob.objects.create(run=run, subject="Hi", sent_at=at, sending_at=at, **details)
    return job


def lead_after(contact: Contact, **later: float) -> Lead:
    """Create a lead of a contact so long after the messages."""
    lead = LeadFactory(contact=contact)
    Lead.objects.filter(pk=lead.pk).update(created_at=SENT_AT + timedelta(**later))
    return lead


def detail(cast: Cast, run: GenieScheduler) -> dict[str, object]:
    answers = [caller.get(f"/campaign/{run.of_campaign_id}").data for caller in (cast.key, cast.session)]
    assert answers[0] == answers[1]
    return dict(answers[0])


def fill(run: GenieScheduler) -> list[str]:
    """Send messages to people with leads of all times. Returns the ids of the messages that have converted."""
    soon = sent(run)
    lead_after(soon.contact, hours=1)
    lead_after(soon.contact, days=9)  # a second lead is the same person
    last = sent(run, variant=1)
    lead_after(last.contact, days=30)
    again = sent(run)
    lead_after(again.contact, days=2)
    sent(run, SENT_AT + timedelta(days=1), contact=again.contact, occurrence=2)
    joined = sent(run, SENT_AT + timedelta(days=5), occurrence=2)
    lead_after(joined.contact, days=6)
    for later in ({"hours": -1}, {"days": 30, "seconds": 1}):
        lead_after(sent(run).contact, **later)
    deleted = lead_after(sent(run).contact, days=1)
    Lead.objects.filter(pk=deleted.pk).update(is_deleted=True)
    unsent = sent(run, status="failed")
    lead_after(unsent.contact, days=1)
    sent(run, step=2, contact=unsent.contact)
    sent(run)
    return [soon.pk, last.pk, again.pk, joined.pk]


def test_a_recipient_converts_by_a_lead_within_thirty_days_of_the_first_message(
    cast: Cast, run: GenieScheduler
) -> None:
    with cast.scope():
        converted = fill(run)
    campaign = detail(cast, run)
    assert campaign["funnel"]["converted"] == 4
    assert {row["name"]: row["converted"] for row in campaign["variantResults"]} == {"A": 3, "B": 1}
    assert {day["date"]: day["converted"] for day in campaign["byDay"] if day["converted"]} == {
        "2026-11-02": 1,
        "2026-11-04": 1,
        "2026-11-08": 1,
        "2026-12-02": 1,
    }
    (_, second) = campaign["variantResults"]
    assert [day["date"] for day in second["byDay"]] == [day["date"] for day in campaign["byDay"]]
    assert [(day["date"], day["converted"]) for day in second["byDay"] if day["converted"]] == [("2026-12-02", 1)]
    assert [tuple(day.values())[1:] for day in second["byDay"] if day["sent"]] == [(1, None, None, 0, 0, 0)]
    for caller in (cast.key, cast.session):
        listed = caller.get(f'/genie/send-jobs?p=1&n=50&filters={{"run": "{run.pk}", "converted": true}}').data
        assert sorted(row["_id"] for row in listed) == sorted(converted)
        days = {"startDate": "2026-11-01", "endDate": "2026-11-30"}
        report = caller.get("/logs/report", reportType="campaigns", by="campaign", **days).data
        assert [(row["converted"], row["conversionRate"]) for row in report["rows"]] == [(4, 40.0)]
    other = make_cast()
    assert other.key.get(f"/campaign/{run.of_campaign_id}").status == 404
    with cast.scope():
        GenieScheduler.objects.update(of_campaign=None)
    outreach = cast.key.get(f"/genie/{run.pk}").data
    assert (outreach["outcomes"]["converted"], len(outreach["byHour"])) == (4, 48)


def test_the_first_two_days_have_hours(cast: Cast, run: GenieScheduler) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone="Asia/Kolkata")
        first = sent(run)
        lead_after(first.contact, hours=47, minutes=49)
        late = sent(run, SENT_AT + timedelta(hours=47, minutes=51))
        Contact.objects.filter(pk=first.contact_id).update(unsubscribed_at=SENT_AT + timedelta(hours=3))
        Contact.objects.filter(pk=late.contact_id).update(unsubscribed_at=SENT_AT + timedelta(days=3))
    campaign = detail(cast, run)
    hours = campaign["byHour"]
    assert (len(hours), list(hours[0])) == (48, ["at", *NAMES])
    # The clock of India is half an hour apart.
    assert [hours[place]["at"] for place in (0, 47)] == ["2026-11-02T09:30:00.000Z", "2026-11-04T08:30:00.000Z"]
    assert {place: tuple(hour.values())[1:] for place, hour in enumerate(hours) if any(list(hour.values())[1:])} == {
        0: (1, None, None, 0, 0, 0),
        3: (0, None, None, 0, 1, 0),
        47: (0, None, None, 0, 0, 1),
    }
    # What comes after the hours counts in its day, next to those of the hours.
    assert {day["date"]: tuple(day.values())[1:] for day in campaign["byDay"] if any(list(day.values())[1:])} == {
        "2026-11-02": (1, None, None, 0, 1, 0),
        "2026-11-04": (1, None, None, 0, 0, 1),
        "2026-11-05": (0, None, None, 0, 1, 0),
    }
    with cast.scope():
        SendJob.objects.update(sent_at=NOW - timedelta(hours=2))
    assert [hour["at"][11:16] for hour in detail(cast, run)["byHour"]] == ["07:30", "08:30", "09:30"]


def test_a_campaign_before_its_first_message_has_no_times(cast: Cast, run: GenieScheduler) -> None:
    with cast.scope():
        sent(run, status="approved")
        draft = Campaign.objects.create(name="Draft")
    for id in (run.of_campaign_id, draft.pk):
        data = cast.key.get(f"/campaign/{id}").data
        assert (data["byDay"], data["byHour"], data["funnel"]["converted"]) == ([], [], 0)


def test_the_numbers_take_as_many_statements_for_any_number_of_messages(cast: Cast, run: GenieScheduler) -> None:
    counts = []
    for _ in range(2):
        with cast.scope():
            fill(run)
            with CaptureQueriesContext(connection) as queries:
                campaign_detail(Campaign.objects.get())
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 10
