"""HTTP to hosts that tenants name: guarded sockets, no redirects, no proxies, a total deadline and a size limit.

Errors never contain the address's query, the headers or the body, because these may contain keys.

Private parts of urllib3 2.8.0: how a connection opens its socket, and the host without brackets.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, encode_multipart_formdata
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from core.outbound import OutboundRefused, connect, require_network_allowed
from core.outbound_tls import own_authorities
from core.types import Values

CONNECT_SECONDS = 10.0
MAX_BYTES = 2 * 1024 * 1024
_CHUNK = 64 * 1024


class HttpFailed(Exception):
    """No whole answer came.

    `code`: refused (by the guard), unreachable (nothing was sent), slow (its time was over), large, redirected or
    broken; people read `detail`.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer. The names of its headers are found in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Deadline:
    """Shuts down the connections of one exchange when its time is over.

    A socket's timeout restarts with every byte, so that it doesn't limit a response that trickles.
    """

    def __init__(self, seconds: float) -> None:
        self.over = False
        self.began = False
        """A byte of a request has been written. Before that no request can have had an effect."""
        self._timer = threading.Timer(seconds, self._end)
        # A process that ends must not wait for the timer.
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._watched: set[int] = set()

    def watch(self, opened: socket.socket) -> None:
        """Watch a connection. Its duplicate reaches it even when TLS has taken the socket over."""
        with self._lock:
            self._watched.add(opened.fileno())
            # TLS detaches the socket, so that only a duplicate of its descriptor still reaches the
            # connection.
            self._sockets.append(socket.socket(fileno=os.dup(opened.fileno())))
            if self.over:
                _shut_down(self._sockets[-1])

    def watches(self, opened: socket.socket) -> bool:
        """Return whether the connection is watched."""
        return opened.fileno() in self._watched

    def _end(self) -> None:
        with self._lock:
            self.over = True
            for connection in self._sockets:
                _shut_down(connection)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            for connection in self._sockets:
                connection.close()
            self._sockets.clear()


def _shut_down(opened: socket.socket) -> None:
    # It may be closed already.
    with suppress(OSError):
        # shutdown and not close: it wakes a thread that is reading, and the number cannot be given to another
        # file.
        opened.shutdown(socket.SHUT_RDWR)


_deadline: ContextVar[Deadline | None] = ContextVar("leadwright_http_deadline", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[Deadline]:
    """Shut down the guarded connections that are opened inside of the block when `seconds` are over."""
    require_network_allowed()
    with Deadline(seconds) as deadline:
        token = _deadline.set(deadline)
        try:
            yield deadline
        finally:
            _deadline.reset(token)


def _open(connection: HTTPConnection, *, encrypted: bool) -> socket.socket:
    timeout = connection.timeout if isinstance(connection.timeout, int | float) else CONNECT_SECONDS
    try:
        # The name as it is resolved, without the brackets of IPv6.
        opened = connect(connection._dns_host, connection.port or 0, timeout, encrypted=encrypted)
    except OutboundRefused as refused:
        raise NewConnectionError(connection, refused.detail) from refused
    except TimeoutError as error:
        raise ConnectTimeoutError(connection, "the connection timed out") from error
    except OSError as error:
        raise NewConnectionError(connection, error.strerror or "it could not be opened") from error
    deadline = _deadline.get()
    if deadline is not None:
        deadline.watch(opened)
    return opened


class _PlainConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _open(self, encrypted=False)

    def send(self, data: Any) -> None:
        _begin(self)
        super().send(data)


class _TlsConnection(HTTPSConnection):
    def connect(self) -> None:
        # Read for each connection, as the setting may name a file that is replaced.
        self.ca_cert_data = own_authorities() or self.ca_cert_data
        super().connect()

    def _new_conn(self) -> socket.socket:
        return _open(self, encrypted=True)

    def send(self, data: Any) -> None:
        _begin(self)
        super().send(data)


def _begin(connection: HTTPConnection) -> None:
    """Note that a request is about to be written, and watch a connection that was opened for an earlier one."""
    is_reused = connection.sock is not None
    if not is_reused:
        connection.connect()
    deadline = _deadline.get()
    if deadline is None:
        return
    # Before the bytes go out: from then on the other side may have acted.
    deadline.began = True
    if is_reused and connection.sock is not None and not deadline.watches(connection.sock):
        deadline.watch(connection.sock)


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


GUARDED_POOLS: dict[str, type] = {"http": _PlainPool, "https": _TlsPool}
"""Scheme -> the pool whose connections come from the guard, for libraries that bring their own HTTP."""
TRANSPORT_ERRORS = (HTTPError, OSError, OutboundRefused)
"""Exceptions of reading and writing by these pools."""


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = GUARDED_POOLS

    # A proxy resolves names by itself, past the guard.
    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        raise OutboundRefused("invalid", "Requests to tenants' hosts take no proxy.")


def guarded_session() -> requests.Session:
    """Return a session whose sockets all come from the guard. It follows no redirect and reads no environment."""
    session = requests.Session()
    # HTTP_PROXY and .netrc of the machine must not touch requests of tenants.
    session.trust_env = False
    session.max_redirects = 0  # any redirect raises TooManyRedirects
    # Nothing but the guarded pools can be used, whatever the scheme.
    session.adapters.clear()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter())
    return session


