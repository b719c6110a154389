"""What the plan includes of messages: it is counted when they are claimed, and what is beyond waits, never fails."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from billing.meters.services import look_up_outcomes
from billing.models import MeterPeriod, Subscription, UsageEvent
from billing.subscriptions.services import override_subscription
from core.tenancy import unscoped
from outreach.messaging.delivery.deciding.usage import outcome_of
from outreach.messaging.delivery.sending.claims import claim, release_claim
from outreach.models import SendJob
from tests.billing.meters.test_counting import metered
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, statuses, work


def counts(cast: Cast) -> tuple[int, int]:
    with cast.scope():
        row = MeterPeriod.objects.get(meter="messages")
        return row.used, row.reserved


def look_later() -> None:
    with time_machine.travel(timezone.now() + timedelta(minutes=20)), unscoped(reason="test"):
        look_up_outcomes()


def test_what_is_beyond_the_plan_waits_and_goes_when_there_is_more(cast: Cast, post: Post) -> None:
    metered(cast, 2)
    run = planned(cast, 4)
    work("send")
    assert statuses(cast, run) == {"sent": 2, "approved": 2}
    with cast.scope():
        end = Subscription.objects.get(is_primary=True).period_end
        waiting = SendJob.objects.filter(status="approved")
        assert {(one.reason, one.due_at, one.attempts) for one in waiting} == {("limit_plan", end, 0)}
        one = waiting[0].pk
    shown = cast.key.get(f"/genie/send-jobs/{one}").data["decision"]
    assert (shown["state"], shown["reason"]) == ("wait", "limit_plan")
    assert "All messages of your plan" in shown["sentence"]
    assert shown["until"] is not None
    look_later()
    assert counts(cast) == (2, 0)

    override_subscription(company_id=cast.company.pk, modules=None, limits={"messages": 100})
    work("send")
    assert statuses(cast, run) == {"sent": 4}
    assert len(post.server.received) == 4


def test_a_price_lets_them_go_on(cast: Cast, post: Post) -> None:
    metered(cast, 1, "0.002")
    run = planned(cast, 3)
    work("send")
    assert statuses(cast, run) == {"sent": 3}
    look_later()
    assert counts(cast) == (3, 0)


@pytest.mark.parametrize("ends", ["released", "failed", "sent"])
def test_a_claim_that_dies_keeps_nothing(cast: Cast, post: Post, ends: str) -> None:
    """A message counts once however often it is claimed, and not at all if it does not go."""
    metered(cast, 1)
    planned(cast, 1)
    with cast.scope():
        claimed = claim(post.smtp.pk)
        release_claim(claimed.lease)
        [job] = claim(post.smtp.pk).jobs
        assert UsageEvent.objects.count() == 1
    look_later()
    assert counts(cast) == (0, 1)  # it is under way
    now = timezone.now()
    values = {
        "released": {"status": "approved", "lease": None},
        "failed": {"status": "failed", "sending_at": None},
        "sent": {"status": "sent", "sending_at": now, "sent_at": now},
    }
    with cast.scope():
        SendJob.objects.filter(pk=job.pk).update(**values[ends])
        outcome = outcome_of([job.pk])
        assert (list(outcome.used), list(outcome.under_way)) == ([job.pk] if ends == "sent" else [], [])
    with time_machine.travel(now + timedelta(hours=1)):
        look_later()
    assert counts(cast) == ((1, 0) if ends == "sent" else (0, 0))


def test_a_company_without_a_limit_costs_no_statement(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("billing.meters.services.reserve_units", lambda *given, **more: pytest.fail("it was counted"))
    run = planned(cast, 2)
    work("send")
    assert statuses(cast, run) == {"sent": 2}


def test_a_session_plans_no_more_than_may_wait(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    with cast.scope():
        contacts = list(SendJob.objects.values_list("contact_id", flat=True))
    override_subscription(company_id=cast.company.pk, modules=None, limits={"queue": 3})
    body = {"contactIds": contacts, "prompt": "Say hello"}
    refused = cast.session.post("/genie/from-contacts", body)
    assert refused.status == 400
    assert "allows 3 messages waiting; there are 2, and 2 are wanted" in str(refused.body)
    assert cast.session.post("/genie/from-contacts", {**body, "contactIds": contacts[:1]}).status == 201
    assert cast.key.post("/genie/from-contacts", body).status == 201
    shown = cast.session.get("/plans").data["limits"]
    assert {one["module"]: one["limit"] for one in shown}["queue"] == 3
    assert statuses(cast, run) == {"approved": 2}
