"""Messages by chat: sent once, whatever the vendor answers, and only while the chat is open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from outreach.messaging.delivery.deciding.decision import DecisionInput, Ready, Stop, decide
from outreach.models import ChatApp, ChatOptOut, ChatTemplate, Conversation, SendJob
from tests.kit.cast import Cast
from tests.kit.chat_vendor import TOKEN, ChatVendor, Fault, became, tell, wrote
from tests.outreach.helpers import work


def _talk(cast: Cast, app: ChatApp) -> str:
    """Let somebody write; returns the conversation's id."""
    assert tell(app, **wrote("Hello")) == 200
    work("chat-events")
    with cast.scope():
        return str(Conversation.objects.get().pk)


def _answer(cast: Cast, conversation: str, text: str = "Good day") -> str:
    answer = cast.key.post(f"/conversation/{conversation}/messages", {"text": text})
    assert answer.status == 201, answer.body
    return str(answer.data["sendJob"])


def _job(cast: Cast, id: str) -> SendJob:
    with cast.scope():
        return SendJob.objects.get(pk=id)


def test_an_answer_goes_and_its_statuses_come_back(
    cast: Cast, outsiders: Cast, app: ChatApp, vendor: ChatVendor
) -> None:
    job = _answer(cast, _talk(cast, app))
    work("send")
    [sent] = vendor.sent
    assert (sent["to"], sent["text"]["body"], sent["biz_opaque_callback_data"]) == ("4915112345678", "Good day", job)
    for status in ("read", "delivered", "sent", "delivered"):
        assert tell(app, **became(job, status)) == 200
    work("chat-events")
    [row] = cast.key.get("/logs/chatapp").data
    assert (row["status"], row["deliveryStatus"], row["waId"], row["wamid"]) == (
        *("sent", "read", "4915112345678", f"wamid.{job}"),
    )
    assert (row["app"]["_id"], row["template"], row["createdBy"]["_id"]) == (app.pk, None, cast.owner.pk)
    assert None not in (row["deliveredAt"], row["readAt"])
    assert outsiders.key.get("/logs/chatapp").data == []


@pytest.mark.parametrize(
    ("fault", "status", "reason"),
    [
        (Fault(cut=True, takes=True), "unknown", "uncertain"),
        (Fault(status=500, body="oops", takes=True), "unknown", "uncertain"),
        (Fault(status=200, body={"messages": []}, takes=True), "unknown", "uncertain"),
        (Fault(code=131026), "failed", "number_unknown"),
        (Fault(code=131047), "failed", "session_closed"),
        (Fault(code=131050), "failed", "opted_out"),
        (Fault(code=132001), "failed", "template_refused"),
        (Fault(code=100), "failed", "chat_refused"),
        (Fault(code=131016), "approved", "retry_backoff"),
        (Fault(code=131056), "approved", "retry_backoff"),
        (Fault(status=429, code=130429, headers={"Retry-After": "30"}), "approved", "vendor_limit"),
        (Fault(status=429, body="slow", headers={"Retry-After": "30"}), "approved", "vendor_limit"),
        (Fault(status=401, code=190), "approved", "sender_trouble"),
    ],
)
def test_what_the_vendor_answers(
    cast: Cast, app: ChatApp, vendor: ChatVendor, fault: Fault, status: str, reason: str
) -> None:
    job = _answer(cast, _talk(cast, app))
    vendor.script = [fault]
    work("send")
    work("send")
    found = _job(cast, job)
    assert (found.status, found.reason) == (status, reason)
    assert len([one for one in vendor.asked if one[1].endswith("/messages")]) == 1
    with cast.scope():
        sender = ChatApp.objects.get()
    assert sender.verified == (reason != "sender_trouble")
    assert (sender.paused_until is not None) == (reason in ("sender_trouble", "vendor_limit"))
    assert TOKEN not in f"{found.error}{sender.last_error}"


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow, id="chaos")])
def test_a_lost_answer_is_found_by_its_status_and_never_sent_again(
    cast: Cast, app: ChatApp, vendor: ChatVendor, count: int
) -> None:
    conversation, lost = _talk(cast, app), count * 4 // 5
    vendor.script = [Fault(cut=True, takes=True)] * lost
    jobs = [_answer(cast, conversation, f"No. {number}") for number in range(count)]
    for _ in range(3):
        work("send")
    with cast.scope():
        unknown = list(SendJob.objects.filter(status="unknown").values_list("pk", flat=True))
    assert (len(unknown), len(vendor.sent)) == (lost, count)
    assert {one["biz_opaque_callback_data"] for one in vendor.sent} == {*jobs}
    for job in unknown:
        tell(app, **became(job, "delivered"))
    work("chat-events")
    with cast.scope():
        assert set(SendJob.objects.values_list("status", flat=True)) == {"sent"}
        assert SendJob.objects.exclude(provider_message_id="").count() == len(jobs)
    assert len(vendor.sent) == count


