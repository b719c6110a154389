"""Replies of campaigns: each counts for the message that it answers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from crm.models import Contact
from outreach.messaging.delivery.models import SendJob
from outreach.models import GenieScheduler, InboundMessage
from outreach.runs.campaigns.models import Campaign
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


NOW = timezone.now()


def campaign(name: str) -> tuple[str, str]:
    """Make a campaign with its run. Returns their ids."""
    made = Campaign.objects.create(name=name, status="completed", subject="x", body="x")
    run = GenieScheduler.objects.create(ai_type="offline", of_campaign=made, status="completed")
    return made.pk, run.pk


def sent(run: str, person: str, days_ago: int) -> SendJob:
    at = NOW - timedelta(days=days_ago)
    job: SendJob = SendJob.objects.create(
        run_id=run, contact_id=person, subject="Hi", status="sent", sending_at=at, sent_at=at
    )
    return job


def reply(person: str, days_ago: int, job: SendJob | None = None) -> None:
    at = NOW - timedelta(days=days_ago)
    Contact.objects.filter(pk=person).update(replied_at=at)
    if job is not None:
        InboundMessage.objects.create(
            kind="reply", uid_validity=1, uid=days_ago, digest=job.pk, send_job=job, run_id=job.run_id,
            contact_id=person, from_email="a@example.org", matched_by="in_reply_to", received_at=at,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("named", "expected"),
    [("first", (1, 0)), ("second", (0, 1)), (None, (0, 1))],
)
def test_a_reply_counts_for_the_message_that_it_answers(
    cast: Cast, named: str | None, expected: tuple[int, int]
) -> None:
    person = contact(cast)
    with cast.scope():
        first, second = campaign("First"), campaign("Second")
        jobs = {"first": sent(first[1], person, 20), "second": sent(second[1], person, 10)}
        reply(person, 5, jobs.get(named or ""))
    for caller in (cast.key, cast.session):
        shown = [caller.get(f"/campaign/{id}").data for id, _ in (first, second)]
        assert tuple(one["funnel"]["replied"] for one in shown) == expected
        assert tuple(one["replied"] for one in shown) == expected
        lists = [
            caller.get("/genie/send-jobs", p=1, n=10, filters=f'{{"run": "{run}", "repliedSince": true}}').data
            for _, run in (first, second)
        ]
        assert tuple(len(rows) for rows in lists) == expected


def test_a_reply_between_two_campaigns_counts_for_the_earlier_one(cast: Cast) -> None:
    person = contact(cast)
    with cast.scope():
        first, second = campaign("First"), campaign("Second")
        sent(first[1], person, 20)
        sent(second[1], person, 10)
        reply(person, 15)
    shown = [cast.key.get(f"/campaign/{id}").data["funnel"]["replied"] for id, _ in (first, second)]
    assert shown == [1, 0]


def test_two_replies_count_for_both_campaigns(cast: Cast) -> None:
    person = contact(cast)
    with cast.scope():
        first, second = campaign("First"), campaign("Second")
        old, new = sent(first[1], person, 20), sent(second[1], person, 10)
        reply(person, 15, old)
        reply(person, 5, new)
    shown = [cast.key.get(f"/campaign/{id}").data["funnel"]["replied"] for id, _ in (first, second)]
    assert shown == [1, 1]


@pytest.mark.parametrize("named", [True, False])
def test_reports_count_the_replies_that_the_campaign_counts(cast: Cast, named: bool) -> None:
    person = contact(cast)
    with cast.scope():
        first, second = campaign("First"), campaign("Second")
        sent(first[1], person, 20)
        job = sent(second[1], person, 10)
        reply(person, 5, job if named else None)
    for caller in (cast.key, cast.session):
        shown = {id: caller.get(f"/campaign/{id}").data["funnel"]["replied"] for id, _ in (first, second)}
        assert shown == {first[0]: 0, second[0]: 1}
        for name in ("campaigns", "outreach"):
            days = {"startDate": str((NOW - timedelta(days=30)).date()), "endDate": str(NOW.date())}
            table = caller.get("/logs/report", reportType=name, by="campaign", **days).data
            assert {row["key"]: row["replied"] for row in table["rows"]} == shown
