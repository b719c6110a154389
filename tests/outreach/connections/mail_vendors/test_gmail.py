"""/apps/mailvendor-c: a member logs in at Google, and messages go out by users.messages.send."""

from __future__ import annotations

import threading
from datetime import timedelta
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Notification
from core.outbound_http import HttpAnswer
from core.tenancy import company_scope
from outreach.connections.mail_vendors import access, google, logins
from outreach.connections.smtp.outcome import SmtpError
from outreach.models import AiApp, MailApp, SendJob, VendorLogin
from tests.kit.cast import Cast
from tests.kit.google import EMAIL, READ, REFRESH, SEND
from tests.kit.mail_vendors import Fault, VendorServer
from tests.outreach.helpers import planned, statuses, work

AUTHORIZE = "/apps/mailvendor-c/authorize"
NEW = {"name": "Mine", "fromName": "Dana", "perHour": 30}


@pytest.fixture
def gmail(vendors: VendorServer) -> VendorServer:
    return vendors.be("gmail")


@pytest.fixture
def app(cast: Cast, gmail: VendorServer) -> MailApp:
    """The company's only sender, a connected account."""
    with cast.scope():
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
        found = gmail.app("gmail", letter="c", verified=True, from_email=EMAIL)
        found.save()
        return found


def _came_back(cast: Cast, gmail: VendorServer, email: str = EMAIL, scopes: str | None = None, **asked: Any) -> Any:
    begun = cast.session.post(AUTHORIZE, asked)
    assert begun.status == 201, begun.body
    return gmail.google.consent(begun.data["url"], email=email, scopes=scopes)


def _fresh(cast: Cast, app: MailApp) -> MailApp:
    with cast.scope():
        return MailApp.objects.get(pk=app.pk)


def test_a_log_in_connects_the_account_once(cast: Cast, gmail: VendorServer) -> None:
    assert cast.key.post("/apps/mailvendor-c", NEW).body["message"] == "Log in to the mailbox at its vendor first."
    begun = cast.session.post(AUTHORIZE, {})
    asked = {name: values[0] for name, values in parse_qs(urlsplit(begun.data["url"]).query).items()}
    assert asked["scope"] == f"openid email {SEND}"
    assert asked["redirect_uri"].endswith("/oauth/mailvendor-c/callback")
    came_back = gmail.google.consent(begun.data["url"])
    led = Client().get("/oauth/mailvendor-c/callback", came_back)
    assert led["Location"].startswith(f"/c/{cast.company.pk}/senders/return?code=")
    assert Client().get("/oauth/mailvendor-c/callback", {"state": "//evil.example"})["Location"] == "/"
    unnamed = cast.session.post("/apps/mailvendor-c", {**came_back})
    assert (unnamed.status, "fromName" in str(unnamed.body)) == (400, True)
    made = cast.session.post("/apps/mailvendor-c", {**NEW, **came_back})
    assert made.status == 201, made.body
    shown = made.data
    assert (shown["fromEmail"], shown["verified"], shown["needsLogin"], shown["mayRead"]) == (EMAIL, True, False, False)
    assert (shown["perMinute"], shown["perHour"], shown["perDay"], shown["webhookUrl"]) == (60, 30, 450, "")
    assert "canary" not in str(made.body)
    again = cast.session.post("/apps/mailvendor-c", {**NEW, **came_back})
    assert (again.status, again.body["message"]) == (400, "The log-in details are wrong.")
    twin = cast.session.post("/apps/mailvendor-c", {**NEW, **_came_back(cast, gmail)})
    assert (twin.status, "connected already" in str(twin.body)) == (400, True)
    with cast.scope():
        stored = MailApp.objects.values("api_key", "access_token").get()
        assert "canary" not in str(stored)
        assert (MailApp.objects.get().api_key, VendorLogin.objects.count()) == ("refresh-canary-2", 0)


def test_what_came_back_to_somebody_else_or_too_late_connects_nothing(
    cast: Cast, outsiders: Cast, gmail: VendorServer
) -> None:
    came_back = _came_back(cast, gmail)
    with cast.scope():
        colleague = cast.narrow
        with pytest.raises(Exception, match="begun by somebody else"):
            logins.create_by_login(letter="c", member_id=colleague.pk, from_name="X", **came_back)
    for client, given in (
        (outsiders.session, came_back),
        (cast.session, {**came_back, "state": came_back["state"][:-1] + "_"}),
        (cast.session, {"code": came_back["code"], "state": "x"}),
    ):
        refused = client.post("/apps/mailvendor-c", {**NEW, **given})
        assert (refused.status, refused.body["message"]) == (400, "The log-in details are wrong.")
    assert "/token" not in [one.path for one in gmail.asked]
    with cast.scope():
        VendorLogin.objects.update(ends_at=timezone.now())
    assert cast.session.post("/apps/mailvendor-c", {**NEW, **came_back}).status == 400
    first, second = _came_back(cast, gmail), _came_back(cast, gmail)
    assert cast.session.post("/apps/mailvendor-c", {**NEW, **first}).status == 400  # begun anew since
    forged = cast.session.post("/apps/mailvendor-c", {**NEW, **second, "code": "stolen"})
    assert (forged.status, "does not take the code" in str(forged.body)) == (400, True)
    unticked = cast.session.post("/apps/mailvendor-c", {**NEW, **_came_back(cast, gmail, scopes="openid email")})
    assert (unticked.status, "allowed to send" in str(unticked.body)) == (400, True)
    assert gmail.asked[-1].path == "/revoke"
    with cast.scope():
        assert not MailApp.objects.exists()


