"""Runs that go by a mail vendor: the same ledger, limits and decision as by SMTP."""

from __future__ import annotations

import json
from datetime import timedelta
from unittest.mock import ANY

import pytest
from django.utils import timezone

from accounts.models import Notification
from core.tenancy import company_scope
from outreach.connections.mail_vendors.transport import VendorSession
from outreach.models import AiApp, MailApp, SendJob, SendJobTransition, Suppression
from tests.kit.cast import Cast
from tests.kit.mail_vendors import KEY, Asked, Fault, VendorServer
from tests.outreach.helpers import planned, statuses, work


@pytest.fixture
def app(cast: Cast, vendors: VendorServer) -> MailApp:
    """The company's only sender, at Postmark."""
    vendors.be("postmark")
    with cast.scope():
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
        found = vendors.app("postmark", letter="e", verified=True)
        found.save()
        return found


def _fresh(app: MailApp) -> MailApp:
    with company_scope(app.company_id):
        return MailApp.objects.get(pk=app.pk)


def test_a_run_uses_the_one_connected_sender(cast: Cast, outsiders: Cast, app: MailApp, vendors: VendorServer) -> None:
    run = planned(cast, 3)
    work("send")
    assert statuses(cast, run) == {"sent": 3}
    assert len(vendors.sent) == 3
    assert {one.headers["x-postmark-server-token"] for one in vendors.sent} == {KEY}
    shown = cast.key.get(f"/genie/{run}").data
    assert (shown["smtp"], shown["mailApp"]["_id"]) == (None, app.pk)
    [message, *_] = cast.key.get("/genie/send-jobs", run=run).data
    assert (message["channel"], message["mailApp"]["vendor"]) == ("mailvendor-e", "postmark")
    rows = cast.key.get("/logs/mailvendor-e").data
    assert len(rows) == 3
    assert {row["providerMessageId"] for row in rows} <= {"vendor-id-1", ""}
    assert rows[0]["createdBy"]["_id"] == cast.owner.pk
    assert cast.key.get("/logs/mailvendor-a").data == outsiders.key.get("/logs/mailvendor-e").data == []
    assert cast.key.delete("/apps/mailvendor-e", {"ids": [app.pk]}).data == {"deletedCount": 0, "deactivatedCount": 1}
    work("send")
    assert len(vendors.sent) == 3


