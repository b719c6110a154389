"""outreach.connections.smtp.transport: reaching a server, encryption, logging in, and servers that misbehave."""

import dataclasses
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult

from core.outbound_tls import is_loopback
from outreach.connections.smtp import connection as wire
from outreach.connections.smtp.outcome import Rejected, Sent, SmtpError
from outreach.connections.smtp.transport import Session, SmtpConfig, verify
from tests.kit.smtp_server import (
    BIG,
    BODY,
    FAST,
    PATIENT,
    Faults,
    Intent,
    accept_any,
    certificate,
    faulty_server,
    plain,
    resolve_loopback,
    scripted_server,
)

# Encryption and logging in


def test_starttls_and_login_with_any_password(tmp_path: Path, settings: Any) -> None:
    context, settings.OUTBOUND_CA_FILE = certificate(tmp_path)
    options = {"tls_context": context, "require_starttls": True, "authenticator": accept_any, "auth_required": True}
    faults = Faults()
    with faulty_server(faults, **options) as port:
        config = SmtpConfig("localhost", port, "user", "päss wörd", True, "me@example.com")
        with Session.open(config, timeouts=PATIENT, resolve=resolve_loopback) as session:
            assert session.tls_version in {"TLSv1.2", "TLSv1.3"}
            assert session.deliver("me@example.com", "ann@example.org", BODY, Intent()) == Sent("2.0.0 queued")
        assert verify(config, timeouts=PATIENT, resolve=resolve_loopback) in {"TLSv1.2", "TLSv1.3"}
    assert faults.received == [BODY]


@pytest.mark.parametrize("mechanism", ["PLAIN", "LOGIN"])
def test_a_wrong_password_is_named_and_never_shown(tmp_path: Path, settings: Any, mechanism: str) -> None:
    context, settings.OUTBOUND_CA_FILE = certificate(tmp_path)
    other = {"PLAIN": "LOGIN", "LOGIN": "PLAIN"}[mechanism]
    options = {"tls_context": context, "authenticator": accept_any, "auth_exclude_mechanism": [other]}
    with faulty_server(Faults(), **options) as port:
        config = SmtpConfig("localhost", port, "user", "s3cret-phrase", True, "me@example.com")
        with pytest.raises(SmtpError) as caught:
            verify(config, timeouts=PATIENT, resolve=resolve_loopback)
    assert (caught.value.stage, caught.value.temporary, caught.value.code) == ("auth", False, 535)
    assert "refused the user name and password" in caught.value.detail
    assert "s3cret-phrase" not in repr(config) + str(caught.value) + repr(caught.value)


