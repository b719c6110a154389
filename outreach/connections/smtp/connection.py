"""One SMTP connection: connecting, TLS, login, and replies that are read within a deadline and a size limit.

It uses smtplib for commands, EHLO and STARTTLS, and replaces the parts that a hostile or broken server could abuse. In
smtplib the timeout restarts with each byte, and multi-line replies have no limit. Its login can't send a non-ASCII
password.
"""

import functools
import ipaddress
import math
import re
import select
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.outbound import Address, OutboundRefused, resolve_allowed
from core.outbound_tls import client_context, is_loopback
from outreach.connections.smtp.outcome import SmtpError, Stage
from outreach.connections.smtp.reply_texts import encode_login, plain_reply, without_secrets

# Ports on which mailers speak TLS from the first byte; on any other port a secure sender must upgrade by STARTTLS.
IMPLICIT_TLS_PORTS = frozenset({465, 2465})

_REPLY_LIMIT = 64 * 1024  # bytes of one reply, all lines together
_CHUNK = 64 * 1024
_REPLY = re.compile(rb"[2-5]\d\d(?:[ -]|$)")
_FULL = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
"""Errors of a non-blocking socket that would have to wait."""

Resolve = Callable[[str, int], list[Address]]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that each step may take in total, however slowly the server sends."""

    connect: float = 15.0
    command: float = 30.0
    body: float = 120.0
    final: float = 120.0  # long, for a timeout here leaves a message uncertain
    total: float = math.inf  # all steps together


@dataclass(frozen=True, slots=True)
class SmtpConfig:
    """A sender's server and account. Its repr contains no password.

    With `secure` the connection is encrypted or fails: TLS from the first byte on port 465, STARTTLS on others. Without
    it STARTTLS is used where the server offers it, and a password is sent unencrypted only to a private address. A
    server on this machine may then have any certificate.
    """

    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)
    secure: bool = True
    from_email: str = ""

    @property
    def place(self) -> str:
        """Host and port as people write them."""
        return f"{self.host}:{self.port}"


class ServerGone(smtplib.SMTPServerDisconnected):
    """The connection was closed, timed out or sent invalid data. The text gives the reason."""


class Wire(smtplib.SMTP):
    """A connection that is open, encrypted as its sender demands, and logged in."""

    def __init__(self, config: SmtpConfig, timeouts: Timeouts, resolve: Resolve = resolve_allowed) -> None:
        super().__init__(local_hostname=helo_name(), timeout=timeouts.connect)
        self.config = config
        self.timeouts = timeouts
        self.tls_version: str | None = None
        self._resolve = resolve
        self._inbox = bytearray()
        self._public = True
        self._loopback = False
        self._deadline = 0.0
        self._ends = time.monotonic() + timeouts.total
        try:
            self._establish()
        except BaseException:
            self.close()
            raise

    # Opening

    def _establish(self) -> None:
        config = self.config
        implicit = config.secure and config.port in IMPLICIT_TLS_PORTS
        self._dial()
        if implicit:
            self._encrypt()
        self._expect("connect", 220, lambda: self.getreply(), f"{config.place} does not take mail now")
        self._greet()
        if not implicit and (config.secure or self.has_extn("starttls")):
            # An attacker in between can remove STARTTLS from the answer.
            if not self.has_extn("starttls"):
                text = f"{config.place} offers no encryption (STARTTLS). Use another port, such as 465 or 587."
                raise SmtpError("tls", text, temporary=False)
            self._expect("tls", 220, lambda: self.docmd("STARTTLS"), f"{config.place} refused to begin encryption")
            # Commands injected before TLS would be read as if they had come encrypted (CVE-2011-0411).
            if self._inbox:
                raise SmtpError(
                    "tls", f"{config.place} sent more than its answer before encryption began.", temporary=False
                )
            self._encrypt()
            # RFC 3207, 4.2: after TLS, EHLO is sent again.
            self._greet()
        if config.username:
            self._log_in()

    def _dial(self) -> None:
        place = self.config.place
        try:
            # The address that was checked is dialled: a second resolution could differ (DNS rebinding).
            addresses = self._resolve(self.config.host, self.config.port)
        except OutboundRefused as refused:
            raise SmtpError("connect", refused.detail, temporary=refused.code == "not_found") from None
        patience = self._step_timeout(self.timeouts.connect)
        deadline = time.monotonic() + patience
        failure: OSError = TimeoutError()
        for position, address in enumerate(addresses):
            # The addresses share the remaining time, so that one dead address leaves time for the next.
            share = max(0.1, (deadline - time.monotonic()) / (len(addresses) - position))
            try:
                self.sock = socket.create_connection((address.ip, address.port), timeout=share)
            except OSError as error:
                failure = error
                continue
            # The message's end goes out in a packet of its own, which Nagle's algorithm would hold back.
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock.setblocking(False)
            self._host = self.config.host
            self._public = address.public
            self._loopback = is_loopback(address.ip)
            return
        if isinstance(failure, TimeoutError):
            text = f"{place} did not answer in {patience:.0f} seconds. Check host and port, and any firewall between."
        elif isinstance(failure, ConnectionRefusedError):
            text = f"Nothing takes connections at {place}. Check the port: mail servers mostly use 587 or 465."
        else:
            text = f"{place} could not be reached: {failure.strerror or 'network error'}."
        raise SmtpError("connect", text, temporary=True) from None

    def _encrypt(self) -> None:
        context = client_context(verify=self.config.secure or not self._loopback)
        if self.sock is None:
            raise ServerGone("the connection is closed")
        try:
            self.sock.settimeout(self._step_timeout(self.timeouts.connect))
            encrypted = context.wrap_socket(self.sock, server_hostname=self.config.host)
        except ssl.SSLCertVerificationError as error:
            reason = f"The certificate of {self.config.host} could not be trusted: {error.verify_message.rstrip('.')}."
            raise SmtpError("tls", reason, temporary=False) from None
        except (OSError, ValueError) as error:
            hint = " The port may expect no encryption, or STARTTLS." if isinstance(error, ssl.SSLError) else ""
            raise SmtpError("tls", f"Encryption with {self.config.place} failed.{hint}", temporary=not hint) from None
        encrypted.setblocking(False)
        self.sock = encrypted
        self.tls_version = encrypted.version()
        # Whatever was learnt before encryption could have been forged.
        self.helo_resp = self.ehlo_resp = None
        self.esmtp_features = {}
        self.does_esmtp = False

    def _greet(self) -> None:
        def hello() -> tuple[int, bytes]:
            code, reply = self.ehlo()
            return (code, reply) if code == 250 else self.helo()

        self._expect("connect", 250, hello, f"{self.config.place} refused our greeting")

    def _log_in(self) -> None:
        config = self.config
        if self.tls_version is None and self._public:
            text = (
                f"{config.place} offers no encryption, so the password was not sent."
                " Use an encrypted port, such as 465 or 587."
            )
            raise SmtpError("auth", text, temporary=False)
        offered = str(self.esmtp_features.get("auth", "")).upper().split()
        user, password = config.username.encode(), config.password.encode()
        if "PLAIN" in offered:
            step = functools.partial(self.docmd, "AUTH", "PLAIN " + encode_login(b"\0" + user + b"\0" + password))
        elif "LOGIN" in offered:
            step = functools.partial(self._auth_login, user, password)
        else:
            methods = " ".join(offered) or "none"
            raise SmtpError(
                "auth",
                f"{config.place} offers no way to log in that is known here (it offers: {methods}).",
                temporary=False,
            )
        self._expect("auth", 235, step, f"{config.host} refused the user name and password")

    def _auth_login(self, user: bytes, password: bytes) -> tuple[int, bytes]:
        answer = self.docmd("AUTH", "LOGIN")
        for secret in (user, password):
            if answer[0] != 334:
                break
            answer = self.docmd(encode_login(secret))
        return answer

    def _expect(self, stage: Stage, expected: int, step: Callable[[], tuple[int, bytes]], refusal: str) -> None:
        """Run one step of connecting. Raises SmtpError for any reply but the wanted one."""
        try:
            code, reply = step()
        except (OSError, smtplib.SMTPException) as error:
            # The original error could contain the command that was sent, and with it the password.
            raise SmtpError(stage, f"{self.config.place}: {self.explain(error)}.", temporary=True) from None
        if code == expected:
            return
        temporary = not 500 <= code <= 599
        raise SmtpError(
            stage, f"{refusal}: {code} {self.readable(reply)}".rstrip(" :"), temporary=temporary, code=code
        ) from None

    # Reading and writing, all within a deadline

    def getreply(self) -> tuple[int, bytes]:
        """Read one whole reply as (code, text). Raises ServerGone for anything that is no SMTP reply."""
        self._deadline = min(self._ends, max(self._deadline, time.monotonic() + self.timeouts.command))
        lines: list[bytes] = []
        size = 0
        try:
            while True:
                line = self._read_line()
                size += len(line)
                if size > _REPLY_LIMIT or not _REPLY.match(line):
                    raise ServerGone("the server's answer is not SMTP")
                lines.append(line[4:].strip())
                if line[3:4] != b"-":
                    return int(line[:3]), b"\n".join(lines)
        except (OSError, ServerGone):
            # What is left of a half-read reply would be taken for the answer to the next command.
            self.close()
            raise
        finally:
            self._deadline = 0.0

    def _step_timeout(self, seconds: float) -> float:
        """Return the time limit of a step: the given seconds, or the rest of the total time."""
        return max(0.01, min(seconds, self._ends - time.monotonic()))

    def allow(self, seconds: float) -> None:
        """Allow this many seconds for the next reply, where a command's usual time is too short."""
        self._deadline = time.monotonic() + seconds

    def _read_line(self) -> bytes:
        while (end := self._inbox.find(b"\n")) < 0:
            if len(self._inbox) > _REPLY_LIMIT:
                raise ServerGone("the server's answer is not SMTP")
            received = self._receive()
            if not received:
                raise ServerGone("the server closed the connection")
            self._inbox += received
        line = bytes(self._inbox[:end]).rstrip(b"\r")
        del self._inbox[: end + 1]
        return line

    def _receive(self) -> bytes:
        """Wait for data until the deadline."""
        if self.sock is None:
            raise ServerGone("the server closed the connection")
        # TLS decrypts whole records, so its buffer may hold data of which poll() knows nothing.
        kept = isinstance(self.sock, ssl.SSLSocket) and self.sock.pending()
        while True:
            if not kept:
                self._wait(select.POLLIN, self._deadline)
            try:
                return self.sock.recv(_CHUNK)
            except _FULL:  # a part of what TLS needs
                kept = False

    def _wait(self, events: int, deadline: float) -> None:
        """Wait until the non-blocking socket has one of the events. Raises TimeoutError.

        This takes one system call. A socket with a timeout takes three: it sets the timeout, polls, and reads or
        writes.
        """
        if self.sock is None:
            raise ServerGone("the server closed the connection")
        left = deadline - time.monotonic()
        poll = select.poll()
        poll.register(self.sock, events)
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError

    def send(self, s: bytes | str) -> None:  # type: ignore[override]
        """Write everything within a command's time; each byte is handed to the system when it returns."""
        self._write(s.encode("utf-8") if isinstance(s, str) else s, self.timeouts.command, watch=False)

    def send_body(self, body: bytes) -> bytes | None:
        """Write a body within its time limit. Returns the server's reply during that time, as `unasked` does."""
        try:
            return self._write(body, self.timeouts.body, watch=True)
        except OSError:
            # A server that refuses early closes: the write fails, and its reply is still readable.
            if said := self.unsolicited_data():
                return said
            raise

    def _write(self, data: bytes, seconds: float, *, watch: bool) -> bytes | None:
        if self.sock is None:
            raise ServerGone("the server closed the connection")
        deadline = time.monotonic() + self._step_timeout(seconds)
        events = select.POLLOUT | select.POLLIN if watch else select.POLLOUT
        left = memoryview(data)
        while left:
            try:
                left = left[self.sock.send(left[:_CHUNK]) :]
            except _FULL as full:
                self._wait(select.POLLIN if isinstance(full, ssl.SSLWantReadError) else events, deadline)
            # A refusal is noticed although the server has stopped reading.
            if watch and (said := self.unsolicited_data()) is not None:
                return said
            if left and time.monotonic() >= deadline:
                raise TimeoutError
        return None

    def putcmd(self, cmd: str, args: str = "") -> None:
        """Send one command line."""
        self.put_commands([f"{cmd} {args}".rstrip()])

    def put_commands(self, lines: Sequence[str]) -> None:
        """Send command lines at once. A line break inside raises an error, since the server would read a second
        command."""
        if any(end in line for line in lines for end in "\r\n\0"):
            raise ValueError("an SMTP command can't hold a line break")
        self.send("".join(f"{line}\r\n" for line in lines))

    def unsolicited_data(self) -> bytes | None:
        """Return data that the server sent without being asked: None for none, empty for a closed connection.

        The connection can't be used after anything but None.
        """
        if self._inbox:
            return bytes(self._inbox)
        if self.sock is None:
            return b""
        try:
            return self.sock.recv(_CHUNK)
        except _FULL:
            return None
        except OSError:
            return b""

    def close(self) -> None:
        """Close the connection without QUIT."""
        self._inbox.clear()
        super().close()

    # Texts for people

    def readable(self, reply: bytes) -> str:
        """Return a server's text on one line of at most 300 characters, without controls and echoed secrets."""
        return without_secrets(plain_reply(reply), self.config.username, self.config.password)

    def explain(self, error: BaseException) -> str:
        """Return why a connection failed, in a text without anything that was sent."""
        if isinstance(error, ServerGone):
            return str(error)
        if isinstance(error, TimeoutError):
            return "the server did not answer in time"
        if isinstance(error, OSError) and not isinstance(error, smtplib.SMTPException):
            return "the connection was lost"
        return "the server closed the connection"


@functools.cache
def helo_name() -> str:
    """Return the name for EHLO: the machine's full name, else the address literal that RFC 5321 requires."""
    name = socket.gethostname()
    if re.fullmatch(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", name):
        return name
    try:
        address = ipaddress.ip_address(socket.gethostbyname(name))
    except (OSError, ValueError):
        return "[127.0.0.1]"
    return f"[{address}]"
