"""A sender's limits and hours: how many of its messages go, and when the others do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from outreach.messaging.delivery.sending.claims import claim
from outreach.models import SendJob, Smtp
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, statuses, work


def test_limits_are_exact_and_the_rest_waits(cast: Cast, post: Post) -> None:
    with cast.scope():
        Smtp.objects.update(per_minute=2, per_hour=5)
    run = planned(cast, 7)
    work("send")
    assert statuses(cast, run) == {"sent": 2, "approved": 5}
    with cast.scope():
        smtp = Smtp.objects.get()
        assert smtp.paused_reason == "limit_minute"
        first = SendJob.objects.filter(status="sent").order_by("sending_at").first()
        assert first is not None
        assert abs((smtp.paused_until - first.sending_at) - timedelta(minutes=1)) < timedelta(seconds=1)
        waiting = SendJob.objects.filter(status="approved").first()
    shown = cast.key.get(f"/genie/send-jobs/{waiting.pk}").data["decision"]
    assert (shown["state"], shown["reason"]) == ("wait", "limit_minute")
    for expected in (4, 5, 5):
        with cast.scope():
            for job in SendJob.objects.filter(sending_at__isnull=False):
                SendJob.objects.filter(pk=job.pk).update(sending_at=job.sending_at - timedelta(minutes=2))
            Smtp.objects.update(paused_until=None)
        work("send")
        assert statuses(cast, run)["sent"] == expected
    with cast.scope():
        assert Smtp.objects.get().paused_reason == "limit_hour"


def test_a_message_held_by_another_worker_counts_for_the_limit(cast: Cast, post: Post) -> None:
    with cast.scope():
        Smtp.objects.update(per_minute=2)
        planned(cast, 4)
        assert len(claim(post.smtp.pk).jobs) == 2
        assert claim(post.smtp.pk).jobs == []
        assert Smtp.objects.get().paused_reason == "limit_reserved"


def test_a_new_sender_grows_day_by_day(cast: Cast, post: Post) -> None:
    today = timezone.now().date()
    with cast.scope():
        Smtp.objects.update(ramp_start=1, ramp_step=2, per_day=100)
    run = planned(cast, 5)
    work("send")
    assert statuses(cast, run)["sent"] == 1
    with cast.scope():
        smtp = Smtp.objects.get()
        assert (smtp.first_sent_on, smtp.paused_reason) == (today, "limit_day_ramp")
        Smtp.objects.update(first_sent_on=today - timedelta(days=1), paused_until=None)
    work("send")
    assert statuses(cast, run)["sent"] == 3


def test_outside_the_window_messages_wait_for_it_to_open(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    now = timezone.now()
    opening = (now + timedelta(hours=2)).replace(minute=0, second=0, microsecond=0)
    body = {"windowStart": f"{opening:%H:%M}", "windowEnd": f"{opening + timedelta(hours=1):%H:%M}"}
    assert cast.key.put("/genie/settings", body).status == 200
    work("send")
    assert statuses(cast, run) == {"approved": 2}
    with cast.scope():
        for job in SendJob.objects.filter(run_id=run):
            assert (job.reason, job.due_at) == ("outside_window", opening)
    assert cast.key.put("/genie/settings", {"windowStart": None, "windowEnd": None}).status == 200
    work("send")
    assert statuses(cast, run) == {"sent": 2}


@pytest.mark.django_db(transaction=True)
def test_workers_claiming_at_once_together_keep_the_limit_and_claim_nothing_twice(cast: Cast, post: Post) -> None:
    planned(cast, 60)
    with cast.scope():
        Smtp.objects.update(per_minute=40)

    def one(_: int) -> list[str]:
        try:
            with cast.scope():
                return [job.pk for _ in range(3) for job in claim(post.smtp.pk).jobs]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = [pk for ids in pool.map(one, range(4)) for pk in ids]
    assert len(taken) == len(set(taken)) == 40
