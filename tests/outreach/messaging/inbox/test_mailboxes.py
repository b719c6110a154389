"""Mailboxes as connected apps."""

from __future__ import annotations

import ssl
from dataclasses import replace
from imaplib import IMAP4
from pathlib import Path
from typing import Any

import pytest
from imapclient.exceptions import LoginError

from outreach.messaging.inbox.imap import ImapConfig, ImapFailed, _explain_errors, open_mailbox
from outreach.models import ImapMailbox
from tests.kit.cast import Cast
from tests.kit.imap_server import PASSWORD, USER, ImapServer
from tests.kit.smtp_server import certificate
from tests.outreach.helpers import Post


def test_a_mailbox_is_connected_tested_changed_and_deleted(cast: Cast, post: Post, imap: ImapServer) -> None:
    body = {
        "smtp": post.smtp.pk,
        "host": "127.0.0.1",
        "port": imap.port,
        "username": USER,
        "password": "wrong",
        "secure": False,
    }
    made = cast.key.post("/apps/imap", body)
    assert (made.status, made.data["verified"], made.data["folders"]) == (201, False, ["INBOX"])
    refusal = "127.0.0.1 refused the user name and password: [AUTHENTICATIONFAILED] invalid credentials"
    assert made.data["lastError"] == refusal
    assert "password" not in made.data
    assert cast.key.post("/apps/imap", body).status == 400  # the sender has one
    path = f"/apps/imap/{made.data['_id']}"
    changed = cast.session.put(path, {"password": PASSWORD, "folders": ["INBOX", " INBOX ", "Junk"]})
    assert (changed.data["verified"], changed.data["folders"]) == (True, ["INBOX", "Junk"])
    moved = cast.key.put(path, {"host": "localhost"})
    assert (moved.status, "password" in str(moved.body)) == (400, True)
    assert cast.key.post(f"{path}/test").data == {"ok": True, "encryption": None, "stage": "", "detail": ""}
    encrypted = cast.key.put(path, {"secure": True, "password": PASSWORD})
    assert "no encryption" in encrypted.data["lastError"]
    with cast.scope():
        assert PASSWORD not in str(ImapMailbox.objects.values("password").get())
    unsafe = cast.key.put(path, {"host": "169.254.169.254", "password": PASSWORD})
    assert "not allowed" in unsafe.data["lastError"]
    assert cast.key.delete("/apps/imap", {"ids": [made.data["_id"]]}).data == {"deletedCount": 1}
    assert cast.key.delete("/apps/smtp", {"ids": [post.smtp.pk]}).data["deletedCount"] == 1


def test_a_server_on_this_machine_may_sign_its_certificate_itself(
    imap: ImapServer, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8", "::1"]
    imap.tls, trusted = certificate(tmp_path)
    config = ImapConfig("localhost", imap.port, USER, PASSWORD, secure=False)
    with open_mailbox(config) as opened:
        assert opened.encryption in {"TLSv1.2", "TLSv1.3"}
        assert opened.select("INBOX").validity == 1
    secure = replace(config, secure=True)
    refused = "The certificate of localhost could not be trusted: self-signed certificate."
    with pytest.raises(ImapFailed) as caught, open_mailbox(secure):
        pass
    assert (caught.value.stage, caught.value.detail) == ("tls", refused)
    settings.OUTBOUND_CA_FILE = trusted
    with open_mailbox(secure) as opened:
        assert opened.encryption in {"TLSv1.2", "TLSv1.3"}
    settings.OUTBOUND_CA_FILE = ""
    monkeypatch.setattr("outreach.messaging.inbox.imap.is_loopback", lambda ip: False)
    with pytest.raises(ImapFailed, match="could not be trusted"), open_mailbox(config):
        pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            LoginError("b'[AUTHENTICATIONFAILED] Authentication failed.'"),
            "[AUTHENTICATIONFAILED] Authentication failed.",
        ),
        (IMAP4.error(b"Mailbox doesn't exist: Junk"), "Mailbox doesn't exist: Junk"),
        (IMAP4.error('select failed: b"it\'s locked"'), "select failed: it's locked"),
        (IMAP4.error("b'schl\\xc3\\xbcssel'"), "schlüssel"),
        (IMAP4.abort("command: UID FETCH => the server closed the connection"), "the server closed the connection"),
        (ConnectionResetError(104, "Connection reset by peer"), "connection reset by peer"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] (_ssl.c:1)"), "server and client agree on no way to encrypt"),
        (KeyError(b"UIDVALIDITY"), "the server's answer cannot be read"),
        (TimeoutError(), "the server did not answer in time"),
        (IMAP4.error(""), "the server gives no reason"),
    ],
)
def test_errors_are_in_the_words_of_the_server_or_of_people(error: Exception, words: str) -> None:
    with pytest.raises(ImapFailed) as caught, _explain_errors("select", "The folder could not be opened"):
        raise error
    assert caught.value.detail == f"The folder could not be opened: {words}"


def test_a_sender_goes_with_its_mailbox(cast: Cast, post: Post, mailbox: ImapMailbox) -> None:
    assert cast.key.delete("/apps/smtp", {"ids": [post.smtp.pk]}).data["deletedCount"] == 1
    with cast.scope():
        assert not ImapMailbox.objects.exists()
