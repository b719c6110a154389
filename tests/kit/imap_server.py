"""A stand-in mailbox on loopback: the few IMAP commands that the service speaks, and faults on demand."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

USER, PASSWORD = "box", "secret"
DATE = b'"09-Nov-2026 10:12:00 +0100"'


@dataclass
class ImapServer:
    """What lies in its INBOX (UID -> mail), what it was asked, and how it fails."""

    mails: dict[int, bytes] = field(default_factory=dict)
    validity: int = 1
    commands: list[str] = field(default_factory=list)
    date: bytes = DATE
    refuses: str = ""
    """A command that is answered by NO."""
    floods: bool = False
    """FETCH answers with a literal that is longer than anybody can read."""
    tls: ssl.SSLContext | None = None
    """Its certificate, offered by STARTTLS."""
    port: int = 0

    def put(self, mail: bytes) -> int:
        """Put a mail into the INBOX. Returns its UID."""
        uid = max(self.mails, default=0) + 1
        self.mails[uid] = mail
        return uid


@contextmanager
def imap_server() -> Iterator[ImapServer]:
    """Run one on a free port of loopback."""
    server = ImapServer()
    listener = socket.create_server(("127.0.0.1", 0))
    server.port = listener.getsockname()[1]

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_serve, args=(server, connection), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def _serve(server: ImapServer, connection: socket.socket) -> None:
    connection.settimeout(20)
    try:
        connection.sendall(b"* OK IMAP4rev1 ready\r\n")
        connection = _encrypted(server, connection)
    except OSError:
        connection.close()
        return
    with connection, connection.makefile("rb") as lines:
        try:
            for line in lines:
                tag, _, rest = line.rstrip(b"\r\n").decode().partition(" ")
                server.commands.append(re.sub(r"(?i)^(LOGIN \S+) .*", r"\1", rest))
                answer = _answer(server, rest)
                done = "NO refused" if server.refuses and server.refuses in rest.upper() else "OK done"
                if rest.upper().startswith("LOGIN") and rest.replace('"', "").split()[1:] != [USER, PASSWORD]:
                    done = "NO [AUTHENTICATIONFAILED] invalid credentials"
                connection.sendall((b"" if done.startswith("NO") else answer) + f"{tag} {done}\r\n".encode())
                if rest.upper() == "LOGOUT":
                    return
        except OSError:
            return


def _encrypted(server: ImapServer, connection: socket.socket) -> socket.socket:
    """Return the connection, encrypted after STARTTLS where the server offers that."""
    if server.tls is None:
        return connection
    while True:
        tag, _, command = _line(connection).partition(" ")
        server.commands.append(command)
        if command.upper() == "STARTTLS":
            connection.sendall(f"{tag} OK begin\r\n".encode())
            return server.tls.wrap_socket(connection, server_side=True)
        known = "* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\n" if command.upper() == "CAPABILITY" else ""
        connection.sendall(f"{known}{tag} OK done\r\n".encode())


def _line(connection: socket.socket) -> str:
    found = b""
    while not found.endswith(b"\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionResetError
        found += byte
    return found.decode().strip()


def _answer(server: ImapServer, command: str) -> bytes:
    upper = command.upper()
    if upper == "CAPABILITY":
        return b"* CAPABILITY IMAP4rev1 UIDPLUS\r\n"
    if upper.startswith(("EXAMINE", "SELECT")):
        following = max(server.mails, default=0) + 1
        return (
            f"* {len(server.mails)} EXISTS\r\n* OK [UIDVALIDITY {server.validity}] UIDs valid\r\n"
            f"* OK [UIDNEXT {following}] next\r\n"
        ).encode()
    if upper.startswith("UID SEARCH"):
        above = re.search(r"UID (\d+):\*", upper[10:])
        uids = sorted(server.mails)
        if above:
            # As real servers do: n:* has the last one always.
            uids = [uid for uid in uids if uid >= int(above[1])] or uids[-1:]
        return b"* SEARCH " + " ".join(map(str, uids)).encode() + b"\r\n"
    if upper.startswith("UID FETCH"):
        return _fetched(server, command)
    return b""


def _fetched(server: ImapServer, command: str) -> bytes:
    wanted = command.split()[2]
    uids: list[int] = []
    for part in wanted.split(","):
        first, _, last = part.partition(":")
        uids += range(int(first), int(last or first) + 1)
    found = b""
    for number, uid in enumerate(sorted(server.mails), 1):
        if uid not in uids:
            continue
        mail = server.mails[uid]
        if "BODY.PEEK[HEADER]" in command.upper():
            name, content = b"BODY[HEADER]", mail.partition(b"\n\n")[0] + b"\n\n"
        else:
            name, content = b"BODY[]<0>", mail
        if part_of := re.search(r"<0\.(\d+)>", command):
            content = content[: int(part_of[1])]
        size = 10**10 if server.floods else len(content)
        found += b"* %d FETCH (UID %d INTERNALDATE %s %s {%d}\r\n" % (number, uid, server.date, name, size)
        found += content + b")\r\n"
    return found
