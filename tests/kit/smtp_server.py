"""Real SMTP servers on loopback for the tests: aiosmtpd with faults at chosen stages, and scripts for what it can't do
wrong."""

import asyncio
import datetime as dt
import functools
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.outbound import resolve_allowed
from outreach.connections.smtp.transport import Session, SmtpConfig, Timeouts

resolve_loopback = functools.partial(resolve_allowed, private_hosts=["127.0.0.0/8", "::1/128"])

DROP = "drop"
HANG = "hang"

PATIENT = Timeouts(connect=20, command=20, body=40, final=20)  # a busy machine is no fault
FAST = Timeouts(connect=2, command=0.5, body=1, final=0.5)  # for servers that fall silent
BODY = b"Subject: hello\r\n\r\nGood morning\r\n"
BIG = (
    BODY + b"x\r\n" * 7_000_000
)  # more than any buffer on the way, so that a server that reads no more is noticed before the end


@dataclass
class Faults:
    """What goes wrong at each stage (a reply, DROP or HANG), how often, and what the server saw all the same."""

    at: dict[str, str] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)  # how often a fault strikes; for ever unless named
    received: list[bytes] = field(default_factory=list)
    envelopes: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    connections: int = 0
    commands: list[str] = field(default_factory=list)

    def next_fault(self, stage: str) -> str | None:
        left = self.times.get(stage, 1_000_000)
        if left <= 0 or stage not in self.at:
            return None
        self.times[stage] = left - 1
        return self.at[stage]


class FaultyServer(SMTP):
    """aiosmtpd that fails on demand."""

    def __init__(self, faults: Faults, **options: Any) -> None:
        super().__init__(self, hostname="test.invalid", **options)
        self.faults = faults

    def connection_made(self, transport: Any) -> None:
        self.faults.connections += 1
        super().connection_made(transport)

    async def _fault(self, stage: str) -> str | None:
        self.faults.commands.append(stage)
        what = self.faults.next_fault(stage)
        if what == DROP:
            assert self.transport is not None
            self.transport.abort()
        if what in {DROP, HANG}:
            await asyncio.sleep(30)
        return what

    async def handle_MAIL(
        self, server: SMTP, session: object, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if fault := await self._fault("mail"):
            return fault
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: object, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if fault := await self._fault("rcpt"):
            return fault
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def smtp_DATA(self, arg: str) -> None:
        fault = await self._fault("data")
        if fault:
            await self.push(fault)
            return
        early = self.faults.next_fault("body")
        if early:
            await self.push("354 go ahead")
            await self._reader.read(10)
            if early == DROP:
                assert self.transport is not None
                self.transport.abort()
                return
            await self.push(early)
            await asyncio.sleep(30)
        await super().smtp_DATA(arg)

    async def handle_DATA(self, server: SMTP, session: object, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        self.faults.received.append(content)
        self.faults.envelopes.append((str(envelope.mail_from), tuple(envelope.rcpt_tos), tuple(envelope.mail_options)))
        return await self._fault("final") or "250 2.0.0 queued"

    async def smtp_RSET(self, arg: str) -> None:
        if fault := await self._fault("rset"):
            await self.push(fault)
            return
        await super().smtp_RSET(arg)


class PipeliningServer(FaultyServer):
    """One that takes several commands at once."""

    async def handle_EHLO(
        self, server: SMTP, session: Any, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        return [*responses[:-1], "250-PIPELINING", responses[-1]]


@contextmanager
def faulty_server(
    faults: Faults,
    *,
    implicit: ssl.SSLContext | None = None,
    factory: type[FaultyServer] = FaultyServer,
    **options: Any,
) -> Iterator[int]:
    """Run one on a free loopback port, which is what comes out."""
    loop = asyncio.new_event_loop()
    options.setdefault("enable_SMTPUTF8", True)

    async def start() -> asyncio.Server:
        return await loop.create_server(lambda: factory(faults, loop=loop, **options), "127.0.0.1", 0, ssl=implicit)

    # In a thread of its own from the first step on: a browser's driver may have a loop at work in this one.
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(start(), loop).result(5)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:

        async def stop() -> None:
            server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


@contextmanager
def scripted_server(script: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serve each connection by a plain function over its socket."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            try:
                connection, _peer = listener.accept()
            except OSError:
                return
            connection.settimeout(10)
            with connection:
                try:
                    script(connection)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def wait_for_close(connection: socket.socket) -> None:
    """Read nothing more, and wait until the client has gone."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    poll.poll(20_000)


def accept_any(server: SMTP, session: object, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
    """Let in `user` with `päss wörd` and nobody else."""
    return AuthResult(success=data.login == b"user" and data.password == "päss wörd".encode(), handled=False)


def accept_everybody(server: SMTP, session: object, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
    """Let in every account, as the demo's mail catcher does."""
    return AuthResult(success=True, handled=False)


def certificate(folder: Path, name: str = "localhost") -> tuple[ssl.SSLContext, str]:
    """Make a self-signed certificate. Returns the server's context, and the file that a client has to trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / f"{name}.pem", folder / f"{name}.key"
    certificate_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    return context, str(certificate_file)


def plain(port: int) -> SmtpConfig:
    return SmtpConfig(host="127.0.0.1", port=port, secure=False, from_email="me@example.com")


def open_plain(port: int, timeouts: Timeouts = PATIENT) -> Session:
    return Session.open(plain(port), timeouts=timeouts, resolve=resolve_loopback)


class Intent:
    """A commit_intent that counts, and notes what the server had received by then."""

    def __init__(self, faults: Faults | None = None, error: Exception | None = None) -> None:
        self.calls = 0
        self.received_before: int | None = None
        self.faults = faults
        self.error = error

    def __call__(self) -> None:
        self.calls += 1
        if self.faults is not None:
            time.sleep(0.05)
            self.received_before = len(self.faults.received)
        if self.error:
            raise self.error
