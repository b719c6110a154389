"""The service's own mails: what they look like, and that each goes out, or is seen not to."""

from __future__ import annotations

import email
import html
import json
import re
import time
from datetime import timedelta
from email import policy
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import time_machine
from django.conf import settings as django_settings
from django.core import mail as outgoing
from django.core.management import call_command
from django.template import engines
from django.utils import timezone

from accounts.mails import worker as mail_worker
from accounts.mails.services import queue_mail, render_mail, send_again
from accounts.models import CompanySettings, Mail
from accounts.settings.branding import Brand
from accounts.templatetags.branding import css_image, hex_color, web_links
from core.jobs import LeaseLost
from core.jobs.registry import queue_work_by_name
from core.tenancy import unscoped
from core.text.formats import Formats
from tests.accounts.mails.samples import LINK, NASTY, SAMPLES
from tests.kit.cast import Cast
from tests.kit.examples import in_make_check
from tests.kit.processes import drainer, kill
from tests.kit.smtp_server import DROP, Faults, FaultyServer, faulty_server

FOLDER = Path(django_settings.BASE_DIR) / "templates" / "mails"
ON_DISK = {path.name.removesuffix(".subject.txt") for path in FOLDER.glob("*.subject.txt")}
BRAND = Brand(
    name=NASTY,
    description=NASTY,
    version="1.2",
    links={"x": "https://x.com/acme", "linkedin": "javascript:alert(1)", "facebook": ""},
    background={"color": "#aabbcc", "image": "https://example.com/a.png"},
)


# Templates


def test_every_kind_has_a_sample_and_all_its_files() -> None:
    assert set(SAMPLES) == ON_DISK
    for kind in ON_DISK:
        assert (FOLDER / f"{kind}.txt").exists()
        assert not (FOLDER / f"{kind}.html").exists(), "one template has the words of both forms"


@pytest.mark.parametrize(
    ("kind", "number"), [(kind, number) for kind in sorted(SAMPLES) for number in range(len(SAMPLES[kind]))]
)
def test_kinds_render_whole_and_escaped(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines["django"].engine, "string_if_invalid", "!!%s!!")
    context = {**SAMPLES[kind][number], "brand": BRAND, "formats": Formats()}
    subject, text, markup = render_mail(kind, context)
    for part in (subject, text, markup):
        assert "!!" not in part, f"a variable is missing: {part[part.index('!!') :][:60]}"
        assert "{%" not in part
    assert subject.strip()
    assert "\n" not in subject
    assert not re.search(r"&(amp|lt|gt|quot|#x27|#39);", subject + text), "escaped for HTML"
    assert "\n\n\n" not in text
    assert NASTY in text
    assert "<b>O'Neill" not in markup
    assert html.escape(NASTY) in markup
    assert (LINK in text) == (html.escape(LINK) in markup)
    assert "<h1" in markup
    assert "https://x.com/acme" in text
    assert "javascript:" not in text + markup


def test_a_brand_cannot_break_out_of_its_place() -> None:
    assert hex_color("#1d4ed8", "#ffffff") == "#1d4ed8"
    for bad in ("red", "#fff", "#12345g", "#123456;}</style><script>", None, 5):
        assert hex_color(bad, "#ffffff") == "#ffffff"
    assert css_image("https://example.com/a.png?b=1&c=%20") == 'url("https://example.com/a.png?b=1&c=%20")'
    assert (
        css_image('https://example.com/a")</style><b onload="x')
        == 'url("https://example.com/a%22%29%3C/style%3E%3Cb%20onload=%22x")'
    )
    for bad in (
        "http://example.com/a.png",
        "javascript:alert(1)",
        "https://",
        "data:image/png;base64,x",
        None,
        {"a": 1},
    ):
        assert css_image(bad) == ""
    assert web_links({"linkedin": "https://l.example", "x": "ftp://x", "threads": "//t"}) == [
        ("LinkedIn", "https://l.example")
    ]
    assert web_links(None) == []


# Queueing


def test_a_mail_has_the_look_of_its_company(cast: Cast) -> None:
    with cast.scope():
        CompanySettings.objects.update_or_create(company=cast.company, defaults={"app_name": "Acme CRM"})
    theirs = queue_mail(
        "reset_password", to="ann@example.org", context=SAMPLES["reset_password"][0], company_id=cast.company.pk
    )
    ours = queue_mail("reset_password", to="ann@example.org", context=SAMPLES["reset_password"][0])
    assert "your account at Acme CRM" in theirs.text
    assert "your account at Leadwright" in ours.text
    assert (theirs.company_id, ours.company_id) == (cast.company.pk, None)


@pytest.mark.django_db
def test_what_is_queued_is_encrypted() -> None:
    from django.db import connection

    mail = queue("ann@example.org")
    with unscoped(reason="test: the bare columns"), connection.cursor() as cursor:
        cursor.execute("SELECT text, html FROM accounts_mail WHERE id = %s", [mail.pk])
        assert [part[:7] for part in cursor.fetchone()] == ["aesgcm:", "aesgcm:"]


