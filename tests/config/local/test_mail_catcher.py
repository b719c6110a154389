"""The mail catcher: its server over real SMTP, its store, its command and its page."""

import asyncio
import datetime as dt
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client

from config.demo_vendors import state_file
from config.local.mail_catcher import HOST, address, address_file, mail_folder, server
from config.local.mail_catcher.store import MailStore
from config.local.ports import GATEWAYS, choose_ports
from outreach.connections.smtp.message import OutgoingMail, build
from outreach.connections.smtp.outcome import Rejected, Sent
from outreach.connections.smtp.transport import Session, SmtpConfig
from tests.kit.examples import in_make_check
from tests.kit.html import html_of
from tests.kit.smtp_server import resolve_loopback

RAW = b"From: me@example.com\r\nTo: ann@example.org\r\nSubject: hello\r\n\r\nGood morning\r\n"


@contextmanager
def running(data: Path, port: int | None = None) -> Iterator[int]:
    """The catcher in a thread, until the block ends."""
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    started: list[int] = []
    ready = threading.Event()

    def note(actual: int) -> None:
        started.append(actual)
        ready.set()

    thread = threading.Thread(
        target=loop.run_until_complete, args=(server.serve(data, port=port, ready=note, stop=stop),), daemon=True
    )
    thread.start()
    assert ready.wait(5)
    try:
        yield started[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(5)
        loop.close()


def deliver(port: int, data: bytes = RAW, recipient: str = "ann@example.org") -> Sent | Rejected | object:
    config = SmtpConfig(HOST, port, "anybody", "any password", secure=False)
    with Session.open(config, resolve=resolve_loopback) as session:
        return session.deliver("me@example.com", recipient, data, lambda: None)


def test_what_is_sent_is_kept_byte_by_byte(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as port:
        outcome = deliver(port)
    assert caplog.text == ""  # a log-in is nothing to warn of
    store = MailStore(mail_folder(tmp_path))
    (mail_id,) = store.ids()
    assert outcome == Sent(f"2.0.0 caught as {mail_id}")
    mail = store.read(mail_id)
    assert mail is not None
    assert mail.raw == b"Return-Path: <me@example.com>\r\nDelivered-To: ann@example.org\r\n" + RAW
    assert (mail.summary.sender, mail.summary.recipient, mail.summary.subject) == (
        "me@example.com",
        "ann@example.org",
        "hello",
    )
    assert mail.text.strip() == "Good morning"
    assert [path.name for path in mail_folder(tmp_path).iterdir()] == [f"{mail_id}.eml"]


def test_the_port_is_noted_and_taken_again(tmp_path: Path) -> None:
    assert address(tmp_path) is None
    with running(tmp_path) as first:
        assert address(tmp_path) == (HOST, first)
    with running(tmp_path) as second:
        assert second == first
    with socket.create_server((HOST, first)), running(tmp_path) as third:
        assert third != first
        assert address(tmp_path) == (HOST, third)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"port": "x"}', '{"port": 0}', '{"port": 70000}', "\x00"])
def test_a_broken_note_is_no_address(tmp_path: Path, content: str) -> None:
    address_file(tmp_path).write_text(content)
    assert address(tmp_path) is None
    with running(tmp_path) as port:
        assert address(tmp_path) == (HOST, port)


def test_a_full_disk_is_told_to_the_sender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with running(tmp_path) as port:
        monkeypatch.setattr("config.local.mail_catcher.store.os.fsync", full)
        outcome = deliver(port)
    assert outcome == Rejected(True, 451, "4.3.0 the mail could not be kept", "final")
    assert MailStore(mail_folder(tmp_path)).ids() == []


def test_the_oldest_mails_go_when_there_are_too_many(tmp_path: Path) -> None:
    store = MailStore(tmp_path, limit=10)
    kept = [store.save(RAW, sender="a@b.c", recipients=["d@e.f"]) for _ in range(25)]
    assert store.ids() == kept[:-11:-1]


def test_pages_and_search(tmp_path: Path) -> None:
    store = MailStore(tmp_path)
    for number in range(7):
        mail = RAW.replace(b"hello", f"=?utf-8?q?Gr=C3=BC=C3=9Fe_{number}?=".encode())
        store.save(mail, sender="a@b.c", recipients=[f"r{number}@example.org"])
    page, total = store.page(start=2, size=3)
    assert ([mail.subject for mail in page], total) == (["Grüße 4", "Grüße 3", "Grüße 2"], 7)
    page, total = store.page(search="GRÜSSE r5@")
    assert ([mail.recipient for mail in page], total) == (["r5@example.org"], 1)
    assert store.page(search="nothing like it") == ([], 0)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\xff\xfe",
        b"Subject: =?x?q?\xff?=\r\nContent-Type: text/plain; charset=none\r\n\r\n\xff",
        b"a" * 100_000,
    ],
)
def test_any_bytes_can_be_kept_and_shown(tmp_path: Path, raw: bytes) -> None:
    store = MailStore(tmp_path)
    mail_id = store.save(raw, sender="", recipients=[])
    mail = store.read(mail_id)
    assert mail is not None
    assert mail.raw.endswith(raw)
    assert store.page()[1] == 1