def encode_multipart(fields: Values) -> tuple[bytes, str]:
    """Return the body and the content type of a form; a file is (name, content, type)."""
    return encode_multipart_formdata(fields)


def send_request(
    method: str,
    url: str,
    *,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    most_bytes: int = MAX_BYTES,
) -> HttpAnswer:
    """Send a request and read the whole response, with any status, within `seconds` and `most_bytes`.

    Raises HttpFailed.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or "the server"
        _ = parts.port  # raises too, for a number that is none
    except ValueError:
        raise HttpFailed("refused", "The address cannot be read.") from None
    with guarded_session() as session, time_limit(seconds) as deadline:
        try:
            return _exchange(session, method, url, {**(headers or {})}, body, seconds, most_bytes)
        except HttpFailed:
            if deadline.over:
                raise _timeout_error(host, seconds) from None
            raise
        except (requests.RequestException, HTTPError, OSError, ValueError, OutboundRefused) as error:
            failure = _timeout_error(host, seconds) if deadline.over else _failure(error, host, seconds)
            raise failure from None  # the error's text may repeat a header


def _exchange(
    session: requests.Session,
    method: str,
    url: str,
    headers: dict[str, str],
    body: bytes | None,
    seconds: float,
    most_bytes: int,
) -> HttpAnswer:
    headers["Accept-Encoding"] = "identity"  # a compressed answer may be larger than it says
    timeout = (min(CONNECT_SECONDS, seconds), seconds)
    with session.request(method, url, headers=headers, data=body, stream=True, timeout=timeout) as response:
        # A small compressed answer can unpack to gigabytes.
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise HttpFailed("broken", "The answer is compressed, though that was not asked for.")
        content = bytearray()
        for chunk in response.raw.stream(_CHUNK, decode_content=False):
            content += chunk
            # Counted while it is read; Content-Length may be missing or wrong.
            if len(content) > most_bytes:
                raise HttpFailed("large", f"The answer is longer than {most_bytes:,} bytes.")
        # Without a length the end of a connection that was shut down looks like the end of the answer.
        watched = _deadline.get()
        if watched is not None and watched.over:
            raise HttpFailed("slow", "The answer took too long.")
        return HttpAnswer(response.status_code, CaseInsensitiveDict(response.headers), bytes(content))


def _timeout_error(host: str, seconds: float) -> HttpFailed:
    return HttpFailed("slow", f"{host} did not answer within {seconds:.0f} seconds.")


def _failure(error: Exception, host: str, seconds: float) -> HttpFailed:
    chain = error_causes(error)
    for cause in chain:
        if isinstance(cause, OutboundRefused):
            # A name that does not resolve may do so in a minute: DNS answers nothing final while it is away.
            return HttpFailed("unreachable" if cause.code == "not_found" else "refused", cause.detail)
    if isinstance(error, requests.TooManyRedirects):
        return HttpFailed("redirected", f"{host} answers with a redirect, which is not followed.")
    if any(isinstance(cause, NewConnectionError | ConnectTimeoutError) for cause in chain):
        return HttpFailed("unreachable", f"{host} could not be reached.")
    if isinstance(error, requests.exceptions.SSLError):
        return HttpFailed("unreachable", f"No encrypted connection to {host} could be made; is its certificate valid?")
    if isinstance(error, requests.ReadTimeout):
        return _timeout_error(host, seconds)
    return HttpFailed("broken", f"The connection to {host} broke before the answer was whole.")


def error_causes(error: BaseException) -> list[BaseException]:
    """Return the error with its causes, those that requests and urllib3 keep as arguments included."""
    errors: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    # Chains of exceptions may refer to each other.
    while waiting and len(errors) < 20:
        current = waiting.pop()
        if current is None or current in errors:
            continue
        errors.append(current)
        causes = [each for each in (*current.args, getattr(current, "reason", None)) if isinstance(each, BaseException)]
        waiting += [current.__cause__, current.__context__, *causes]
    return errors
