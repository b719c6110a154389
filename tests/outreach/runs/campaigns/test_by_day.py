"""Messages by day of campaigns and runs: on the company's clock, at most the last days, empty where unmeasured."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.models import Company
from crm.models import Contact
from outreach.models import Campaign, GenieScheduler, GenieSettings, InboundMessage, SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory

FIRST = datetime(2026, 3, 2, 22, 30, tzinfo=UTC)
"""A day later in Tokyo."""


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def sent(run: GenieScheduler, at: datetime, **values: object) -> SendJob:
    job: SendJob = SendJob.objects.create(
        run=run, contact=ContactFactory(), subject="Hi", status="sent", sent_at=at, **values
    )
    return job


def run_of(campaign: Campaign | None = None) -> GenieScheduler:
    run: GenieScheduler = GenieScheduler.objects.create(ai_type="offline", of_campaign=campaign, status="completed")
    return run


def addresses(cast: Cast) -> list[str]:
    """Move the messages' run from a campaign to no campaign. Returns the addresses that have its numbers in turn."""
    with cast.scope():
        run = GenieScheduler.objects.get()
    return [f"/campaign/{run.of_campaign_id}", f"/genie/{run.pk}"]


def test_days_are_those_of_the_company_and_of_the_first_event(cast: Cast) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone="Asia/Tokyo")
        GenieSettings.objects.create(track_opens=True, track_clicks=True)
        run = run_of(Campaign.objects.create(name="Spring", status="completed", subject="x", body="x"))
        later = FIRST + timedelta(days=2)
        sent(run, FIRST)
        sent(run, FIRST - timedelta(hours=8), open_count=3, delivery={"opened": later.isoformat()})
        sent(run, FIRST, open_count=1, click_count=1, delivery={"clicked": (later + timedelta(days=1)).isoformat()})
        answered = sent(run, FIRST)
        for number, days in enumerate((4, 5)):
            InboundMessage.objects.create(
                kind="reply",
                uid_validity=1,
                uid=number,
                digest=str(number),
                send_job=answered,
                run_id=run.pk,
                contact_id=answered.contact_id,
                from_email="a@example.org",
                matched_by="in_reply_to",
                received_at=FIRST + timedelta(days=days),
            )
        by_telephone = sent(run, FIRST)
        Contact.objects.filter(pk=by_telephone.contact_id).update(replied_at=later)
        SendJob.objects.create(run=run, contact=ContactFactory(), status="failed")
    expected = [
        ("2026-03-02", 1, 0, 0, 0),
        ("2026-03-03", 4, 1, 0, 0),  # an open without a time counts on the day of its message
        ("2026-03-04", 0, 0, 0, 0),
        ("2026-03-05", 0, 1, 0, 1),
        ("2026-03-06", 0, 0, 1, 0),
        ("2026-03-07", 0, 0, 0, 1),
        ("2026-03-08", 0, 0, 0, 0),
    ]
    campaign, outreach = addresses(cast)
    for caller in (cast.key, cast.session):
        days = caller.get(campaign).data["byDay"]
        assert [tuple(day.values()) for day in days] == [(*numbers, 0, 0) for numbers in expected]
        assert list(days[0]) == ["date", "sent", "opened", "clicked", "replied", "unsubscribed", "converted"]
    with cast.scope():
        GenieScheduler.objects.update(of_campaign=None)
    for caller in (cast.key, cast.session):
        assert [tuple(day.values())[:5] for day in caller.get(outreach).data["byDay"]] == expected


def test_unmeasured_numbers_are_empty_and_days_end_today(cast: Cast) -> None:
    with cast.scope():
        run = run_of(Campaign.objects.create(name="Spring", status="completed", subject="x", body="x"))
        campaign, _ = addresses(cast)
    assert cast.key.get(campaign).data["byDay"] == []
    with cast.scope():
        sent(run, timezone.now())
    (day,) = cast.key.get(campaign).data["byDay"]
    assert (day["sent"], day["opened"], day["clicked"], day["replied"]) == (1, None, None, 0)


@time_machine.travel("2026-11-28T12:00:00Z", tick=False)
def test_a_long_campaign_has_its_last_days(db: None) -> None:
    cast = make_cast()  # whose subscription runs at this time
    with cast.scope():
        run = run_of(Campaign.objects.create(name="Year", status="running", subject="x", body="x", started_at=FIRST))
        sent(run, FIRST)
        sent(run, datetime(2026, 11, 20, 12, tzinfo=UTC))
    days = cast.key.get(addresses(cast)[0]).data["byDay"]
    assert (len(days), days[0]["date"], days[-1]) == (
        90,
        "2026-08-23",
        {
            "date": "2026-11-20",
            "sent": 1,
            "opened": None,
            "clicked": None,
            "replied": 0,
            "unsubscribed": 0,
            "converted": 0,
        },
    )
