"""The catcher's SMTP server: it accepts any mail and any login, on loopback only, and relays nothing.

Private parts of aiosmtpd 1.4.6: the making of a session.
"""

import asyncio
import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from config.local.mail_catcher import HOST, address, address_file, mail_folder
from config.local.mail_catcher.store import MailStore

MAX_BYTES = 25 * 1024 * 1024


class Catcher:
    """aiosmtpd's handler: it stores each mail before it acknowledges it."""

    def __init__(self, store: MailStore) -> None:
        self._store = store

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Store a mail (called by aiosmtpd)."""
        content = envelope.original_content or b""
        try:
            mail_id = await asyncio.to_thread(
                self._store.save, content, sender=envelope.mail_from or "", recipients=list(envelope.rcpt_tos)
            )
        except OSError:
            return "451 4.3.0 the mail could not be kept"
        return f"250 2.0.0 caught as {mail_id}"


class _Session(Session):
    login_data = None
    """aiosmtpd writes it with each log-in, and warns that it shouldn't be used."""


class _Server(SMTP):
    def _create_session(self) -> Session:
        return _Session(self.loop)


def _let_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, auth_data: Any) -> AuthResult:
    return AuthResult(success=True)


async def serve(
    data: Path,
    *,
    port: int | None = None,
    ready: Callable[[int], None] = lambda port: None,
    stop: asyncio.Event | None = None,
) -> None:
    """Run until `stop` is set, or until SIGINT or SIGTERM. Calls `ready` with the port.

    Without `port` it takes the last start's port again if that is free, so that existing senders still work.
    """
    loop = asyncio.get_running_loop()
    if stop is None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    handler = Catcher(MailStore(mail_folder(data)))

    def protocol() -> SMTP:
        return _Server(
            handler,
            hostname="mailcatcher",
            ident="Leadwright mail catcher",
            data_size_limit=MAX_BYTES,
            enable_SMTPUTF8=True,
            authenticator=_let_in,
            auth_require_tls=False,
            loop=loop,
        )

    server = await _listen(loop, protocol, data, port)
    actual: int = server.sockets[0].getsockname()[1]
    _note(data, actual)
    ready(actual)
    async with server:
        await stop.wait()


async def _listen(
    loop: asyncio.AbstractEventLoop, protocol: Callable[[], SMTP], data: Path, port: int | None
) -> asyncio.Server:
    remembered = address(data)
    if port is None and remembered:
        try:
            return await loop.create_server(protocol, HOST, remembered[1])
        except OSError as error:
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
    return await loop.create_server(protocol, HOST, port or 0)


def _note(data: Path, port: int) -> None:
    data.mkdir(parents=True, exist_ok=True)
    unfinished = address_file(data).with_suffix(f".{os.getpid()}.tmp")
    with unfinished.open("w") as file:
        json.dump({"host": HOST, "port": port, "pid": os.getpid()}, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(address_file(data))