# Sending


def queue(to: str, company_id: str | None = None) -> Mail:
    return queue_mail("reset_password", to=to, context=SAMPLES["reset_password"][0], company_id=company_id)


def drain(seconds: float = 20) -> None:
    mail_worker.drain(monotonic() + seconds)


def read(mail: Mail) -> Mail:
    with unscoped(reason="test: one mail"):
        return Mail.objects.get(pk=mail.pk)


@pytest.fixture
def smtp(settings: Any) -> Any:
    """Have the worker send to a server on loopback."""

    def use(port: int) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_TIMEOUT = 20

    return use


def test_a_mail_goes_out_and_its_content_is_dropped(cast: Cast, settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "Somebody <no-reply@mail.example>"
    with cast.scope():
        name = 'Acme "Europe"\r\nBcc: x@example.org <b>'
        CompanySettings.objects.update_or_create(company=cast.company, defaults={"app_name": name})
    mail = queue("ann@example.org", cast.company.pk)
    assert queue_work_by_name()["mails"].due()
    drain()
    [sent] = outgoing.outbox
    assert (sent.to, sent.subject, sent.bcc) == (["ann@example.org"], "Set a new password", [])
    message = email.message_from_bytes(sent.message().as_bytes(), policy=policy.default)
    assert message["From"] == '"Acme Europe Bcc: x@example.org b via Leadwright" <no-reply@mail.example>'
    assert message["Bcc"] is None
    assert message["Message-ID"] == f"<{mail.pk}@mail.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_body(("plain",)).get_content().split() == mail.text.split()
    assert LINK in message.get_body(("html",)).get_content()
    after = read(mail)
    assert (after.status, after.text, after.html, after.error, after.worker) == ("sent", "", "", "", None)
    assert after.sent_at is not None
    assert after.subject == "Set a new password"
    drain()
    assert len(outgoing.outbox) == 1


@pytest.mark.django_db
def test_without_a_server_mails_wait(settings: Any) -> None:
    settings.SENDS_MAIL = False
    mail = queue("ann@example.org")
    assert not queue_work_by_name()["mails"].due()
    drain()
    assert outgoing.outbox == []
    assert (read(mail).status, read(mail).attempts) == ("queued", 0)


def test_one_connection_serves_them_all(db: None, smtp: Any) -> None:
    faults = Faults()
    mails = [queue(f"user{n}@example.org") for n in range(12)]
    with faulty_server(faults) as port:
        smtp(port)
        drain()
    assert faults.connections == 1
    assert [envelope[1] for envelope in faults.envelopes] == [(f"user{n}@example.org",) for n in range(12)]
    assert {read(mail).status for mail in mails} == {"sent"}


TROUBLES: dict[str, tuple[dict[str, str], str]] = {
    "busy": ({"rcpt": "451 4.2.0 mailbox busy"}, "451 4.2.0 mailbox busy"),
    "sender refused": ({"mail": "550 5.7.1 not you"}, "The server says: 550 5.7.1 not you"),
    "content refused": ({"final": "554 5.6.0 no"}, "The server says: 554 5.6.0 no"),
    "dropped": ({"data": DROP}, "Connection unexpectedly closed"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_is_tried_again_later(db: None, smtp: Any, trouble: str) -> None:
    at, error = TROUBLES[trouble]
    faults = Faults(at=at, times=dict.fromkeys(at, 1))
    mail = queue("ann@example.org")
    with faulty_server(faults) as port:
        smtp(port)
        before = timezone.now()
        drain()
        after = read(mail)
        assert (after.status, after.attempts, after.worker, after.lease) == ("queued", 1, None, None)
        assert after.error.startswith(error)
        assert after.due_at > before
        with time_machine.travel(timezone.now() + timedelta(hours=2)):
            drain()
    assert (read(mail).status, read(mail).attempts, read(mail).error) == ("sent", 2, "")


def test_a_refused_address_is_given_up_at_once_and_costs_the_others_nothing(db: None, smtp: Any) -> None:
    faults = Faults(at={"rcpt": "550 5.1.1 no such user"}, times={"rcpt": 1})
    gone, fine = queue("gone@example.org"), queue("fine@example.org")
    with faulty_server(faults) as port:
        smtp(port)
        drain()
    after = read(gone)
    assert (after.status, after.error) == ("failed", "The server refuses the address: 550 5.1.1 no such user")
    assert LINK in after.text
    assert read(fine).status == "sent"


def test_a_dead_server_parks_a_mail_in_the_end_and_it_can_be_sent_again(
    db: None, smtp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mails = [queue(f"user{n}@example.org") for n in range(3)]
    with faulty_server(Faults()) as free:
        pass
    smtp(free)
    later = timezone.now()
    for attempt in range(1, mail_worker.MAX_ATTEMPTS + 1):
        later += timedelta(hours=2)
        with time_machine.travel(later):
            drain()
        assert {read(mail).attempts for mail in mails} == {attempt}
    after = read(mails[0])
    assert after.status == "failed"
    assert after.error == "Given up after 15 attempts. Connection refused"
    assert send_again(mail_id=after.pk)
    assert not send_again(mail_id=after.pk)
    faults = Faults()
    with faulty_server(faults) as port:
        smtp(port)
        drain()
    assert [envelope[1] for envelope in faults.envelopes] == [("user0@example.org",)]
    assert [read(mail).status for mail in mails] == ["sent", "failed", "failed"]


@pytest.mark.django_db
def test_what_no_header_can_carry_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, fine = queue("a@example.org"), queue("b@example.org")
    with unscoped(reason="test: a subject that no template gives"):
        Mail.objects.filter(pk=bad.pk).update(subject="Hello\nBcc: x@example.org")
    drain()
    assert (read(bad).status, read(fine).status) == ("failed", "sent")
    assert read(bad).error.startswith("A line break or another character")


@pytest.mark.django_db
def test_a_lost_lease_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mail = queue("ann@example.org")

    def stolen(row: Mail, **values: Any) -> None:
        raise LeaseLost(row.pk)

    monkeypatch.setattr(mail_worker, "update_owned", stolen)
    drain()
    assert read(mail).status == "sending"
    assert LINK in read(mail).text


# Killed workers


class SlowServer(FaultyServer):
    """Takes a mail, and its time to say so."""

    async def handle_DATA(self, server: Any, session: object, envelope: Any) -> str:
        import asyncio

        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(1.0)
        return answer


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_loses_no_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = Faults()
    mails = [queue(f"user{n}@example.org") for n in range(3)]
    with faulty_server(faults, factory=SlowServer) as port:
        monkeypatch.setenv("EMAIL_URL", f"smtp://127.0.0.1:{port}")
        first = drainer("mails")
        wait_for(lambda: len(faults.received) == 1)
        kill(first)
        assert {read(mail).status for mail in mails} == {"sending"}
        second = drainer("mails")
        try:
            wait_for(lambda: {read(mail).status for mail in mails} == {"sent"})
        finally:
            kill(second)
    seen = [email.message_from_bytes(data)["Message-ID"] for data in faults.received]
    assert set(seen) == {f"<{mail.pk}@localhost>" for mail in mails}
    assert len(seen) == 4
    assert seen.count(seen[0]) == 2
    assert {read(mail).text for mail in mails} == {""}


def wait_for(done: Any, seconds: float = 40) -> None:
    end = monotonic() + seconds
    while not done():
        assert monotonic() < end, "it did not happen"
        time.sleep(0.05)


# The demo's catcher, and no server


@pytest.mark.django_db
def test_the_demos_mails_go_to_the_catcher_wherever_it_listens(settings: Any, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND, settings.LEADWRIGHT_DATA = "config.local.mail_catcher.backend.CatcherBackend", tmp_path
    mail = queue("ann@example.org")
    drain()
    assert (read(mail).status, read(mail).error) == (
        "queued",
        "the mail catcher has not been started",
    )
    faults = Faults()
    with faulty_server(faults) as port, time_machine.travel(timezone.now() + timedelta(minutes=5)):
        (tmp_path / "mailcatcher.json").write_text(json.dumps({"port": port}))
        drain()
    assert [envelope[1] for envelope in faults.envelopes] == [("ann@example.org",)]


def test_a_deployment_without_server_is_told(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def found() -> str:
        call_command("check", tags=["mail"], deploy=True, fail_level="CRITICAL")
        return capsys.readouterr().err

    settings.SENDS_MAIL, settings.DEMO, settings.BUFFERING_PROXY = False, False, True
    assert "config.W003" in found()
    settings.SENDS_MAIL, settings.DEFAULT_FROM_EMAIL = True, "no-reply@localhost"
    assert "config.W004" in found()
    settings.DEFAULT_FROM_EMAIL = "no-reply@example.org"
    told = found()
    assert "config.W003" not in told
    assert "config.W004" not in told


# Keeping


@pytest.mark.django_db
def test_old_mails_are_purged_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_worker, "MAX_PURGED", 2)
    with time_machine.travel(timezone.now() - timedelta(days=91), tick=False):
        old = [queue(f"user{n}@example.org") for n in range(6)]
    young = queue("young@example.org")
    with unscoped(reason="test: as the periodic task runs"):
        Mail.objects.filter(pk__in=[mail.pk for mail in old[:5]]).update(status="sent")
        Mail.objects.filter(pk=old[4].pk).update(status="failed")
        Mail.objects.filter(pk=young.pk).update(status="sent")
        assert [mail_worker.purge_mails() for _ in range(3)] == [True, True, False]
        assert set(Mail.objects.values_list("pk", flat=True)) == {old[5].pk, young.pk}
