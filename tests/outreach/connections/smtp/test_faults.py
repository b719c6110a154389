"""outreach.connections.smtp.transport against real servers: each fault at each stage of a message, and its outcome."""

import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outreach.connections.smtp import transport as smtp
from outreach.connections.smtp.outcome import Rejected, Sent, Uncertain
from outreach.connections.smtp.transport import normalise
from tests.kit.smtp_server import (
    BIG,
    BODY,
    DROP,
    FAST,
    HANG,
    PATIENT,
    Faults,
    FaultyServer,
    Intent,
    PipeliningServer,
    faulty_server,
    open_plain,
    scripted_server,
    wait_for_close,
)

each_way = pytest.mark.parametrize("server", [FaultyServer, PipeliningServer])


@each_way
def test_delivers_and_commits_before_the_end(server: type[FaultyServer]) -> None:
    faults = Faults()
    intent = Intent(faults)
    with faulty_server(faults, factory=server) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BODY, intent)
    assert outcome == Sent("2.0.0 queued")
    assert (intent.calls, intent.received_before) == (1, 0)
    assert faults.received == [BODY]
    assert faults.envelopes[0][:2] == ("me@example.com", ("ann@example.org",))


@each_way
@pytest.mark.parametrize("stage", ["mail", "rcpt", "data", "body"])
@pytest.mark.parametrize(("reply", "temporary"), [("451 4.3.0 later", True), ("550 5.7.1 never", False)])
def test_a_refusal_before_the_end_is_certain(
    stage: str, reply: str, temporary: bool, server: type[FaultyServer]
) -> None:
    faults, intent = Faults({stage: reply}), Intent()
    with faulty_server(faults, factory=server) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BIG, intent)
    assert outcome == Rejected(temporary, int(reply[:3]), reply[4:], stage)
    assert intent.calls == 0
    assert faults.received == []


@each_way
@pytest.mark.parametrize(
    ("stage", "fault"),
    [*((stage, fault) for stage in ("mail", "rcpt", "data") for fault in (DROP, HANG)), ("body", DROP)],
)
def test_a_broken_connection_before_the_end_is_certain_and_temporary(
    stage: str, fault: str, server: type[FaultyServer]
) -> None:
    faults, intent = Faults({stage: fault}), Intent()
    with faulty_server(faults, factory=server) as port, open_plain(port, FAST if fault == HANG else PATIENT) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BIG, intent)
    assert isinstance(outcome, Rejected)
    assert (outcome.temporary, outcome.code, outcome.stage) == (True, None, stage)
    assert intent.calls == 0
    assert faults.received == []


def test_commands_sent_together_need_one_answer_each_before_the_body() -> None:
    heard: list[bytes] = []

    def script(connection: socket.socket) -> None:
        connection.sendall(b"220 hello\r\n")
        connection.recv(1000)
        connection.sendall(b"250-here\r\n250 PIPELINING\r\n")
        heard.append(connection.recv(1000))
        connection.sendall(b"250 ok\r\n550 5.1.1 nobody\r\n354 go on\r\n")
        heard.append(connection.recv(1000))

    intent = Intent()
    with scripted_server(script) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BODY, intent)
    assert outcome == Rejected(False, 550, "5.1.1 nobody", "rcpt")
    assert heard[0] == b"MAIL FROM:<me@example.com>\r\nRCPT TO:<ann@example.org>\r\nDATA\r\n"
    assert heard[1:] == [b""], "a dot after 354 would send an empty message"
    assert intent.calls == 0


def test_a_refusal_of_commands_sent_together_keeps_the_connection_for_the_next_message() -> None:
    faults = Faults({"rcpt": "550 5.1.1 nobody"}, {"rcpt": 1})
    with faulty_server(faults, factory=PipeliningServer) as port, open_plain(port) as session:
        first = session.deliver("me@example.com", "bob@example.org", BODY, Intent())
        second = session.deliver("me@example.com", "ann@example.org", BODY, Intent())
    assert isinstance(first, Rejected)
    assert first.code == 550
    assert isinstance(second, Sent)
    assert (faults.connections, len(faults.received)) == (1, 1)


@pytest.mark.parametrize(
    ("reply", "temporary"), [("452 4.2.2 full", True), ("554 5.6.0 no", False), ("421 4.0.0 bye", True)]
)
def test_a_refusal_after_the_end_is_certain(reply: str, temporary: bool) -> None:
    faults, intent = Faults({"final": reply}), Intent()
    with faulty_server(faults) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BODY, intent)
    assert outcome == Rejected(temporary, int(reply[:3]), reply[4:], "final")
    assert intent.calls == 1


@pytest.mark.parametrize(("fault", "reason"), [(DROP, "connection"), (HANG, "in time")])
def test_silence_after_the_end_is_uncertain(fault: str, reason: str) -> None:
    faults, intent = Faults({"final": fault}), Intent()
    with faulty_server(faults) as port, open_plain(port, FAST if fault == HANG else PATIENT) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BODY, intent)
    assert isinstance(outcome, Uncertain)
    assert reason in outcome.reason
    assert intent.calls == 1
    assert faults.received == [BODY]  # it did arrive: sending again would have doubled it