def test_a_status_of_failure_ends_the_message(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    job = _answer(cast, _talk(cast, app))
    work("send")
    tell(app, **became(job, "failed", code=131050))
    work("chat-events")
    found = _job(cast, job)
    assert (found.status, found.reason, found.delivery_status) == ("failed", "opted_out", "failed")
    with cast.scope():
        assert ChatOptOut.objects.get().phone == "+4915112345678"


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    "wrote_at",
    [
        datetime(2026, 6, 10, 12, tzinfo=UTC),
        datetime(2026, 3, 28, 12, tzinfo=BERLIN),  # the next day has 23 hours
        datetime(2026, 10, 24, 12, tzinfo=BERLIN),  # 25
    ],
)
def test_a_chat_is_open_for_24_hours_of_time(wrote_at: datetime) -> None:
    ends = wrote_at.astimezone(UTC) + timedelta(hours=24)
    known = DecisionInput(session_ends_at=ends)
    assert decide(known, ends - timedelta(seconds=1)) == Ready()
    closed = decide(known, ends + timedelta(seconds=1))
    assert isinstance(closed, Stop)
    assert (closed.state, closed.reason) == ("failed", "session_closed")
    assert decide(known, ends) == closed


def test_the_window_is_held_by_the_api_the_claim_and_the_intent(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    conversation = _talk(cast, app)
    with cast.scope():
        rows = Conversation.objects.filter(pk=conversation)
        rows.update(last_inbound_at=timezone.now() - timedelta(hours=23, minutes=59, seconds=50))
    _answer(cast, conversation)
    work("send")
    assert len(vendor.sent) == 1
    late = _answer(cast, conversation)
    with cast.scope():
        rows.update(last_inbound_at=timezone.now() - timedelta(hours=24, seconds=1))
    refused = cast.key.post(f"/conversation/{conversation}/messages", {"text": "Too late"})
    assert (refused.status, "24 hours" in refused.body["warning"]) == (400, True)
    work("send")
    assert (_job(cast, late).reason, len(vendor.sent)) == ("session_closed", 1)


def test_a_template_goes_at_any_time_but_to_nobody_who_has_stopped(
    cast: Cast, app: ChatApp, template: ChatTemplate, vendor: ChatVendor
) -> None:
    conversation = _talk(cast, app)
    with cast.scope():
        Conversation.objects.update(last_inbound_at=timezone.now() - timedelta(days=3))
    path = f"/conversation/{conversation}/messages"
    assert cast.key.post(path, {"template": template.pk}).data["text"] == "Hello Ada, we are open."
    work("send")
    [sent] = vendor.sent
    assert sent["template"]["components"] == [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}]
    with cast.scope():
        ChatTemplate.objects.update(status="PAUSED")
    assert cast.key.post(path, {"template": template.pk}).status == 400
    with cast.scope():
        ChatTemplate.objects.update(status="APPROVED")
    waiting = cast.key.post(path, {"template": template.pk}).data["sendJob"]
    assert tell(app, **wrote("STOP", id="in.2")) == 200
    work("chat-events")
    work("send")
    assert (_job(cast, waiting).status, len(vendor.sent)) == ("suppressed", 1)
    assert cast.key.post(path, {"template": template.pk}).body["warning"].startswith("template:")
    assert cast.key.post(path, {"text": "Very well."}).status == 201  # an answer to what they wrote
    assert tell(app, **wrote("start", id="in.3")) == 200
    work("chat-events")
    assert cast.key.post(path, {"template": template.pk}).status == 201
