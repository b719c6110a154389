"""The connection to a mailbox: imapclient over sockets of the guard, with deadlines and bounds, reading only.

Private parts of imapclient 4.1.0, and of imaplib under it: how they open their sockets.
"""

from __future__ import annotations

import imaplib
import logging
import re
import socket
import ssl
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from ipaddress import ip_address
from time import monotonic
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from core.outbound import OutboundRefused, connect, is_public
from core.outbound_tls import client_context, is_loopback
from outreach.messaging.inbox.analysis.parsing import MAX_BYTES, MAX_HEADER_BYTES

IMPLICIT_TLS_PORTS = frozenset({993})
MAX_LINE = 1_000_000
# The server announces the length of a literal; without a bound it could announce terabytes.
MAX_LITERAL = MAX_BYTES + 65_536
MAX_ANSWER = 8_000_000
"""Bytes that the server may send after a command, in however many lines."""
MAX_UID = 2**32 - 1
"""The largest UID and UIDVALIDITY (RFC 9051)."""
_CHUNK = 65_536
_BYTES = re.compile(r"\bb(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
"""Bytes as Python writes them."""
_COMMAND = re.compile(r"^command: [A-Z ]+ => ")
"""The beginning of imaplib's texts about a command that failed."""
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\u00a0-\U0010ffff]+")
logging.getLogger("imapclient").setLevel(logging.WARNING)  # it tells every command


class ImapFailed(Exception):
    """A mailbox that can't be read. `stage` is connect, tls, auth or select; people read `detail`."""

    def __init__(self, stage: str, detail: str) -> None:
        super().__init__(detail)
        self.stage = stage
        self.detail = detail


