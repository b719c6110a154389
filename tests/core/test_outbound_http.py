"""core.outbound_http: where requests to tenants' hosts go, and how long and how large their answers may be."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from core import outbound
from core.outbound_http import HttpAnswer, HttpFailed, send_request

Handler = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def listening(handler: Handler) -> Iterator[tuple[int, list[bytes]]]:
    """Run a server on loopback that hands each connection to the handler; yields its port and the heads it read."""
    heads: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                try:
                    heads.append(connection.recv(65536))
                    handler(connection)
                except OSError:
                    continue

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1], heads
        server.shutdown(socket.SHUT_RDWR)


def saying(*parts: bytes, pause: float = 0.0) -> Handler:
    def say(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)

    return say


def ask(port: int, host: str = "127.0.0.1", seconds: float = 2.0, **options: Any) -> HttpAnswer:
    return send_request("POST", f"http://{host}:{port}/v1", seconds=seconds, body=b"{}", **options)


def refusal(port: int, host: str = "127.0.0.1", seconds: float = 2.0, **options: Any) -> HttpFailed:
    with pytest.raises(HttpFailed) as caught:
        ask(port, host, seconds, **options)
    return caught.value


def test_a_name_that_is_rebound_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """First a public address, then loopback: the second answer is never asked for."""
    looked_up: list[str] = []
    opened: list[Any] = []

    def getaddrinfo(host: str, port: int, **_options: Any) -> list[Any]:
        ip = "127.0.0.1" if looked_up else "93.184.215.14"
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))]

    def create_connection(place: Any, timeout: float) -> Any:
        opened.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(outbound.socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(outbound.socket, "create_connection", create_connection)
    with pytest.raises(HttpFailed) as caught:
        send_request("GET", "https://model.example/v1", seconds=1)
    assert (caught.value.code, looked_up, opened) == ("unreachable", ["model.example"], [("93.184.215.14", 443)])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0", "localhost", "localhost.", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_no_spelling_of_this_machine_is_reached(host: str, settings: Any) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    with listening(saying(OK)) as (port, heads):
        assert refusal(port, host).code in ("refused", "broken", "unreachable")
        assert heads == []


def test_what_is_public_is_reached_encrypted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 80))
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *_a, **_k: [place])
    found = refusal(80, "model.example")
    assert found.code == "refused"
    assert "https only" in found.detail


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(saying(OK)) as (proxy, asked), listening(saying(OK)) as (port, heads):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        assert ask(port).body == b"ok"
        assert (len(heads), asked) == (1, [])


def test_a_redirect_is_not_followed() -> None:
    with listening(saying(OK)) as (inner, asked):
        head = f"HTTP/1.1 307 Look\r\nLocation: http://127.0.0.1:{inner}/\r\nContent-Length: 0\r\n\r\n"
        with listening(saying(head.encode())) as (port, _):
            assert refusal(port).code == "redirected"
        assert asked == []


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([b""] * 9, id="silent"),
        pytest.param([b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 40], id="its headers trickle"),
        pytest.param([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", *[b"x"] * 40], id="its body trickles"),
        pytest.param([b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 40], id="a body without an end trickles"),
    ],
)
def test_the_deadline_bounds_the_whole_answer(parts: list[bytes]) -> None:
    with listening(saying(*parts, pause=0.1)) as (port, _):
        began = time.monotonic()
        assert refusal(port, seconds=0.3).code == "slow"
        assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 70_000, "large"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"fff0\r\n" + b"x" * 0xFFF0 + b"\r\n", "large"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", "broken"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ncut", "broken"),
        (b"nonsense\r\n\r\n", "broken"),
        (b"", "broken"),
    ],
)
def test_answers_that_are_no_whole_answer(answer: bytes, code: str) -> None:
    with listening(saying(answer)) as (port, _):
        assert refusal(port, most_bytes=60_000).code == code


def test_what_is_wrong_names_no_key() -> None:
    with listening(saying(b"nonsense")) as (port, _):
        for key in ("sk-canary", "sk-canary\r\nX: y", "sk-canary\u4e00"):
            found = refusal(port, headers={"Authorization": f"Bearer {key}"})
            assert "canary" not in f"{found!r} {found.detail} {found.__cause__}"
    assert refusal(1).code == "unreachable"
    assert refusal(80, "nowhere.invalid").code == "unreachable"