def test_without_a_client_nobody_logs_in(cast: Cast, gmail: VendorServer, settings: Any) -> None:
    settings.GOOGLE_CLIENT_SECRET = ""
    refused = cast.session.post(AUTHORIZE, {})
    assert (refused.status, "not set up here" in str(refused.body)) == (400, True)


def test_messages_go_out_in_their_thread(cast: Cast, app: MailApp, gmail: VendorServer) -> None:
    cadence = {"steps": [{"delay": {"amount": 1, "unit": "seconds"}, "prompt": "Ask again"}]}
    run = planned(cast, 1, outreachCadence=cadence)
    work("send")
    with cast.scope():
        assert SendJob.objects.get().provider_thread_id == "t-1"
        SendJob.objects.update(next_step_at=timezone.now() - timedelta(seconds=1))
    work("follow-ups")
    work("genie")
    with cast.scope():
        SendJob.objects.filter(step=2).update(due_at=timezone.now() - timedelta(seconds=1))
    gmail.script = [Fault(404, {"error": {"code": 404, "message": "Requested entity was not found."}})]
    work("send")
    assert (statuses(cast, run), gmail.google.threads) == ({"sent": 2}, ["", ""])
    bodies = [b'"threadId": "t-1"' in one.body for one in gmail.sent]
    assert bodies == [False, True, False]  # the thread had been deleted, and it went without
    first, second = (message_from_bytes(mail) for mail in gmail.google.mails)
    assert (second["In-Reply-To"], first["From"]) == (first["Message-ID"], "Me <dana@example.com>")
    assert "List-Unsubscribe" in second
    [log, _] = cast.key.get("/logs/mailvendor-c").data
    assert (log["gmails"]["_id"], log["providerMessageId"]) == (app.pk, "vendor-id-1")


def test_an_access_token_is_renewed_and_one_that_ends_early_is_replaced(
    cast: Cast, app: MailApp, gmail: VendorServer
) -> None:
    with cast.scope():
        MailApp.objects.update(access_ends_at=timezone.now())
    run = planned(cast, 1)
    work("send")
    assert [one.path for one in gmail.asked] == ["/token", "/gmail/v1/users/me/messages/send"]
    gmail.google.access.clear()
    other = planned(cast, 1)
    work("send")
    assert [one.path for one in gmail.asked][-3:] == [gmail.sent[0].path, "/token", gmail.sent[0].path]
    assert (statuses(cast, run), statuses(cast, other), len(gmail.google.mails)) == ({"sent": 1}, {"sent": 1}, 2)


def test_a_log_in_that_was_taken_back_needs_a_new_one_and_loses_nothing(
    cast: Cast, app: MailApp, gmail: VendorServer
) -> None:
    gmail.google.refresh.clear()
    with cast.scope():
        MailApp.objects.update(access_ends_at=timezone.now())
    run = planned(cast, 1)
    work("send")
    path = f"/apps/mailvendor-c/{app.pk}"
    shown = cast.key.get(path).data
    assert (shown["needsLogin"], shown["verified"], "Log in again" in shown["lastError"]) == (True, False, True)
    assert (statuses(cast, run), gmail.sent) == ({"approved": 1}, [])
    with cast.scope():
        assert Notification.objects.filter(kind="sender.failing").exists()
    tested = cast.key.post(f"{path}/test").data
    assert (tested["ok"], tested["stage"], len(gmail.asked)) == (False, "auth", 1)
    other = cast.session.put(path, _came_back(cast, gmail, email="other@example.com", app=app.pk))
    assert (other.status, "is another" in str(other.body)) == (400, True)
    renewed = cast.session.put(path, {**_came_back(cast, gmail, app=app.pk, mayRead=True), "perDay": 9})
    assert renewed.status == 200, renewed.body
    assert {name: renewed.data[name] for name in ("needsLogin", "verified", "mayRead", "perDay", "lastError")} == {
        "needsLogin": False,
        "verified": True,
        "mayRead": True,
        "perDay": 9,
        "lastError": "",
    }
    work("send")
    assert statuses(cast, run) == {"sent": 1}
    assert cast.key.post(f"{path}/test").data["ok"] is True


