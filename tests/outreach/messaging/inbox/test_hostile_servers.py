"""Mailboxes whose servers, or whose mails, are made to harm: each is read within bounds, or is a failed reading."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.utils import timezone

from outreach.messaging.inbox import imap as client
from outreach.messaging.inbox.analysis.parsing import MAX_HEADER_BYTES, read_mail
from outreach.models import ImapMailbox
from tests.kit.cast import Cast
from tests.kit.imap_server import ImapServer
from tests.outreach.helpers import work

HEAD = b"From: a <a@b.example>\nTo: x@y.example\nMessage-ID: <1@b.example>\n"
SELECTED = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n* OK [UIDNEXT 4] ok\r\n"
ANSWERS: dict[str, dict[bytes, bytes]] = {
    "nested deeper than Python can go": {b"FETCH": b"* 1 FETCH (UID 1 X " + b"(" * 90_000 + b")" * 90_000 + b")\r\n"},
    "more mails than were asked for": {
        b"SEARCH": b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, 300_000)) + b"\r\n"
    },
    "a flood of short lines": {b"SEARCH": b"* 1 EXISTS\r\n" * 90_000},
    "a flood of literals": {
        b"FETCH": (b"* 1 FETCH (UID 1 BODY[HEADER] {3000000}\r\n" + b"x" * 3_000_000 + b")\r\n") * 4
    },
    "a literal without an end": {b"FETCH": b"* 1 FETCH (UID 1 BODY[HEADER] {99999999999}\r\n"},
    "a folder of an impossible number": {b"EXAMINE": b"* OK [UIDVALIDITY 18446744073709551999] ok\r\n"},
    "a folder without a number": {b"EXAMINE": b"* OK [UIDVALIDITY] ok\r\n"},
}


def answer(taken: socket.socket, answers: dict[bytes, bytes]) -> None:
    with suppress(OSError), taken, taken.makefile("rb") as lines:
        taken.sendall(b"* OK [CAPABILITY IMAP4rev1] ready\r\n")
        for line in lines:
            tag, command, *words = line.split()
            name = (words[0] if command == b"UID" else command).upper()
            known = {
                b"CAPABILITY": b"* CAPABILITY IMAP4rev1\r\n",
                b"EXAMINE": SELECTED,
                b"SEARCH": b"* SEARCH 1 2 3\r\n",
            }
            taken.sendall({**known, **answers}.get(name, b"") + tag + b" OK done\r\n")


@contextmanager
def serving(answers: dict[bytes, bytes]) -> Iterator[int]:
    """Serve as a mailbox that answers some commands so. Yields the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    taken = server.accept()[0]
                    threading.Thread(target=answer, args=(taken, answers), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def point_at(mailbox: ImapMailbox, port: int) -> None:
    """Let the mailbox be read at another port, now. The password is bound to the server, so it is stored again."""
    mailbox.password = mailbox.password
    mailbox.port = port
    mailbox.due_at = timezone.now()
    mailbox.save()


SHORTENED = {"a flood of short lines": 1_000_000}
"""Kind of answer -> a limit on its bytes that is reached sooner: short lines are read slowly."""


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_hostile_answer_is_a_failed_reading(
    cast: Cast, mailbox: ImapMailbox, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER", SHORTENED.get(kind, client.MAX_ANSWER))
    with serving(ANSWERS[kind]) as port, cast.scope():
        point_at(mailbox, port)
        work("mailboxes")
        mailbox = ImapMailbox.objects.get(pk=mailbox.pk)
    assert (mailbox.status, mailbox.lease, mailbox.failures, mailbox.deaths) == ("waiting", None, 1, 0)
    assert mailbox.last_error != ""
    assert "stored password" not in mailbox.last_error
    assert mailbox.due_at > timezone.now()


def test_impossible_and_foreign_uids_are_left_out(cast: Cast, mailbox: ImapMailbox) -> None:
    answers = {
        b"SEARCH": b"* SEARCH " + b"9" * 400 + b" 4294967296 5\r\n",
        b"FETCH": b"* 1 FETCH (UID 77 BODY[HEADER] {6}\r\nA: b\r\n)\r\n",
    }
    with serving(answers) as port, cast.scope():
        point_at(mailbox, port)
        work("mailboxes")
        mailbox = ImapMailbox.objects.get(pk=mailbox.pk)
    assert (mailbox.last_error, mailbox.positions) == ("", {"INBOX": {"uidValidity": 1, "lastUid": 5}})


def test_a_mail_with_endless_headers_keeps_no_other_from_being_read(
    cast: Cast, imap: ImapServer, mailbox: ImapMailbox
) -> None:
    lines = b"".join(b"X-H%d: %s\n" % (number, b"v" * 80) for number in range(100_000))
    imap.put(HEAD + lines + b"\nHello")
    imap.put(HEAD + b"\nHello")
    with cast.scope():
        ImapMailbox.objects.update(due_at=timezone.now())
        work("mailboxes")
        mailbox = ImapMailbox.objects.get(pk=mailbox.pk)
        assert (mailbox.last_error, mailbox.positions["INBOX"]["lastUid"]) == ("", 2)
        with client.open_mailbox(
            client.ImapConfig("127.0.0.1", imap.port, mailbox.username, mailbox.password, secure=False)
        ) as opened:
            opened.select("INBOX")
            found = opened.headers([1, 2])
    assert [len(found[uid][0]) for uid in (1, 2)] == [MAX_HEADER_BYTES, len(HEAD) + 1]


def test_codecs_of_python_that_are_no_charsets_are_not_used() -> None:
    text = b"a" * 200 + b"-" + b"z9" * 200
    found = read_mail(HEAD + b"Content-Type: text/plain; charset=punycode\n\n" + text)
    assert found.text == text.decode()  # decoding takes a time that grows with the square of the length


def test_a_report_of_too_many_blocks_is_read_by_its_headers() -> None:
    head = b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n"
    block = b"Final-Recipient: rfc822; a@b.c\nAction: failed\nStatus: 5.1.1\n\n"
    made = [
        HEAD + head + b"Content-Type: message/delivery-status\n\n" + block * many + b"--b--\n" for many in (9, 9000)
    ]
    assert [read_mail(raw).cut for raw in made] == [False, True]


def test_a_password_goes_unencrypted_by_the_address_that_is_connected_to(
    imap: ImapServer, mailbox: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(client, "is_public", lambda address: asked.append(str(address)) or True)
    config = client.ImapConfig("localhost", imap.port, mailbox.username, mailbox.password, secure=False)
    with pytest.raises(client.ImapFailed, match="the password was not sent"), client.open_mailbox(config):
        pass
    assert asked in (["127.0.0.1"], ["::1"])