@pytest.mark.parametrize(
    "mail_id", ["", "..", "../../etc/passwd", "x", "1" * 20, "0" * 20 + "-00000000", "0" * 20 + "-0000000g"]
)
def test_an_id_that_names_no_mail(tmp_path: Path, mail_id: str) -> None:
    assert MailStore(tmp_path).read(mail_id) is None


STANDINS = """
import runpy, sys, threading
threading.Timer(0.3, lambda: print("django" in sys.modules, flush=True)).start()
runpy.run_module("config.local.standins", run_name="__main__", alter_sys=True)
"""


@in_make_check
def test_the_stand_ins_are_one_process_without_django_that_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    choose_ports(tmp_path)
    ports = [json.loads(file.read_text())["port"] for file in (tmp_path / GATEWAYS, state_file(tmp_path))]
    with subprocess.Popen(
        [sys.executable, "-c", STANDINS, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = {process.stdout.readline() for _ in range(2)}
            noted = json.loads(address_file(tmp_path).read_text())
            assert said == {f"Mail catcher: SMTP on 127.0.0.1:{noted['port']}\n", "False\n"}
            assert noted["pid"] == process.pid
            assert isinstance(deliver(noted["port"]), Sent)
            for port in ports:
                socket.create_connection((HOST, port), 5).close()
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
        finally:
            process.kill()


# The page


@pytest.fixture
def page(tmp_path: Path, settings: pytest.FixtureRequest) -> Client:
    settings.LEADWRIGHT_DATA = tmp_path  # type: ignore[attr-defined]
    settings.DEMO = True  # type: ignore[attr-defined]
    settings.ROOT_URLCONF = "tests.config.local.mail_catcher_urls"  # type: ignore[attr-defined]
    return Client()


def catch(data: Path, **values: str) -> str:
    mail = OutgoingMail(
        id="65f0c0ffee65f0c0ffee65f0",
        from_name="Maria",
        from_email="maria@example.com",
        to_email="ann@example.org",
        date=dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
        **{"subject": "<b>Spring</b>", "text": "Hi <Ann>", **values},
    )
    return MailStore(mail_folder(data)).save(build(mail), sender="maria@example.com", recipients=["ann@example.org"])


def test_the_list(page: Client, tmp_path: Path) -> None:
    assert b"No emails yet" in page.get("/mails/").content
    mail_id = catch(tmp_path)
    content = page.get("/mails/").content.decode()
    assert f'href="/mails/{mail_id}"' in content
    assert "&lt;b&gt;Spring&lt;/b&gt;" in content
    assert "1 caught email" in content
    assert "No emails match “&lt;x&gt;”" in html_of(page.get("/mails/", {"q": "<x>"}))


def test_the_list_has_pages(page: Client, tmp_path: Path) -> None:
    for number in range(51):
        catch(tmp_path, subject=f"Mail {number}")
    assert "Page 1 of 2" in page.get("/mails/").content.decode()
    second = page.get("/mails/", {"page": "2"}).content.decode()
    assert ("Mail 0<" in second, "Mail 1<" in second) == (True, False)
    for odd in ("0", "-1", "x", "999999999", "²", "99999"):
        assert page.get("/mails/", {"page": odd}).status_code == 200


def test_one_mail(page: Client, tmp_path: Path) -> None:
    mail_id = catch(tmp_path)
    response = page.get(f"/mails/{mail_id}")
    content = html_of(response)
    assert "Hi &lt;Ann&gt;" in content
    assert "maria@example.com" in content
    assert f'src="/mails/{mail_id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"' in content
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_its_html_can_not_run(page: Client, tmp_path: Path) -> None:
    raw = b"Subject: x\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script><p>hi</p>"
    mail_id = MailStore(mail_folder(tmp_path)).save(raw, sender="a@b.c", recipients=["d@e.f"])
    response = page.get(f"/mails/{mail_id}/html")
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'")
    assert "script" not in policy
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_the_download(page: Client, tmp_path: Path) -> None:
    mail_id = catch(tmp_path)
    response = page.get(f"/mails/{mail_id}/raw")
    assert response.headers["Content-Type"] == "message/rfc822"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{mail_id}.eml"'
    assert response.content.startswith(b"Return-Path: <maria@example.com>\r\n")


@pytest.mark.parametrize("path", ["/mails/", "/mails/{id}", "/mails/{id}/html", "/mails/{id}/raw"])
def test_nobody_else_sees_it(page: Client, tmp_path: Path, settings: pytest.FixtureRequest, path: str) -> None:
    url = path.format(id=catch(tmp_path))
    assert page.get(url).status_code == 200
    assert page.get(url, REMOTE_ADDR="::1").status_code == 200
    assert page.get(url, REMOTE_ADDR="192.168.1.7").status_code == 404
    assert page.get(url, REMOTE_ADDR="").status_code == 404
    assert page.get(url, headers={"x-forwarded-for": "127.0.0.1"}).status_code == 404
    assert page.post(url).status_code == 405
    settings.DEMO = False  # type: ignore[attr-defined]
    assert page.get(url).status_code == 404


@pytest.mark.parametrize("mail_id", ["nothing", "0" * 20 + "-00000000"])
@pytest.mark.parametrize("tail", ["", "/html", "/raw"])
def test_a_mail_that_is_not_there(page: Client, mail_id: str, tail: str) -> None:
    assert page.get(f"/mails/{mail_id}{tail}").status_code == 404
