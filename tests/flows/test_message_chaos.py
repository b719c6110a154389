"""Workers killed by kill -9 while they approve and cancel a run's messages: each once, with one step in its ledger."""

from __future__ import annotations

import pytest
from django.db.models import Count

from outreach.models import GenieScheduler, SendJob, SendJobTransition
from outreach.runs.genie.review import message_jobs
from tests.flows.import_workers import running
from tests.flows.test_bulk_chaos import finish_under_fire
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory, SmtpFactory

pytestmark = [pytest.mark.long, in_make_check]

ROWS, KILLS = 400, 3


@pytest.mark.django_db(transaction=True)
def test_chaos_of_approving_and_cancelling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_jobs, "MAX_DIRECT_CHANGES", 1)
    cast = make_cast()
    with cast.scope():
        run = GenieScheduler.objects.create(ai_type="ai-offline", status="completed", total=ROWS)
        contact, smtp = ContactFactory(), SmtpFactory()
        SendJob.objects.bulk_create(
            [
                SendJob(run=run, contact=contact, smtp=smtp, step=number, status="draft", text="Hello")
                for number in range(ROWS)
            ]
        )
    approving = cast.key.post(f"/genie/{run.pk}/approve-all").body["bulkJob"]
    with running("bulk-job", BULK_BATCH_ROWS=20) as workers:
        found = finish_under_fire(workers, cast, approving, ROWS, KILLS)
        assert (found["status"], found["total"], found["processed"], found["changed"]) == ("completed", *[ROWS] * 3)
        with cast.scope():
            assert SendJob.objects.filter(status="approved", approved_by=cast.owner).count() == ROWS
            steps = SendJobTransition.objects.values("send_job").annotate(times=Count("pk"))
            assert (steps.count(), set(steps.values_list("times", flat=True))) == (ROWS, {1})
        cancelling = cast.key.post(f"/genie/{run.pk}/cancel").body["bulkJob"]
        found = finish_under_fire(workers, cast, cancelling, ROWS, KILLS)
    assert (found["status"], found["changed"]) == ("completed", ROWS)
    with cast.scope():
        assert SendJob.objects.filter(status="cancelled").count() == ROWS
        steps = SendJobTransition.objects.values("send_job").annotate(times=Count("pk"))
        assert set(steps.values_list("times", flat=True)) == {2}