@dataclass(frozen=True, slots=True)
class ImapConfig:
    """A mailbox's server and account. Its repr contains no password."""

    host: str
    port: int
    username: str
    password: str = field(repr=False)
    secure: bool = True

    @property
    def place(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, for each answer, and for all together."""

    connect: float = 15
    answer: float = 30
    total: float = 240


@dataclass(frozen=True, slots=True)
class Folder:
    """A selected folder. A `validity` that changes means that its UIDs are new ones."""

    validity: int
    next_uid: int


class _Imap(imaplib.IMAP4):
    """imaplib over a socket of the guard. Each answer comes within a deadline, and is bounded in size."""

    def __init__(self, config: ImapConfig, timeouts: Timeouts) -> None:
        self._config = config
        self._timeouts = timeouts
        self._ends = monotonic() + timeouts.total
        self._received = bytearray()
        self._bytes_left = MAX_ANSWER
        self._deadline = self._ends
        self.ssl_context = client_context()
        super().__init__(config.host, config.port, timeout=timeouts.connect)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        # The guard checks the address that is connected to, so no name can lead to the private network.
        sock = connect(self._config.host, self._config.port, timeout or self._timeouts.connect)
        if not self._config.secure or self._config.port not in IMPLICIT_TLS_PORTS:
            return sock
        try:
            sock.settimeout(self._timeouts.connect)
            return self.ssl_context.wrap_socket(sock, server_hostname=self._config.host)
        except BaseException:
            sock.close()
            raise

    def begin(self) -> None:
        """Give the next answer its time and its size."""
        self._deadline = min(self._ends, monotonic() + self._timeouts.answer)
        self._bytes_left = MAX_ANSWER

    def send(self, data: Any) -> None:
        # The time counts from the command, and not from the first byte of the answer.
        self.begin()
        self.sock.settimeout(self._seconds_left())
        super().send(data)

    def read(self, size: int) -> bytes:
        # Refused before it is received.
        if size > MAX_LITERAL:
            raise self.abort("the server sends more than was asked for")
        while len(self._received) < size:
            self._receive()
        return self._pop(size)

    def readline(self) -> bytes:
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > MAX_LINE:
                raise self.abort("the server's answer is not IMAP")
            self._receive()
        return self._pop(end + 1)

    def starttls(self, ssl_context: ssl.SSLContext | None = None) -> Any:
        response = super().starttls(ssl_context)
        # Commands injected before TLS would be read as if they had come encrypted (CVE-2011-0411).
        if self._received:
            raise self.abort("the server sent more than its answer before encryption began")
        return response

    def _receive(self) -> None:
        # Set before each read: with one timeout for all, a server that sends a byte a second would never end.
        self.sock.settimeout(self._seconds_left())
        received = self.sock.recv(_CHUNK)
        if not received:
            raise self.abort("the server closed the connection")
        self._bytes_left -= len(received)
        if self._bytes_left < 0:
            raise self.abort("the server sends more than was asked for")
        self._received += received

    def _pop(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken

    def _seconds_left(self) -> float:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class _Client(IMAPClient):  # type: ignore[misc]  # imapclient has no types
    """imapclient over our connection."""

    def __init__(self, config: ImapConfig, timeouts: Timeouts) -> None:
        self._config = config
        self._timeouts = timeouts
        # Encryption is our own, above: imapclient would open its sockets past the guard.
        super().__init__(config.host, config.port, ssl=False)
        self.normalise_times = False  # times with their zone

    def _create_IMAP4(self) -> _Imap:
        return _Imap(self._config, self._timeouts)


class Mailbox:
    """An open mailbox, which is read and never changed."""

    def __init__(self, client: _Client, encryption: str | None) -> None:
        self._client = client
        self.encryption = encryption

    def select(self, folder: str) -> Folder:
        """Open a folder for reading. Raises ImapFailed."""
        with _explain_errors("select", f"The folder {folder!r} could not be opened"):
            # EXAMINE instead of SELECT (RFC 9051, 6.3.3), so that the server itself refuses changes.
            response = self._client.select_folder(folder, readonly=True)
            # Old servers leave UIDNEXT out, although it is required now.
            return Folder(_uid(response[b"UIDVALIDITY"]), _uid(response.get(b"UIDNEXT", 0)))

    def uids_after(self, last_uid: int) -> list[int]:
        """Return the UIDs above one, in their order."""
        # A server answers n:* with the last mail even where that is older.
        return self._search(["UID", f"{last_uid + 1}:*"], above=last_uid)

    def since(self, day: date) -> list[int]:
        """Return the UIDs of mails that came on the day or later."""
        return self._search(["SINCE", day])

    def _search(self, criteria: list[Any], above: int = 0) -> list[int]:
        with _explain_errors("select", "The mailbox could not be searched"):
            # A server that answers with other numbers must not make us read the same mails for ever.
            return sorted(uid for uid in self._client.search(criteria) if above < uid <= MAX_UID)

    def headers(self, uids: Sequence[int]) -> dict[int, tuple[bytes, datetime | None]]:
        """Return the headers of the mails, the first MAX_HEADER_BYTES bytes, and when each came."""
        with _explain_errors("select", "The mailbox could not be read"):
            # PEEK leaves the \Seen flag alone: people would take mails that we read for read by themselves.
            mails = self._client.fetch(uids, [f"BODY.PEEK[HEADER]<0.{MAX_HEADER_BYTES}>", "INTERNALDATE"])
        return {uid: (_body(mails[uid]), mails[uid].get(b"INTERNALDATE")) for uid in uids if uid in mails}

    def whole(self, uid: int) -> bytes:
        """Return a mail, its first MAX_BYTES; empty if it has gone."""
        with _explain_errors("select", "A mail could not be read"):
            mails = self._client.fetch([uid], [f"BODY.PEEK[]<0.{MAX_BYTES}>"])
        return _body(mails.get(uid, {}))


@contextmanager
def open_mailbox(config: ImapConfig, timeouts: Timeouts | None = None) -> Iterator[Mailbox]:
    """Connect, encrypt and log in. Raises ImapFailed.

    Secure: TLS from the first byte on port 993, STARTTLS on others. Otherwise STARTTLS where the server offers it, with
    any certificate on this machine, and a password goes unencrypted to private addresses only.
    """
    client = _connect(config, timeouts or Timeouts())
    try:
        encryption = _encrypt(client, config)
        with _explain_errors("auth", f"{config.host} refused the user name and password"):
            _log_in(client, config)
        yield Mailbox(client, encryption)
    finally:
        # LOGOUT is a courtesy; a server that is gone must not hide the first error.
        with suppress(Exception):
            client.logout()
        with suppress(Exception):
            client.shutdown()


def _connect(config: ImapConfig, timeouts: Timeouts) -> _Client:
    try:
        return _Client(config, timeouts)
    except OutboundRefused as refused:
        raise ImapFailed("connect", refused.detail) from None
    except ssl.SSLCertVerificationError as error:
        raise ImapFailed("tls", _certificate_error(config, error)) from None
    except ssl.SSLError:
        text = f"Encryption with {config.place} failed. The port may expect no encryption, or STARTTLS."
        raise ImapFailed("tls", text) from None
    except TimeoutError:
        text = f"{config.place} did not answer in time. Check host and port, and any firewall between."
        raise ImapFailed("connect", text) from None
    except ConnectionRefusedError:
        text = f"Nothing takes connections at {config.place}. Check the port: mailboxes mostly use 993."
        raise ImapFailed("connect", text) from None
    except (OSError, imaplib.IMAP4.error, ValueError) as error:
        raise ImapFailed("connect", f"{config.place} could not be reached: {_readable(error)}.") from None


def _certificate_error(config: ImapConfig, error: ssl.SSLCertVerificationError) -> str:
    return f"The certificate of {config.host} could not be trusted: {error.verify_message.rstrip('.')}."


def _encrypt(client: _Client, config: ImapConfig) -> str | None:
    """Encrypt the connection as its owner demands. Returns the encryption, such as TLSv1.3."""
    if config.secure and config.port in IMPLICIT_TLS_PORTS:
        return _version(client)
    # Used where it is offered even if the owner does not insist.
    if client.has_capability("STARTTLS"):
        try:
            verify = config.secure or not is_loopback(client.socket().getpeername()[0])
            client.starttls(client_context(verify=verify))
        except ssl.SSLCertVerificationError as error:
            raise ImapFailed("tls", _certificate_error(config, error)) from None
        except (OSError, IMAPClientError, imaplib.IMAP4.error, ValueError) as error:
            raise ImapFailed("tls", f"Encryption with {config.place} failed: {_readable(error)}.") from None
        return _version(client)
    if config.secure:
        raise ImapFailed("tls", f"{config.place} offers no encryption (STARTTLS). Use port 993.")
    # An IPv6 link-local address ends in %interface, which is no part of the address.
    if is_public(ip_address(client.socket().getpeername()[0].partition("%")[0])):
        text = f"{config.place} offers no encryption, so the password was not sent. Use port 993."
        raise ImapFailed("auth", text)
    return None


def _version(client: _Client) -> str | None:
    sock = client.socket()
    return sock.version() if isinstance(sock, ssl.SSLSocket) else None


def _log_in(client: _Client, config: ImapConfig) -> None:
    if config.username.isascii() and config.password.isascii():
        client.login(config.username, config.password)
    else:
        # LOGIN carries ASCII only.
        client.plain_login(config.username, config.password)


@contextmanager
def _explain_errors(stage: str, what: str) -> Iterator[None]:
    """Convert the errors of a mailbox into an ImapFailed whose text begins with `what`."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  the edge of a server: libraries raise anything over its answers
        text = "the server did not answer in time" if isinstance(error, TimeoutError) else _readable(error)
        # The original error may contain the LOGIN command, and with it the password.
        raise ImapFailed(stage, f"{what}: {text}"[:400]) from None


def _readable(error: BaseException) -> str:
    """Return what an error says to people: the server's words, which imaplib gives as bytes or as their Python form."""
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    if isinstance(error, ssl.SSLError):
        return "server and client agree on no way to encrypt"
    if isinstance(error, OSError):
        return (error.strerror or "the connection was lost").lower()
    if isinstance(error, KeyError | ValueError | AssertionError):
        return "the server's answer cannot be read"
    said = error.args[0] if error.args and isinstance(error.args[0], bytes) else str(error)
    text = _text(said) if isinstance(said, bytes) else _BYTES.sub(_without_form, said)
    text = _COMMAND.sub("", " ".join(_UNPRINTABLE.sub(" ", text).split()))
    return text[:200] or "the server gives no reason"


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace")


def _without_form(match: re.Match[str]) -> str:
    try:
        return _text(literal_eval(match[0]))
    except (ValueError, SyntaxError):
        return match[0]


def _body(values: Mapping[bytes, Any]) -> bytes:
    """Return what a server has sent of a mail. Its name says from which byte on, by some servers and not by others."""
    # RFC 9051, 7.5.2: BODY[]<0> for a part. Not all servers add the offset.
    body = next((value for name, value in values.items() if name.startswith(b"BODY[")), b"")
    return body if isinstance(body, bytes) else b""


def _uid(value: Any) -> int:
    number = int(value)
    if not 0 <= number <= MAX_UID:
        raise ValueError(f"{number:.3e} is no number of a folder or a mail")
    return number
