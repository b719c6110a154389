"""Connection tests share few turns, so that silent mail servers hold no more web threads than that."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.senders import services
from outreach.connections.smtp.outcome import SmtpError
from outreach.connections.smtp.transport import SmtpConfig, Timeouts, verify
from outreach.models import Smtp
from tests.kit.cast import KEY, Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import resolve_loopback, scripted_server
from tests.kit.web import web_process
from tests.outreach.connections.senders.test_crud import body

BUSY = "Another connection test is running. Try again in a minute."


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield int(server.getsockname()[1])


@pytest.fixture
def busy(cast: Cast) -> Iterator[None]:
    """A test of the company is running."""
    with cast.scope(), connection_test_slot():
        yield


def test_a_second_test_of_a_company_is_refused_and_changes_nothing(cast: Cast, busy: None, silent_port: int) -> None:
    with cast.scope():
        sender = SmtpFactory(port=silent_port, name="Before")
    answers = [
        cast.key.post("/apps/smtp", body(silent_port)),
        cast.key.put(f"/apps/smtp/{sender.pk}", {"name": "After", "port": silent_port + 1, "password": "new"}),
        cast.key.post(f"/apps/smtp/{sender.pk}/test"),
    ]
    for answer in answers:
        assert (answer.status, answer.body["message"], answer.headers["Retry-After"]) == (429, BUSY, "8")
    with cast.scope():
        assert list(Smtp.objects.values_list("name", "port")) == [("Before", silent_port)]
    assert cast.key.put(f"/apps/smtp/{sender.pk}", {"name": "After"}).status == 200
    assert cast.key.post("/apps/smtp", body(silent_port, verified=False)).status == 201


def test_all_companies_share_two_turns(cast: Cast, outsiders: Cast, busy: None) -> None:
    third = make_cast()
    with outsiders.scope(), connection_test_slot():
        answer = third.key.post("/apps/smtp", body(1))
        assert (answer.status, answer.body["message"]) == (429, BUSY)
    assert third.key.post("/apps/smtp", body(1)).status == 201


def test_a_test_ends_in_its_total_time_however_the_server_dawdles() -> None:
    def dawdle(connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        for reply in (b"220 hi", b"250-hi\r\n250 AUTH PLAIN", b"235 ok", b"250 ok", b"221 bye"):
            time.sleep(0.7)
            connection.sendall(reply + b"\r\n")
            reader.readline()

    with scripted_server(dawdle) as port:
        started = time.monotonic()
        config = SmtpConfig("127.0.0.1", port, "user", "word", False, "me@example.com")
        with pytest.raises(SmtpError, match="did not answer in time"):
            verify(config, timeouts=Timeouts(connect=1, command=1, total=1), resolve=resolve_loopback)
        assert time.monotonic() - started < 1.5


@in_make_check
@pytest.mark.long
def test_health_answers_while_silent_ports_are_tested(transactional_db: None, silent_port: int) -> None:
    casts = [make_cast() for _ in range(3)]
    calls = []
    for cast in casts:
        with cast.scope():
            senders = [SmtpFactory(port=silent_port).pk for _ in range(5)]
        calls += [(f"{KEY}/apps/smtp/{sender}/test", cast.key.headers) for sender in senders]
    with web_process(threads=3) as web, ThreadPoolExecutor(len(calls)) as pool:
        running = [pool.submit(web.call, "POST", path, headers) for path, headers in calls]
        time.sleep(1)
        probes = []
        while not all(call.done() for call in running):
            probes.append(web.health())
            time.sleep(0.2)
        answers = [call.result() for call in running]
    assert sorted(status for status, _, _ in answers) == [200] * 2 + [429] * 13
    assert max(seconds for _, _, seconds in answers) < services.TIMEOUTS.total + 3
    assert len(probes) > 10
    assert {status for status, _ in probes} == {200}
    assert max(seconds for _, seconds in probes) < 2
