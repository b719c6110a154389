"""Approvals that are held for some seconds and taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from outreach.messaging.delivery.sending.claims import claim
from outreach.models import SendJob
from outreach.runs.genie.review import message_jobs
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, make_due, planned, statuses, work
from tests.outreach.runs.genie.review.helpers import PATH, ids, shown


@pytest.mark.parametrize("path", ["key", "session"])
def test_a_held_approval_goes_once_after_its_delay(cast: Cast, post: Post, path: str) -> None:
    run = planned(cast, 1, draft=True)
    (one,) = ids(cast, run)
    caller = getattr(cast, path)
    before = timezone.now()
    assert caller.post(f"{PATH}/{one}/approve", {"delaySeconds": 30}).data["status"] == "approved"
    with cast.scope():
        assert SendJob.objects.get(pk=one).due_at >= before + timedelta(seconds=30)
    work("send")
    assert statuses(cast, run) == {"approved": 1}
    assert shown(cast, one)["decision"]["reason"] == "scheduled_for_later"
    make_due(cast)
    work("send")
    work("send")
    assert statuses(cast, run) == {"sent": 1}
    assert len(post.server.received) == 1


@pytest.mark.parametrize("path", ["key", "session"])
def test_an_approval_is_taken_back_until_a_worker_has_it(cast: Cast, post: Post, path: str) -> None:
    run = planned(cast, 2, draft=True)
    one, two = ids(cast, run)
    caller = getattr(cast, path)
    for id in (one, two):
        caller.post(f"{PATH}/{id}/approve", {"delaySeconds": 12})
    assert caller.post(f"{PATH}/{one}/draft").data["status"] == "draft"
    make_due(cast)
    with cast.scope():
        assert [job.pk for job in claim(post.smtp.pk).jobs] == [two]
    refused = caller.post(f"{PATH}/{two}/draft")
    assert (refused.status, "is claimed" in refused.body["warning"]) == (400, True)
    assert statuses(cast, run) == {"draft": 1, "claimed": 1}


def test_the_next_approval_is_not_held_by_the_delay_of_the_one_before(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    one, two, later = ids(cast, run)
    due = timezone.now() + timedelta(days=3)
    with cast.scope():
        SendJob.objects.filter(pk=later).update(due_at=due)
    for id in (one, two, later):
        cast.key.post(f"{PATH}/{id}/approve", {"delaySeconds": 600})
        cast.key.post(f"{PATH}/{id}/draft")
    cast.key.post(f"{PATH}/{one}/approve", {"delaySeconds": 0})
    cast.key.post(f"/genie/{run}/approve-all", {})
    work("send")
    assert statuses(cast, run) == {"sent": 2, "approved": 1}
    with cast.scope():
        assert SendJob.objects.get(pk=later).due_at == due


@pytest.mark.parametrize("wrong", [-1, 601, "12", 1.5, None])
def test_a_wrong_delay_is_refused(cast: Cast, post: Post, wrong: object) -> None:
    run = planned(cast, 1, draft=True)
    (one,) = ids(cast, run)
    for place in (f"{PATH}/{one}/approve", f"/genie/{run}/approve-all"):
        refused = cast.key.post(place, {"delaySeconds": wrong})
        assert (refused.status, "delaySeconds" in refused.body["warning"]) == (400, True)
    assert statuses(cast, run) == {"draft": 1}


@pytest.mark.parametrize("at_once", [1000, 1])
def test_an_approval_of_all_is_taken_back_alone(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    run = planned(cast, 4, draft=True)
    first, *_ = ids(cast, run)
    cast.session.post(f"{PATH}/{first}/approve", {"delaySeconds": 60})  # a decision of its own, before
    monkeypatch.setattr(message_jobs, "MAX_DIRECT_CHANGES", at_once)
    since = timezone.now().isoformat()
    cast.session.post(f"/genie/{run}/approve-all", {"delaySeconds": 60})
    work("bulk-job")
    assert statuses(cast, run) == {"approved": 4}
    work("send")
    assert statuses(cast, run) == {"approved": 4}
    taken = cast.session.post(f"/genie/{run}/draft-all", {"approvedSince": since})
    assert taken.status == 200
    work("bulk-job")
    assert statuses(cast, run) == {"approved": 1, "draft": 3}
    assert shown(cast, first)["status"] == "approved"
    assert cast.session.post(f"/genie/{run}/draft-all", {"approvedSince": "yesterday"}).status == 400


def test_a_running_approval_ends_when_it_is_taken_back(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    run = planned(cast, 3, draft=True)
    monkeypatch.setattr(message_jobs, "MAX_DIRECT_CHANGES", 1)
    since = timezone.now().isoformat()
    assert cast.session.post(f"/genie/{run}/approve-all", {"delaySeconds": 60}).body["bulkJob"]
    cast.session.post(f"/genie/{run}/draft-all", {"approvedSince": since})
    work("bulk-job")
    assert statuses(cast, run) == {"draft": 3}