def test_after_an_uncertain_message_the_next_one_goes_over_a_new_connection() -> None:
    faults = Faults({"final": DROP}, {"final": 1})
    with faulty_server(faults) as port, open_plain(port) as session:
        first = session.deliver("me@example.com", "ann@example.org", BODY, Intent())
        second = session.deliver("me@example.com", "bob@example.org", BODY, Intent())
    assert isinstance(first, Uncertain)
    assert second == Sent("2.0.0 queued")
    assert faults.connections == 2


def test_an_intent_that_fails_keeps_the_end_back() -> None:
    faults, intent = Faults(), Intent(error=LookupError("the claim is lost"))
    with faulty_server(faults) as port, open_plain(port) as session:
        with pytest.raises(LookupError, match="the claim is lost"):
            session.deliver("me@example.com", "ann@example.org", BODY, intent)
        time.sleep(0.1)
        assert faults.received == []
        assert session.deliver("me@example.com", "bob@example.org", BODY, Intent()) == Sent("2.0.0 queued")
    assert [envelope[1] for envelope in faults.envelopes] == [("bob@example.org",)]


def test_a_sender_killed_before_the_end_has_sent_nothing(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from outreach.connections.smtp.transport import Session, SmtpConfig
from tests.kit.smtp_server import resolve_loopback

def die():
    open(sys.argv[2], "w").close()
    os.kill(os.getpid(), signal.SIGKILL)

config = SmtpConfig("127.0.0.1", int(sys.argv[1]), secure=False)
body = b"Subject: x\\r\\n\\r\\nhello\\r\\n" * 9000
Session.open(config, resolve=resolve_loopback).deliver("me@example.com", "ann@example.org", body, die)
"""
    faults, mark = Faults(), tmp_path / "reached"
    with faulty_server(faults) as port:
        done = subprocess.run(
            [sys.executable, "-c", program, str(port), str(mark)], cwd=Path(__file__).parents[4], timeout=30
        )
        time.sleep(0.2)
    assert (done.returncode, mark.exists()) == (-signal.SIGKILL, True)
    assert "data" in faults.commands
    assert faults.received == []


def test_one_connection_carries_many_messages() -> None:
    faults = Faults()
    with faulty_server(faults) as port, open_plain(port) as session:
        for number in range(5):
            assert isinstance(session.deliver("me@example.com", f"a{number}@example.org", BODY, Intent()), Sent)
    assert (faults.connections, len(faults.received)) == (1, 5)
    assert faults.commands.count("rset") == 0


def test_a_refused_recipient_costs_the_next_one_nothing() -> None:
    faults = Faults({"rcpt": "550 5.1.1 no such user"}, {"rcpt": 1})
    with faulty_server(faults) as port, open_plain(port) as session:
        first = session.deliver("me@example.com", "gone@example.org", BODY, Intent())
        second = session.deliver("me@example.com", "ann@example.org", BODY, Intent())
    assert isinstance(first, Rejected)
    assert (first.bad_address, first.about_sender, first.enhanced_code) == (True, False, "5.1.1")
    assert second == Sent("2.0.0 queued")
    assert (faults.connections, faults.commands.count("rset")) == (1, 1)
    assert [envelope[1] for envelope in faults.envelopes] == [("ann@example.org",)]


@pytest.mark.parametrize("fault", [DROP, "421 4.4.2 idle for too long"])
def test_a_connection_that_ended_while_idle_is_renewed_once(fault: str) -> None:
    faults = Faults()
    with faulty_server(faults) as port, open_plain(port) as session:
        assert isinstance(session.deliver("me@example.com", "ann@example.org", BODY, Intent()), Sent)
        faults.at["mail"], faults.times["mail"] = fault, 1
        assert isinstance(session.deliver("me@example.com", "bob@example.org", BODY, Intent()), Sent)
    assert (faults.connections, len(faults.received)) == (2, 2)


def test_the_connection_is_renewed_after_its_share_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "MESSAGES_PER_CONNECTION", 2)
    faults = Faults()
    with faulty_server(faults) as port, open_plain(port) as session:
        for _ in range(5):
            assert isinstance(session.deliver("me@example.com", "ann@example.org", BODY, Intent()), Sent)
    assert faults.connections == 3


HOSTILE = [
    b"a\r\n.\r\nMAIL FROM:<evil@example.com>\r\n",
    b"a\n.\nMAIL FROM:<evil@example.com>\n",
    b"a\r.\rMAIL FROM:<evil@example.com>\r",
    b"a\r\n.\nb\n.\r\nc\r.\r\nd\r\n.\re",
    b"a\r\r\n.\r\r\nb",
    b".\r\n..\r\n...\r\n.end",
    b"a\r\n.",
    b"",
    b"no line end",
    b"\n\n\n",
]


@pytest.mark.parametrize("tail", HOSTILE)
def test_no_body_can_end_its_message_early(tail: bytes) -> None:
    faults = Faults()
    body = b"Subject: x\r\n\r\n" + tail
    with faulty_server(faults) as port, open_plain(port) as session:
        assert session.deliver("me@example.com", "ann@example.org", body, Intent()) == Sent("2.0.0 queued")
        assert isinstance(session.deliver("me@example.com", "bob@example.org", BODY, Intent()), Sent)
    lines = re.sub(rb"\r\n|\r|\n", b"\r\n", body).removesuffix(b"\r\n") + b"\r\n"
    assert faults.received == [lines, BODY]


@given(st.lists(st.sampled_from([b"\r", b"\n", b".", b"\r\n", b"a", b"\r\n.\r\n"]), max_size=30).map(b"".join))
def test_normalised_bodies_hold_no_end_and_no_lone_line_break(body: bytes) -> None:
    sent = normalise(body) + b"\r\n.\r\n"
    assert sent.find(b"\r\n.\r\n") == len(sent) - 5
    assert not sent.startswith(b".\r\n")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", sent)
    unstuffed = re.sub(rb"(?m)^\.", b"", sent[:-3])
    assert unstuffed == re.sub(rb"\r\n|\r|\n", b"\r\n", body).removesuffix(b"\r\n") + b"\r\n"


@pytest.mark.parametrize(
    "address",
    [
        "a b@example.org",
        "a@example.org>\r\nDATA",
        "a@",
        "@example.org",
        "none",
        "a@exa\nmple.org",
        "<a@b.c>",
        "a@ü\x00.de",
    ],
)
def test_an_address_that_would_break_the_command_is_refused(address: str) -> None:
    faults, intent = Faults(), Intent()
    with faulty_server(faults) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", address, BODY, intent)
    assert isinstance(outcome, Rejected)
    assert (outcome.temporary, outcome.code, intent.calls, faults.commands) == (False, None, 0, [])


def test_international_addresses() -> None:
    faults = Faults()
    with faulty_server(faults) as port, open_plain(port) as session:
        assert isinstance(session.deliver("me@example.com", "ann@bücher.example", BODY, Intent()), Sent)
        assert isinstance(session.deliver("me@example.com", "jörg@bücher.example", BODY, Intent()), Sent)
    assert faults.envelopes[0][1] == ("ann@xn--bcher-kva.example",)
    assert "SMTPUTF8" not in faults.envelopes[0][2]
    assert faults.envelopes[1][1] == ("jörg@xn--bcher-kva.example",)
    assert "SMTPUTF8" in faults.envelopes[1][2]
    with faulty_server(Faults(), enable_SMTPUTF8=False) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "jörg@example.org", BODY, Intent())
    assert isinstance(outcome, Rejected)
    assert (outcome.temporary, outcome.stage) == (False, "rcpt")


def converse(connection: socket.socket) -> None:
    """Answer everything up to the go-ahead for the body."""
    reader = connection.makefile("rb")
    connection.sendall(b"220 hi\r\n")
    for answer in (b"250 hi\r\n", b"250 ok\r\n", b"250 ok\r\n", b"354 go\r\n"):
        reader.readline()
        connection.sendall(answer)


@pytest.mark.parametrize("answer", [b"hello?\r\n", b"25", b"250-queued\r\n", b"354 again\r\n", b"999 x\r\n", b"\r\n"])
def test_an_unreadable_answer_after_the_end_is_uncertain(answer: bytes) -> None:
    def script(connection: socket.socket) -> None:
        converse(connection)
        collected = b""
        while not collected.endswith(b"\r\n.\r\n"):
            collected += connection.recv(65536)
        connection.sendall(answer)

    intent = Intent()
    with scripted_server(script) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BODY, intent)
    assert isinstance(outcome, Uncertain)
    assert intent.calls == 1


def test_a_server_that_stops_reading() -> None:
    def script(connection: socket.socket) -> None:
        converse(connection)
        wait_for_close(connection)

    intent, started = Intent(), time.monotonic()
    with scripted_server(script) as port, open_plain(port, FAST) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BIG, intent)
        assert time.monotonic() - started < 8
    assert isinstance(outcome, Rejected)
    assert (outcome.temporary, outcome.stage, intent.calls) == (True, "body", 0)


def test_a_server_that_can_not_be_reached_is_an_outcome_too() -> None:
    faults = Faults()
    with faulty_server(faults) as port:
        session = open_plain(port)
        assert isinstance(session.deliver("me@example.com", "ann@example.org", BODY, Intent()), Sent)
    outcome = session.deliver("me@example.com", "bob@example.org", BODY, Intent())
    assert isinstance(outcome, Rejected)
    assert (outcome.temporary, outcome.stage, outcome.about_sender) == (True, "connect", True)


def test_a_refusal_is_heard_although_the_server_reads_no_more() -> None:
    def script(connection: socket.socket) -> None:
        converse(connection)
        connection.sendall(b"552 5.3.4 too big\r\n")
        wait_for_close(connection)

    intent, started = Intent(), time.monotonic()
    with scripted_server(script) as port, open_plain(port) as session:
        outcome = session.deliver("me@example.com", "ann@example.org", BIG, intent)
        assert time.monotonic() - started < 8
    assert outcome == Rejected(False, 552, "5.3.4 too big", "body")
    assert intent.calls == 0