def test_a_secret_that_the_server_echoes_is_hidden() -> None:
    def echo(connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        connection.sendall(b"220 hi\r\n")
        reader.readline()
        connection.sendall(b"250-hi\r\n250 AUTH PLAIN\r\n")
        connection.sendall(b"535 no: " + reader.readline())

    with scripted_server(echo) as port:
        config = dataclasses.replace(plain(port), username="user", password="s3cret-phrase")
        with pytest.raises(SmtpError) as caught:
            Session.open(config, timeouts=PATIENT, resolve=resolve_loopback)
    assert caught.value.detail.endswith("535 no: AUTH PLAIN [hidden]")


@pytest.mark.parametrize(
    ("password", "shown"),
    [
        ("p", "Invalid Recipient - https://community.mimecast.com/x"),
        ("Recip", "Invalid Recipient - https://community.mimecast.com/x"),
        ("Invalid", "[hidden] Recipient - https://community.mimecast.com/x"),
        ("Recipient", "Invalid [hidden] - https://community.mimecast.com/x"),
        ("Invalid Recipient", "[hidden] - https://community.mimecast.com/x"),
    ],
)
def test_a_refusal_is_judged_before_secrets_are_hidden(password: str, shown: str) -> None:
    options = {"authenticator": lambda *_: AuthResult(success=True), "auth_require_tls": False}
    faults = Faults({"rcpt": f"550 {shown.replace('[hidden]', password)}"})
    with faulty_server(faults, **options) as port:
        config = dataclasses.replace(plain(port), username="user", password=password)
        with Session.open(config, timeouts=PATIENT, resolve=resolve_loopback) as session:
            outcome = session.deliver("me@example.com", "ann@example.org", BODY, Intent())
    assert isinstance(outcome, Rejected)
    assert (outcome.reply, outcome.bad_address) == (shown, True)


def test_an_untrusted_certificate_is_refused(tmp_path: Path) -> None:
    context, _trusted = certificate(tmp_path)
    with faulty_server(Faults(), tls_context=context) as port, pytest.raises(SmtpError) as caught:
        verify(SmtpConfig("localhost", port, secure=True), timeouts=PATIENT, resolve=resolve_loopback)
    assert (caught.value.stage, caught.value.temporary) == ("tls", False)
    assert "could not be trusted" in caught.value.detail


def test_a_server_on_this_machine_may_sign_its_certificate_itself(tmp_path: Path) -> None:
    context, _trusted = certificate(tmp_path, "elsewhere.example")
    options = {"tls_context": context, "authenticator": accept_any, "auth_required": True}
    faults = Faults()
    with faulty_server(faults, **options) as port:
        config = SmtpConfig("127.0.0.1", port, "user", "päss wörd", False, "me@example.com")
        with Session.open(config, timeouts=PATIENT, resolve=resolve_loopback) as session:
            assert session.tls_version in {"TLSv1.2", "TLSv1.3"}
            assert session.deliver("me@example.com", "ann@example.org", BODY, Intent()) == Sent("2.0.0 queued")
        with pytest.raises(SmtpError, match="could not be trusted"):
            Session.open(dataclasses.replace(config, secure=True), timeouts=PATIENT, resolve=resolve_loopback)
    assert faults.received == [BODY]


def test_a_server_on_another_machine_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "is_loopback", lambda ip: False)
    context, _trusted = certificate(tmp_path)
    with faulty_server(Faults(), tls_context=context) as port, pytest.raises(SmtpError) as caught:
        Session.open(plain(port), timeouts=PATIENT, resolve=resolve_loopback)
    assert (caught.value.stage, caught.value.temporary) == ("tls", False)
    assert "could not be trusted" in caught.value.detail


@pytest.mark.parametrize(
    ("ip", "here"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("fe80::1%eth0", False),
        ("::ffff:10.0.0.1", False),
        ("8.8.8.8", False),
    ],
)
def test_addresses_of_this_machine(ip: str, here: bool) -> None:
    assert is_loopback(ip) is here


def test_a_certificate_of_another_host_is_refused(tmp_path: Path, settings: Any) -> None:
    context, settings.OUTBOUND_CA_FILE = certificate(tmp_path, "elsewhere.example")
    with faulty_server(Faults(), tls_context=context) as port, pytest.raises(SmtpError) as caught:
        verify(SmtpConfig("localhost", port, secure=True), timeouts=PATIENT, resolve=resolve_loopback)
    assert caught.value.stage == "tls"
    assert "localhost" in caught.value.detail


def test_secure_needs_encryption() -> None:
    with faulty_server(Faults()) as port, pytest.raises(SmtpError) as caught:
        verify(SmtpConfig("127.0.0.1", port, secure=True), timeouts=PATIENT, resolve=resolve_loopback)
    assert (caught.value.stage, caught.value.temporary) == ("tls", False)
    assert "offers no encryption" in caught.value.detail


