"""approve-all, draft-all, retry-failed and cancel of more messages than a request changes: a bulk job does it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import User
from core.jobs import WORK, claim, save_progress
from core.jobs.runner import run_job
from crm.bulk_jobs.services import run
from crm.models import BulkJob
from outreach.models import SendJob, SendJobTransition
from outreach.runs.genie.review import message_jobs
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory
from tests.outreach.helpers import Post, planned, run_of, statuses, work

QUEUED = "The change runs in the background."


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(message_jobs, "MAX_DIRECT_CHANGES", 3)
    settings.BULK_BATCH_ROWS = 2


def claimed(cast: Cast) -> BulkJob:
    with cast.scope():
        (job,) = claim(BulkJob, limit=1)
        return job


def one_batch(cast: Cast, job: BulkJob) -> bool:
    """Do one batch of a claimed job. Returns whether the job may go on."""
    with cast.scope(), transaction.atomic():
        progress = message_jobs._change_next(job)
        assert progress is not None
        return save_progress(job, **progress)


def test_many_are_approved_by_a_job_and_go_like_any_other(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    answer = cast.key.post(f"/genie/{id}/approve-all")
    assert (answer.status, answer.body["message"]) == (200, QUEUED)
    assert answer.data == {"changedCount": None, "leftCount": 0, "outdatedCount": 0, "newerCount": 0, "skipped": []}
    job = answer.body["bulkJob"]
    assert statuses(cast, id) == {"draft": 5}
    shown = cast.key.get(f"/bulk-job/{job}").data
    assert (shown["action"], shown["panel"], shown["status"], shown["total"], shown["canUndo"]) == (
        "approve_messages",
        "genie",
        "queued",
        None,
        False,
    )
    work("bulk-job")
    shown = cast.key.get(f"/bulk-job/{job}").data
    assert (shown["status"], shown["total"], shown["processed"], shown["changed"], shown["percent"]) == (
        "completed",
        5,
        5,
        5,
        100.0,
    )
    assert statuses(cast, id) == {"approved": 5}
    assert cast.key.get(f"/genie/{id}").data["bulkJob"] == job
    with cast.scope():
        assert set(SendJob.objects.values_list("approved_by_id", flat=True)) == {cast.owner.pk}
        steps = SendJobTransition.objects.filter(to_status="approved", from_status="draft")
        assert sorted(steps.values_list("send_job_id", flat=True)) == sorted(
            SendJob.objects.values_list("pk", flat=True)
        )
    work("send")
    assert statuses(cast, id) == {"sent": 5}
    assert len(post.recipients()) == len(set(post.recipients())) == 5


def test_few_are_changed_within_the_request(cast: Cast, post: Post) -> None:
    id = planned(cast, 3, draft=True)
    answer = cast.key.post(f"/genie/{id}/approve-all")
    assert (answer.data["changedCount"], "bulkJob" in answer.body) == (3, False)
    assert cast.key.get(f"/genie/{id}").data["bulkJob"] is None


def test_approving_twice_is_one_job_unless_drafts_came_since(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    first = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    assert cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"] == first
    job = claimed(cast)
    assert one_batch(cast, job)
    assert cast.session.post(f"/genie/{id}/approve-all").body["bulkJob"] == first
    with cast.scope():
        SendJob.objects.create(run_id=id, contact=ContactFactory(), smtp=post.smtp, status="draft", text="Hello")
    assert one_batch(cast, job)
    assert statuses(cast, id) == {"approved": 4, "draft": 2}
    run_rest(cast, job)
    assert statuses(cast, id) == {"approved": 5, "draft": 1}, "nobody has asked for the new draft"
    assert cast.key.post(f"/genie/{id}/approve-all").data["changedCount"] == 1


def run_rest(cast: Cast, job: BulkJob) -> None:
    run_job(job, run, float("inf"))


def test_the_last_decision_wins(cast: Cast, post: Post) -> None:
    id = planned(cast, 9, draft=True)
    first = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    job = claimed(cast)
    for _ in range(2):
        assert one_batch(cast, job)
    assert statuses(cast, id) == {"approved": 4, "draft": 5}
    second = cast.key.post(f"/genie/{id}/draft-all").body["bulkJob"]
    assert second != first
    assert not one_batch(cast, job)
    run_rest(cast, job)
    work("bulk-job")
    assert statuses(cast, id) == {"draft": 9}
    replaced, done = (cast.key.get(f"/bulk-job/{one}").data for one in (first, second))
    assert (replaced["status"], replaced["changed"]) == ("cancelled", 4)
    assert replaced["error"] == "A later change of the run's messages has replaced it."
    assert (done["status"], done["changed"]) == ("completed", 4)
    again = cast.key.put(f"/bulk-job/{first}", {"status": "queued"})
    assert again.status == 400


def test_a_job_that_waits_is_replaced_at_once_even_by_a_request(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    first = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    assert cast.key.post(f"/genie/{id}/draft-all").data["changedCount"] == 0
    assert cast.key.get(f"/bulk-job/{first}").data["status"] == "cancelled"
    assert run_of(cast, id).message_job_id is None
    paused = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    assert cast.key.put(f"/bulk-job/{paused}", {"status": "paused"}).status == 200
    assert cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"] != paused
    work("bulk-job")
    assert statuses(cast, id) == {"approved": 5}


def test_a_failed_job_that_was_replaced_does_nothing_when_it_is_resumed(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    first = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    with cast.scope():
        BulkJob.objects.filter(pk=first).update(status="failed")
    assert cast.key.post(f"/genie/{id}/draft-all").data["changedCount"] == 0
    assert cast.key.put(f"/bulk-job/{first}", {"status": "queued"}).status == 200
    work("bulk-job")
    assert statuses(cast, id) == {"draft": 5}
    assert cast.key.get(f"/bulk-job/{first}").data["status"] == "cancelled"


def test_cancelling_stops_everything_at_once_and_counts_later(cast: Cast, post: Post) -> None:
    id = planned(cast, 9, draft=True)
    approving = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    job = claimed(cast)
    assert one_batch(cast, job)
    answer = cast.key.post(f"/genie/{id}/cancel")
    assert (answer.status, answer.body["message"]) == (200, "Outreach cancelled.")
    assert (answer.data["phase"], answer.data["cancelledCount"]) == ("cancelled", None)
    cancelling = answer.body["bulkJob"]
    assert cast.key.post(f"/genie/{id}/cancel").body["bulkJob"] == cancelling
    assert not one_batch(cast, job)
    run_rest(cast, job)
    assert cast.key.get(f"/bulk-job/{approving}").data["status"] == "cancelled"
    work("send")
    assert post.recipients() == [], "nothing goes while the job is still at work"
    assert cast.key.put(f"/bulk-job/{cancelling}", {"status": "cancelled"}).status == 400
    assert cast.key.post(f"/genie/{id}/approve-all").status == 400
    work("bulk-job")
    assert statuses(cast, id) == {"cancelled": 9}
    assert cast.key.post(f"/genie/{id}/cancel").data["cancelledCount"] == 0


def test_deleting_cancels_by_a_job_too(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    answer = cast.key.delete(f"/genie/{id}")
    assert (answer.status, "bulkJob" in answer.body) == (200, True)
    assert cast.key.get(f"/genie/{id}").status == 404
    work("bulk-job")
    assert statuses(cast, id) == {"cancelled": 5}


def test_failed_ones_are_tried_again_by_a_job(cast: Cast, post: Post) -> None:
    id = planned(cast, 6)
    with cast.scope():
        first, *_ = SendJob.objects.order_by("pk").values_list("pk", flat=True)
        SendJob.objects.update(status="failed")
        SendJob.objects.filter(pk=first).update(status="unknown")
    assert cast.key.post(f"/genie/{id}/retry-failed", {"unknown": False}).body["message"] == QUEUED
    other = cast.key.post(f"/genie/{id}/retry-failed", {"unknown": True}).body["bulkJob"]
    work("bulk-job")
    assert statuses(cast, id) == {"approved": 6}
    assert cast.key.get(f"/bulk-job/{other}").data["changed"] == 6


def test_who_sees_and_moves_the_job(cast: Cast, post: Post, outsiders: Cast) -> None:
    id = planned(cast, 5, draft=True)
    job = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    assert outsiders.key.get(f"/bulk-job/{job}").status == 404
    rights = ({"genie": {"GET": True}}, {"contact": {"GET": True, "PUT": True}}, {"genie": {"GET": True, "PUT": True}})
    with cast.scope():
        roles = [RoleFactory(permission=permission) for permission in rights]
        members = [Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role))) for role in roles]
    reader, other, mover = members
    assert [row["_id"] for row in reader.get("/bulk-job").data] == [job]
    assert reader.put(f"/bulk-job/{job}", {"status": "cancelled"}).status == 403
    assert other.get(f"/bulk-job/{job}").status == 404
    assert mover.put(f"/bulk-job/{job}", {"status": "cancelled"}).data["status"] == "cancelled"
    refused = cast.key.post(f"/bulk-job/{job}/undo")
    assert (refused.status, refused.body["warning"]) == (400, "id: a job of action approve_messages cannot be undone")
    WORK["bulk-job"].drain(float("inf"))
    assert statuses(cast, id) == {"draft": 5}


def test_the_back_office_shows_the_progress(cast: Cast, post: Post) -> None:
    id = planned(cast, 5, draft=True)
    job = cast.key.post(f"/genie/{id}/approve-all").body["bulkJob"]
    work("bulk-job")
    client = Client()
    client.force_login(User.objects.create_superuser("root@leadwright.example", name="Root"))
    page = client.get("/admin/crm/bulkjob/").content.decode()
    assert "Approve messages" in page
    assert "5 of 5" in page
    assert (
        f"/admin/crm/bulkjob/{job}/change/"
        in client.get(f"/admin/outreach/geniescheduler/{id}/change/").content.decode()
    )
