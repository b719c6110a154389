"""Callers who send or read slowly hold some threads of a web process, and never the last one."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.handlers.wsgi import WSGIRequest

from config import slow_clients
from config.slow_clients import SMALL, UNBUFFERED, SlowCallerLimit
from crm.models import File
from tests.kit.cast import KEY, Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.web import Web, web_process

LOGIN = "/api/public/login"
JSON = {"Content-Type": "application/json"}


# The middleware alone


class Silence(io.RawIOBase):
    """A body that does not come until the test lets it."""

    def __init__(self, content: bytes = b"{}") -> None:
        self.come = threading.Event()
        self._content = io.BytesIO(content)

    def read(self, size: int = -1) -> bytes:
        self.come.wait(20)
        return self._content.read(size)


class Streamed:
    """An answer of pieces, as Django's."""

    streaming = True

    def __init__(self, *pieces: bytes) -> None:
        self.pieces, self.closed = pieces, 0

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.pieces)

    def close(self) -> None:
        self.closed += 1


def ask(limit: SlowCallerLimit, address: str = "192.0.2.1", **environ: Any) -> tuple[str, Any]:
    told: list[str] = []
    answer = limit({"REMOTE_ADDR": address, **environ}, lambda status, headers: told.append(status))
    return told[-1][:3], answer


def body(stream: Any, length: int = 2) -> dict[str, Any]:
    return {"wsgi.input": stream, "CONTENT_LENGTH": str(length)}


def echo(environ: dict[str, Any], start: Any) -> list[bytes]:
    start("200 OK", [])
    return [environ["wsgi.input"].read()]


def test_a_network_gets_all_threads_but_two_and_all_networks_all_but_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "STUCK_AFTER", 0.1)
    limit = SlowCallerLimit(echo, threads=5)
    slow = [Silence() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        held = [pool.submit(ask, limit, "2001:db8::1", **body(stream)) for stream in slow[:3]]
        time.sleep(0.3)
        started = time.monotonic()
        assert ask(limit, "2001:db8::2", **body(io.BytesIO(b"{}")))[0] == "429"  # the same /64
        assert time.monotonic() - started < 0.3
        assert ask(limit, "192.0.2.1", **body(io.BytesIO(b"{}"))) == ("200", [b"{}"])
        held.append(pool.submit(ask, limit, "192.0.2.2", **body(slow[3])))
        time.sleep(0.3)
        assert ask(limit, "192.0.2.1", **body(io.BytesIO(b"{}")))[0] == "429"
        for stream in slow:
            stream.come.set()
        assert [one.result() for one in held] == [("200", [b"{}"])] * 4
    assert ask(limit, "2001:db8::2", **body(io.BytesIO(b"{}")))[0] == "200"


def test_large_bodies_alone_are_limited_where_a_proxy_buffers_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "STUCK_AFTER", 0.1)
    limit = SlowCallerLimit(echo, threads=3, buffered=True)
    slow = Silence(b"x" * UNBUFFERED)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(ask, limit, **body(slow, UNBUFFERED))
        time.sleep(0.3)
        assert ask(limit, **body(io.BytesIO(b"{}"), UNBUFFERED))[0] == "429"
        assert ask(limit, **body(io.BytesIO(b"{}"))) == ("200", [b"{}"])
        slow.come.set()
        assert held.result()[0] == "200"
    assert ask(limit, **body(io.BytesIO(b"{}"), UNBUFFERED))[0] == "200"


def test_who_moves_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = SlowCallerLimit(echo, threads=3)
    first = Silence()
    with ThreadPoolExecutor(2) as pool:
        held = pool.submit(ask, limit, **body(first))
        time.sleep(0.1)
        waiting = pool.submit(ask, limit, **body(io.BytesIO(b"[]")))
        time.sleep(0.2)
        assert not waiting.done()
        first.come.set()
        assert (held.result(), waiting.result()) == (("200", [b"{}"]), ("200", [b"[]"]))