def test_implicit_tls(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context, settings.OUTBOUND_CA_FILE = certificate(tmp_path)
    faults = Faults()
    with faulty_server(faults, implicit=context) as port:
        monkeypatch.setattr(wire, "IMPLICIT_TLS_PORTS", frozenset({port}))
        config = SmtpConfig("localhost", port, secure=True)
        with Session.open(config, timeouts=PATIENT, resolve=resolve_loopback) as session:
            for _ in range(2):
                assert session.deliver("me@example.com", "ann@example.org", BODY, Intent()) == Sent("2.0.0 queued")
    with faulty_server(Faults()) as port:
        monkeypatch.setattr(wire, "IMPLICIT_TLS_PORTS", frozenset({port}))
        with pytest.raises(SmtpError, match="may expect no encryption"):
            Session.open(dataclasses.replace(config, port=port), timeouts=PATIENT, resolve=resolve_loopback)
    assert len(faults.received) == 2


def test_a_body_refused_over_tls_is_noticed_before_the_end(tmp_path: Path, settings: Any) -> None:
    context, settings.OUTBOUND_CA_FILE = certificate(tmp_path)
    faults, intent = Faults({"body": "451 4.3.0 shutting down"}), Intent()
    with faulty_server(faults, tls_context=context) as port:
        config = SmtpConfig("localhost", port, secure=True)
        with Session.open(config, timeouts=PATIENT, resolve=resolve_loopback) as session:
            outcome = session.deliver("me@example.com", "ann@example.org", BIG, intent)
    assert outcome == Rejected(True, 451, "4.3.0 shutting down", "body")
    assert intent.calls == 0


def test_a_password_never_goes_unencrypted_to_a_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = Faults()
    options = {"authenticator": accept_any, "auth_require_tls": False}
    with faulty_server(faults, **options) as port:
        config = dataclasses.replace(plain(port), username="user", password="päss wörd")

        def as_public(host: str, number: int) -> list[wire.Address]:
            return [dataclasses.replace(address, public=True) for address in resolve_loopback(host, number)]

        with pytest.raises(SmtpError, match="the password was not sent"):
            Session.open(config, timeouts=PATIENT, resolve=as_public)
        Session.open(config, timeouts=PATIENT, resolve=resolve_loopback).close()


def test_text_before_encryption_is_not_believed_after_it(tmp_path: Path) -> None:
    def inject(connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        connection.sendall(b"220 hi\r\n")
        reader.readline()
        connection.sendall(b"250-hi\r\n250 STARTTLS\r\n")
        reader.readline()
        connection.sendall(b"220 go\r\n250 forged\r\n")

    with scripted_server(inject) as port, pytest.raises(SmtpError, match="before encryption began"):
        Session.open(SmtpConfig("127.0.0.1", port), timeouts=PATIENT, resolve=resolve_loopback)


# Servers that can't be reached, or misbehave


def test_private_addresses_are_refused_unless_allowed() -> None:
    with pytest.raises(SmtpError) as caught:
        Session.open(
            plain(25), timeouts=PATIENT, resolve=lambda host, port: wire.resolve_allowed(host, port, private_hosts=[])
        )
    assert (caught.value.stage, caught.value.temporary) == ("connect", False)
    assert "inside this network" in caught.value.detail


def test_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(SmtpError) as caught:
        verify(plain(port), timeouts=PATIENT, resolve=resolve_loopback)
    assert (
        caught.value.detail
        == f"Nothing takes connections at 127.0.0.1:{port}. Check the port: mail servers mostly use 587 or 465."
    )
    assert caught.value.temporary is True


def test_a_sender_address_that_the_server_refuses() -> None:
    with faulty_server(Faults({"mail": "553 5.7.1 not yours"})) as port, pytest.raises(SmtpError) as caught:
        verify(plain(port), timeouts=PATIENT, resolve=resolve_loopback)
    assert (caught.value.stage, caught.value.code, caught.value.temporary) == ("mail", 553, False)
    assert caught.value.detail == "127.0.0.1 takes no mail from me@example.com: 5.7.1 not yours"


def drip(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"2")
        time.sleep(0.1)


def endless(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"220-more\r\n" * 1000)


def nonsense(connection: socket.socket) -> None:
    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    time.sleep(0.2)


def silent(connection: socket.socket) -> None:
    connection.recv(100)


@pytest.mark.parametrize(
    ("script", "said"),
    [(drip, "in time"), (endless, "not SMTP"), (nonsense, "not SMTP"), (silent, "in time")],
    ids=lambda value: str(value)[:20],
)
def test_a_misbehaving_server_costs_a_bounded_time(script: Callable[[socket.socket], None], said: str) -> None:
    started = time.monotonic()
    with scripted_server(script) as port:
        with pytest.raises(SmtpError) as caught:
            Session.open(plain(port), timeouts=FAST, resolve=resolve_loopback)
        assert time.monotonic() - started < 8
    assert said in caught.value.detail