@pytest.mark.parametrize(
    ("reads", "sends", "ends"), [(True, True, "sent"), (True, False, "unknown"), (False, True, "unknown")]
)
def test_a_doubt_is_looked_up_where_that_is_allowed_and_never_sent_again(
    cast: Cast, app: MailApp, gmail: VendorServer, reads: bool, sends: bool, ends: str
) -> None:
    if reads:
        with cast.scope():
            MailApp.objects.update(scopes=f"{SEND} {READ}")
    run = planned(cast, 1)
    gmail.script = [Fault(cut=True, sends=sends)]
    work("send")
    assert statuses(cast, run) == {"unknown": 1}
    for _ in range(4):
        with cast.scope():
            SendJob.objects.filter(status="unknown").update(due_at=timezone.now())
        work("uncertain")
    looked = [one for one in gmail.asked if one.method == "GET"]
    assert (statuses(cast, run), len(gmail.sent)) == ({ends: 1}, 1)
    assert len(looked) == {"sent": 1, "unknown": 3 if reads else 0}[ends]
    if ends == "sent":
        assert cast.key.get("/logs/mailvendor-c").data[0]["providerMessageId"] == "m-0"


@pytest.mark.parametrize(
    ("answer", "status", "reason", "paused"),
    [
        ((403, "userRateLimitExceeded", "Slow down"), "approved", "", "vendor_limit"),
        (
            (429, "rateLimitExceeded", "User-rate limit exceeded. Retry after 2999-01-01T00:00:00.000Z"),
            "approved",
            "",
            "vendor_limit",
        ),
        ((403, "insufficientPermissions", "Insufficient Permission"), "approved", "", "sender_trouble"),
        ((400, "failedPrecondition", "Mail service not enabled"), "approved", "", "sender_trouble"),
        ((400, "invalidArgument", "Invalid To header"), "failed", "bad_address", ""),
        ((413, "uploadTooLarge", "Too large"), "failed", "rejected", ""),
    ],
)
def test_what_gmail_refuses(
    cast: Cast, app: MailApp, gmail: VendorServer, answer: tuple[int, str, str], status: str, reason: str, paused: str
) -> None:
    code, why, words = answer
    run = planned(cast, 1)
    error = {"error": {"code": code, "message": words, "errors": [{"reason": why, "message": words}]}}
    gmail.script = [Fault(code, error)]
    work("send")
    assert (statuses(cast, run), len(gmail.sent)) == ({status: 1}, 1)
    found = _fresh(cast, app)
    assert (found.paused_reason, found.verified) == (paused, paused != "sender_trouble")
    if "2999" in words:
        assert found.paused_until is not None
        assert found.paused_until > timezone.now() + timedelta(minutes=59)  # an hour at most, then it asks again
    with cast.scope():
        assert SendJob.objects.get().reason in (reason, paused, "sender_trouble")


def test_deleting_takes_the_log_in_back(cast: Cast, app: MailApp, gmail: VendorServer) -> None:
    assert cast.key.delete("/apps/mailvendor-c", {"ids": [app.pk]}).data == {"deletedCount": 1, "deactivatedCount": 0}
    assert (gmail.asked[-1].path, REFRESH in gmail.google.refresh) == ("/revoke", False)
    with cast.scope():
        kept = gmail.app("gmail", letter="c", verified=True, from_email=EMAIL)
        kept.save()
    planned(cast, 1)
    assert cast.key.delete("/apps/mailvendor-c", {"ids": [kept.pk]}).data["deactivatedCount"] == 1
    found = _fresh(cast, kept)
    assert (found.api_key, found.access_token, found.needs_login, found.is_active) == ("", "", True, False)
    assert [one.path for one in gmail.asked].count("/revoke") == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_renew_once(cast: Cast, gmail: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        app = gmail.app("gmail", letter="c", access_ends_at=timezone.now())
        app.save()
    asking, goes_on = threading.Event(), threading.Event()
    exchange = google.send_request

    def slow(*args: Any, **options: Any) -> HttpAnswer:
        asking.set()
        assert goes_on.wait(10)
        return exchange(*args, **options)

    def waited(_: float) -> None:
        goes_on.set()  # the other one sees that somebody is at it
        threading.Event().wait(0.02)

    monkeypatch.setattr(google, "send_request", slow)
    monkeypatch.setattr(access, "sleep", waited)
    found: list[str] = []

    def fetch_token() -> None:
        from django.db import connection  # noqa: PLC0415

        with company_scope(cast.company.pk):
            found.append(access.access_token(app))
        connection.close()

    first, second = threading.Thread(target=fetch_token), threading.Thread(target=fetch_token)
    first.start()
    assert asking.wait(10)
    second.start()
    first.join(10)
    second.join(10)
    assert (len(set(found)), len(found), gmail.google.issued) == (1, 2, 1)


def test_google_being_away_is_no_refusal(cast: Cast, app: MailApp, settings: Any) -> None:
    settings.VENDOR_BASE_URLS = {"gmail": "http://127.0.0.1:1"}
    with cast.scope():
        MailApp.objects.update(access_ends_at=None)
        with pytest.raises(SmtpError) as failed:
            access.access_token(_fresh(cast, app))
        assert (failed.value.stage, failed.value.temporary) == ("connect", True)
        found = MailApp.objects.get()
        assert (found.needs_login, found.renewing_until) == (False, None)
