"""Guardrails of senders: what stops one, who is told, what waits, and how it goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Mail
from outreach.messaging.delivery.limits.guardrails import check_senders
from outreach.messaging.delivery.sending.claims import claim
from outreach.models import MailApp, SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory, SmtpFactory
from tests.kit.sending import commit_intent
from tests.outreach.helpers import Post, planned, statuses, work

NOW = timezone.now()


def sent(sender: Smtp | MailApp, count: int, *, ago: timedelta = timedelta(hours=1), **values: Any) -> None:
    """Have the sender sent messages, the first the longest ago."""
    contact = ContactFactory(custom={})
    at = timezone.now() - ago
    SendJob.objects.bulk_create(
        SendJob(
            contact=contact,
            company_id=contact.company_id,
            status="sent",
            step=number + 1,
            sending_at=at + timedelta(seconds=number),
            **{sender.job_column: sender},
            **values,
        )
        for number in range(count)
    )


def bounced() -> dict[str, Any]:
    return {"bounced_at": timezone.now()}


def complained() -> dict[str, Any]:
    return {"complained_at": timezone.now()}


def vendor() -> MailApp:
    return MailApp.objects.create(api_key="k", from_email="v@example.com", from_name="V")


@pytest.mark.parametrize(
    ("good", "bad", "stops"),
    [
        pytest.param((47, {}), (2, bounced), False, id="too few messages"),
        pytest.param((57, {}), (3, bounced), True, id="5 % of 60 bounced"),
        pytest.param((58, {}), (2, bounced), False, id="3 % of 60 bounced"),
        pytest.param((195, {"ago": timedelta(days=8)}), (10, bounced), False, id="what was a week ago says nothing"),
        pytest.param((300, {"ago": timedelta(days=2)}), (10, bounced), True, id="5 % of the last 200 bounced"),
        pytest.param((59, {}), (1, complained), False, id="one complaint"),
        pytest.param((98, {}), (2, complained), True, id="two complaints of 100"),
    ],
)
@pytest.mark.parametrize("kind", [SmtpFactory, vendor])
def test_what_stops_a_sender(cast: Cast, kind: Any, good: Any, bad: Any, stops: bool) -> None:
    with cast.scope():
        sender = kind()
        sent(sender, good[0], **good[1])
        sent(sender, bad[0], ago=timedelta(minutes=1), **bad[1]())
        check_senders([sender.pk, sender.pk])
        sender.refresh_from_db()
        assert (sender.stopped_at is not None) == stops
        if stops:
            assert sender.stopped_by["count"] == bad[0]


def test_a_stopped_sender_says_why_and_goes_on_by_one_click(cast: Cast, post: Post) -> None:
    with cast.scope():
        role = RoleFactory(permission={"apps": {"PUT": True}})
        keeper = MemberFactory(status="accepted", role=role)
        smtp = post.smtp
    run = planned(cast, 2)
    with cast.scope():
        first_day = timezone.localdate() - timedelta(days=3)
        Smtp.objects.filter(pk=smtp.pk).update(ramp_start=5, ramp_step=5, first_sent_on=first_day)
        [job, *_] = claim(smtp.pk, 1).jobs
        sent(smtp, 54)
        sent(smtp, 6, ago=timedelta(minutes=1), **bounced())
        check_senders([smtp.pk])
        # What was claimed before it was stopped does not go either.
        assert not commit_intent(job, recipient=job.contact.email)
        assert claim(smtp.pk).examined == 0
        told = Mail.objects.filter(kind="notice_sender_stopped")
        assert set(told.values_list("to", flat=True)) == {cast.owner.email, keeper.email}
        waiting = SendJob.objects.filter(run_id=run, status="approved").first()
        assert waiting is not None
        Smtp.objects.filter(pk=smtp.pk).update(stopped_at=timezone.now() - timedelta(days=2))
    shown = cast.key.get(f"/genie/send-jobs/{waiting.pk}").data["decision"]
    assert shown["reason"] == "sender_stopped"
    assert "6 of 60 messages (10%) went to missing mailboxes" in shown["sentence"]
    state = cast.key.get(f"/apps/smtp/{smtp.pk}/guardrail").data
    assert (state["rampPause"], state["rates"][0]["percent"], state["rates"][0]["stopsAt"]) == (True, 10.0, 5.0)
    listed = cast.key.get(f"/apps/smtp/{smtp.pk}").data
    assert (listed["stoppedAt"] is not None, listed["stoppedWhy"]) == (True, state["sentence"])
    assert cast.session.post(f"/apps/mailvendor-a/{smtp.pk}/resume").status == 404
    resumed = cast.session.post(f"/apps/smtp/{smtp.pk}/resume")
    assert (resumed.status, resumed.data["stoppedAt"]) == (200, None)
    assert resumed.data["rates"][0]["of"] == 0
    with cast.scope():
        check_senders([smtp.pk])
        smtp.refresh_from_db()
        assert (smtp.stopped_at, smtp.first_sent_on) == (None, first_day + timedelta(days=2))
        assert Mail.objects.filter(kind="notice_sender_stopped").count() == 2


def test_bounces_at_the_mail_server_stop_it_in_the_midst_of_its_work(cast: Cast, post: Post) -> None:
    with cast.scope():
        sent(post.smtp, 50)
    run = planned(cast, 6)
    post.server.at["rcpt"] = "550 5.1.1 no such user"
    work("send")
    assert statuses(cast, run) == {"failed": 3, "approved": 3}
    with cast.scope():
        post.smtp.refresh_from_db()
        assert post.smtp.stopped_by == {"what": "bounces", "count": 3, "of": 53}


def test_thresholds_and_limits_are_settings(cast: Cast) -> None:
    with cast.scope():
        smtp = SmtpFactory()
        sent(smtp, 60)
        sent(smtp, 3, **bounced())
    limits = {"google": 100, "other": 5}
    body = {"bouncePercent": 2.5, "complaintPercent": 0.3, "guardFrom": 100, "providerLimits": limits}
    found = cast.key.put("/genie/settings", body).data
    assert {name: found[name] for name in body if name != "providerLimits"} == {
        name: body[name] for name in body if name != "providerLimits"
    }
    assert {key: limit for key, limit in found["providerLimits"].items() if limit} == limits
    with cast.scope():
        check_senders([smtp.pk])
        smtp.refresh_from_db()
        assert smtp.stopped_at is None
    cast.key.put("/genie/settings", {"guardFrom": 60})
    with cast.scope():
        check_senders([smtp.pk])
        smtp.refresh_from_db()
        assert smtp.stopped_at is not None
    for wrong in (
        {"bouncePercent": 0},
        {"bouncePercent": 21},
        {"complaintPercent": 2},
        {"guardFrom": 1},
        {"providerLimits": {"google": 0}},
        {"providerLimits": {"nobody": 5}},
    ):
        answer = cast.key.put("/genie/settings", wrong)
        assert (answer.status, next(iter(wrong)) in answer.body["warning"]) == (400, True), answer.body