def test_a_draft_is_approved_for_the_apps_address(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    run = planned(cast, 1, draft=True)
    assert cast.key.post(f"/genie/{run}/approve-all").data["changedCount"] == 1
    with cast.scope():
        MailApp.objects.update(from_name="Somebody Else")
    work("send")
    assert (statuses(cast, run), vendors.sent) == ({"draft": 1}, [])
    assert cast.key.post("/genie/from-contacts", {"contactIds": [], "prompt": "x"}).status == 400
    [one] = cast.key.get("/genie/send-jobs", run=run).data
    assert one["reason"] == "approval_outdated"
    assert cast.key.post(f"/genie/send-jobs/{one['_id']}/approve", {"contentHash": one["contentHash"]}).status == 200
    work("send")
    assert statuses(cast, run) == {"sent": 1}


def test_limits_of_ours_and_of_the_vendor(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    with cast.scope():
        MailApp.objects.update(per_minute=2)
    run = planned(cast, 3)
    vendors.script = [Fault(429, {"Message": "Slow down"}, {"Retry-After": "30"})]
    work("send")
    found = _fresh(app)
    assert (found.paused_reason, found.failures, len(vendors.sent)) == ("vendor_limit", 0, 1)
    assert found.paused_until is not None
    assert timedelta(seconds=20) < found.paused_until - timezone.now() <= timedelta(seconds=30)
    with cast.scope():
        assert set(SendJob.objects.values_list("status", "attempts", "sending_at")) == {("approved", 0, None)}
        MailApp.objects.update(paused_until=None)
    work("send")
    assert statuses(cast, run) == {"sent": 2, "approved": 1}
    assert _fresh(app).paused_reason == "limit_minute"


def test_all_apps_of_a_vendor_share_its_limit(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    limits = {"vendorLimits": {"postmark": 20, "brevo": 1}}
    assert cast.key.put("/genie/settings", limits).data["vendorLimits"]["postmark"] == 20
    with cast.scope():
        other = vendors.app("postmark", letter="e", verified=True)
        other.save()
    # Twenty an hour are two at once, and then one each three minutes, whoever sends.
    first, second = planned(cast, 2, mailApp=app.pk), planned(cast, 2, mailApp=other.pk)
    work("send")
    assert (len(vendors.sent), statuses(cast, first), statuses(cast, second)) == (2, ANY, ANY)
    with cast.scope():
        waits = SendJob.objects.filter(status="approved")
        assert {one.reason for one in waits} == {"limit_vendor"}
        job = waits[0]
    shown = cast.key.get(f"/genie/send-jobs/{job.pk}").data["decision"]
    assert (shown["reason"], "limit of the email service" in shown["sentence"]) == ("limit_vendor", True)
    assert cast.key.put("/genie/settings", {"vendorLimits": {"nobody": 1}}).status == 400
    assert cast.key.put("/genie/settings", {"vendorLimits": {}}).status == 200
    work("send")
    assert (statuses(cast, first), statuses(cast, second)) == ({"sent": 2}, {"sent": 2})


def test_a_refused_key_stops_the_sender_and_loses_nothing(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    run = planned(cast, 2)
    vendors.script = [Fault(401, {"Message": f"Bad token {KEY}"})]
    work("send")
    found = _fresh(app)
    assert (found.verified, found.paused_reason, len(vendors.sent)) == (False, "sender_trouble", 1)
    assert KEY not in found.last_error
    assert statuses(cast, run) == {"approved": 2}
    with cast.scope():
        assert Notification.objects.filter(kind="sender.failing").exists()
        assert not SendJobTransition.objects.filter(detail__contains=KEY).exists()
    assert cast.key.post(f"/apps/mailvendor-e/{app.pk}/test").data["ok"] is True
    work("send")
    assert statuses(cast, run) == {"sent": 2}


def test_no_answer_is_unknown_and_never_sent_again(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    run = planned(cast, 1)
    vendors.script = [Fault(cut=True)]
    work("send")
    work("send")
    assert statuses(cast, run) == {"unknown": 1}
    assert len(vendors.sent) == 1


def _again(cast: Cast) -> None:
    """Let a worker ask now about what is in doubt."""
    with cast.scope():
        SendJob.objects.filter(status="unknown").update(due_at=timezone.now())
    work("uncertain")


@pytest.mark.parametrize(("vendor", "letter"), [("brevo", "a"), ("resend", "b")])
def test_a_vendor_with_keys_is_asked_again_later(
    cast: Cast, app: MailApp, vendors: VendorServer, vendor: str, letter: str
) -> None:
    with cast.scope():
        app.delete()
        vendors.app(vendor, letter=letter, verified=True).save()
    run = planned(cast, 1)
    vendors.be(vendor, Fault(cut=True), Fault(503, {}), Fault(400, {"message": "No"}))
    work("send")
    work("uncertain")  # it is not time yet
    assert (statuses(cast, run), len(vendors.sent)) == ({"unknown": 1}, 1)
    _again(cast)
    _again(cast)  # a refusal of this request says nothing about the first
    assert (statuses(cast, run), len(vendors.sent)) == ({"unknown": 1}, 3)
    with cast.scope():
        Suppression.objects.create(email=SendJob.objects.get().contact.email)
    _again(cast)
    assert len(vendors.sent) == 3  # it may not go by now, so nobody asks
    with cast.scope():
        Suppression.objects.all().delete()
    _again(cast)
    assert (statuses(cast, run), len(vendors.sent)) == ({"sent": 1}, 4)
    assert len({_key_of(one) for one in vendors.sent}) == len({one.body for one in vendors.sent}) == 1
    with cast.scope():
        SendJob.objects.update(status="unknown", attempts=0, sending_at=timezone.now() - timedelta(minutes=11))
    _again(cast)
    assert len(vendors.sent) == 4  # the vendor may have forgotten the key


def _key_of(asked: Asked) -> str:
    return asked.headers.get("idempotency-key") or str(json.loads(asked.text)["headers"]["idempotencyKey"])


def test_an_inactive_recipient_is_suppressed(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    run = planned(cast, 1)
    with cast.scope():
        address = SendJob.objects.get(run_id=run).contact.email
    said = f"You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: {address}."
    vendors.script = [Fault(422, {"ErrorCode": 406, "Message": f"{said} Inactive recipients are ones that bounced."})]
    work("send")
    assert statuses(cast, run) == {"failed": 1}
    with cast.scope():
        assert SendJob.objects.get(run_id=run).reason == "bad_address"
        assert list(Suppression.objects.values_list("email", "reason")) == [(address, "bounced")]


def test_a_worker_that_dies_after_the_intent_sends_nothing_twice(
    cast: Cast, app: MailApp, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(cast, 1)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(VendorSession, "_try", stop)
        with pytest.raises(KeyboardInterrupt):
            work("send")
    work("send")
    assert (statuses(cast, run), vendors.sent) == ({"unknown": 1}, [])


def test_a_step_goes_by_a_vendor_of_its_own(cast: Cast, app: MailApp, vendors: VendorServer) -> None:
    step = {"delay": {"amount": 1, "unit": "seconds"}, "channel": "mailvendor-h"}
    body = {"contactIds": [], "prompt": "Hello", "outreachCadence": {"steps": [step]}}
    refused = cast.key.post("/genie/from-contacts", body)
    assert (refused.status, "mailvendor-h" in str(refused.body)) == (400, True)
    with cast.scope():
        vendors.app("sparkpost", letter="h", verified=True).save()
    run = planned(cast, 1, outreachCadence={"steps": [step]}, mailApp=app.pk)
    work("send")
    with cast.scope():
        SendJob.objects.update(next_step_at=timezone.now() - timedelta(seconds=1))
    work("follow-ups")
    work("genie")
    with cast.scope():
        SendJob.objects.filter(step=2).update(due_at=timezone.now() - timedelta(seconds=1))
    vendors.vendor = "sparkpost"
    work("send")
    with cast.scope():
        assert list(SendJob.objects.filter(run_id=run).order_by("step").values_list("channel", "status")) == [
            ("mailvendor-e", "sent"),
            ("mailvendor-h", "sent"),
        ]