def test_a_small_answer_needs_no_turn_and_a_large_one_keeps_it_until_it_is_closed() -> None:
    answers: list[Streamed] = []

    def application(environ: dict[str, Any], start: Any) -> Streamed:
        start("200 OK", [])
        answers.append(Streamed(*environ["pieces"]))
        return answers[-1]

    limit = SlowCallerLimit(application, threads=3)
    small, large = (b"a", b"b"), (b"x" * SMALL, b"y", b"z")
    kept = ask(limit, pieces=large)[1]
    assert answers[0].closed == 0
    assert ask(limit, pieces=small) == ("200", [b"a", b"b"])
    assert answers[1].closed == 1
    refused, text = ask(limit, pieces=large)
    assert (refused, answers[2].closed) == ("429", 1)
    assert b"Too many requests at once" in text[0]
    assert b"".join(kept) == b"".join(large)
    kept.close()
    assert answers[0].closed == 1
    assert ask(limit, pieces=large)[0] == "200"


def test_a_large_body_keeps_its_turn_until_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "PATIENCE", 0.1)
    inner: list[str] = []

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        if not inner:
            inner.append("")
            inner[0] = ask(limit, **body(io.BytesIO(b"{}")))[0]
        start("200 OK", [])
        return [str(len(environ["wsgi.input"].read())).encode()]

    limit = SlowCallerLimit(application, threads=3)
    large = io.BytesIO(b"x" * (SMALL + 1))
    assert ask(limit, **body(large, SMALL + 1)) == ("200", [str(SMALL + 1).encode()])
    assert inner == ["429"]
    assert ask(limit, **body(io.BytesIO(b"{}"))) == ("200", [b"2"])


def test_django_reads_a_large_body() -> None:
    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        request = WSGIRequest(environ)
        start("200 OK", [])
        return [request.readline(), str(len(request.read())).encode()]

    limit = SlowCallerLimit(application, threads=3)
    content = b"a\n" + b"x" * SMALL
    asked = {**body(io.BytesIO(content), len(content)), "REQUEST_METHOD": "POST", "PATH_INFO": "/"}
    assert ask(limit, **asked) == ("200", [b"a\n", str(SMALL).encode()])


def test_an_error_gives_the_turn_back() -> None:
    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        raise RuntimeError

    limit = SlowCallerLimit(application, threads=3)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            ask(limit, **body(io.BytesIO(b"x" * (SMALL + 1)), SMALL + 1))
    assert not limit._slots._held


def test_the_deployment_check_asks_for_a_proxy(settings: Any) -> None:
    def told() -> bool:
        return "config.W006" in [found.id for found in run_checks(include_deployment_checks=True)]

    assert told()
    settings.BUFFERING_PROXY = True
    assert not told()


# A real web process


def open_to(web: Web, request: bytes, source: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", web.port), source_address=(source, 0))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sendall(request)
    return connection


def half_a_login(number: int) -> bytes:
    return f'POST {LOGIN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{{"a{number}":'.encode()


def download(cast: Cast) -> bytes:
    """A request for a file that fits into no buffer on the way."""
    answer = cast.key.upload("/upload", io.BytesIO(b"a,b\n" * 5_000_000))
    with cast.scope():
        assert File.objects.filter(pk=answer.data["_id"]).exists()
    path = f"{KEY}/file/{answer.data['_id']}/download"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\napikey: {cast.api_key.key}\r\n\r\n".encode()


def log_in(web: Web) -> int:
    return web.call("POST", LOGIN, JSON, b"{}")[0]


@in_make_check
@pytest.mark.long
def test_slow_bodies_and_unread_answers_leave_a_thread(transactional_db: None) -> None:
    cast = make_cast()
    large = download(cast)
    with web_process(threads=4) as web:
        for request in (lambda number: half_a_login(number), lambda _: large):
            with ExitStack() as attack:
                for number in range(12):
                    attack.enter_context(open_to(web, request(number), "127.0.0.2"))
                time.sleep(slow_clients.STUCK_AFTER + 1)
                probes = [web.health() for _ in range(10)]
                assert {status for status, _ in probes} == {200}
                assert max(seconds for _, seconds in probes) < 1
                assert log_in(web) == 400  # another address has turns left
                assert web.call("GET", f"{KEY}/contact?p=1&n=1", cast.key.headers)[0] == 200
            end = time.monotonic() + 10
            while log_in(web) == 429 and time.monotonic() < end:
                time.sleep(0.1)
        with ThreadPoolExecutor(24) as pool:  # many at once are no slow callers
            key = {**JSON, **cast.key.headers}
            lists = pool.map(lambda _: web.call("GET", f"{KEY}/contact", key)[0], range(48))
            tags = pool.map(lambda n: web.call("POST", f"{KEY}/tag", key, b'{"name": "%d"}' % n)[0], range(48))
            assert (set(lists), set(tags)) == ({200}, {201})
