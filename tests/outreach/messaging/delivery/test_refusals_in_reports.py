"""Messages that a server refuses at once are in the report on deliverability."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.access import Actor
from core.reports import REPORTS
from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, work


def _totals(cast: Cast, **query: Any) -> dict[str, Any]:
    answer = cast.session.get("/logs/report", reportType="deliverability", by="sender", **query)
    assert answer.status == 200, answer.body
    return dict(answer.data["totals"])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("550 5.1.1 no such user", "bad_address"), ("554 5.7.1 no mail from you", "rejected")],
    ids=["no mailbox", "policy"],
)
def test_what_is_refused_at_once_is_bounced_for_good(cast: Cast, post: Post, reply: str, reason: str) -> None:
    run = planned(cast, 2)
    post.server.at["rcpt"] = reply
    work("send")
    with cast.scope():
        jobs = SendJob.objects.filter(run_id=run)
        assert {(job.status, job.reason, job.sending_at) for job in jobs} == {("failed", reason, None)}
    found = _totals(cast)
    assert (found["messages"], found["bouncedHard"], found["failed"], found["bounceRate"]) == (2, 2, 2, 100.0)
    before = str((timezone.now() - timedelta(days=3)).date())
    assert _totals(cast, startDate=before, endDate=before)["messages"] == 0


def test_what_is_sent_again_counts_once(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    post.server.at["rcpt"] = "554 5.7.1 no mail from you"
    work("send")
    del post.server.at["rcpt"]
    assert cast.session.post(f"/genie/{run}/retry-failed").status == 200
    with cast.scope():
        assert SendJob.objects.get().refused_at is None
    work("send")
    found = _totals(cast)
    assert (found["messages"], found["sent"], found["bouncedHard"]) == (1, 1, 0)


def test_rows_are_dated_by_a_column_that_all_of_them_have(scope: Cast) -> None:
    """A row without the date would be in no report."""
    reader = Actor("session", scope.owner.user_id, is_owner=True)
    nullable = {
        (report.name, source.at)
        for report in REPORTS.values()
        for source in report.sources
        if source.at in (fields := {one.name: one for one in source.rows(reader).model._meta.get_fields()})
        and fields[source.at].null
    }
    assert nullable == set()
    assert sum(bool(source.at) for report in REPORTS.values() for source in report.sources) > 8
