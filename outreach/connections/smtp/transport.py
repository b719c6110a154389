"""Delivers messages over SMTP one at a time, so that the caller knows exactly when a message can no longer be stopped.

SMTP has no idempotency key (RFC 1047). Therefore the intent is committed after the whole body was sent except its end.
Messages that were certainly not sent are distinguished from those whose outcome is unknown.
"""

import contextlib
import re
import smtplib
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

import idna

from core.outbound import resolve_allowed
from outreach.connections.smtp.connection import Resolve, SmtpConfig, Timeouts, Wire
from outreach.connections.smtp.outcome import Outcome, Rejected, Sent, SmtpError, Stage, Uncertain
from outreach.connections.smtp.reply_texts import plain_reply

__all__ = ["Outcome", "Rejected", "Sent", "Session", "SmtpConfig", "SmtpError", "Timeouts", "Uncertain", "verify"]

MESSAGES_PER_CONNECTION = 100  # many servers end a connection after that many

_END = b"\r\n.\r\n"
# A blank or an angle bracket would end the address early, and what follows would become parameters.
_UNFIT_ADDRESS = re.compile(r"[\x00-\x20\x7f<>]")


Step = tuple[Stage, str, set[int]]
"""A command of an envelope: its stage, its text, and the replies after which the session continues."""


class _Refused(Exception):
    """Ends a delivery: the message was certainly not sent."""

    def __init__(self, outcome: Rejected) -> None:
        super().__init__(outcome.reply)
        self.outcome = outcome


class Session:
    """A sender's connection for many messages in a row, used by one thread. It reconnects when the server closes it."""

    def __init__(
        self, config: SmtpConfig, *, timeouts: Timeouts | None = None, resolve: Resolve = resolve_allowed
    ) -> None:
        self._config = config
        self._timeouts = timeouts or Timeouts()
        self._resolve = resolve
        self._wire: Wire | None = None
        self._used = 0
        self._dirty = False

    @classmethod
    def open(cls, config: SmtpConfig, *, timeouts: Timeouts | None = None, resolve: Resolve = resolve_allowed) -> Self:
        """Connect, encrypt and log in. Raises SmtpError."""
        session = cls(config, timeouts=timeouts, resolve=resolve)
        session._connect()
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def tls_version(self) -> str | None:
        """The encryption in use, such as TLSv1.3, or None."""
        return self._wire.tls_version if self._wire else None

    def deliver(self, envelope_from: str, recipient: str, data: bytes, commit_intent: Callable[[], None]) -> Outcome:
        """Send one message to one recipient. Returns the outcome.

        Calls `commit_intent` once the server has the whole body except its end. When that raises, the end is never
        sent, the connection is dropped and the exception propagates.
        A message that is rejected earlier doesn't call it.
        """
        try:
            # The addresses are checked first, so that a bad one costs no command.
            wire = self._offer(encode_address(envelope_from), encode_address(recipient), data)
            self._send_body(wire, normalise(data))
        except SmtpError as error:
            # Nobody knows in which state such a session is.
            self._drop()
            return error.as_rejected()
        except _Refused as refused:
            return refused.outcome
        except BaseException:
            self._drop()
            raise
        try:
            commit_intent()
        except BaseException:
            self._drop()
            # A server that sees the connection close before the end must discard the message (RFC 5321,
            # 4.1.1.4).
            raise
        return self._finish(wire)

    def check_sender(self, address: str) -> None:
        """Ask the server whether it accepts mail from this address, without sending any. Raises SmtpError."""
        try:
            sender = encode_address(address)
            wire = self._ready()
            self._send_command(wire, "mail", _mail_from(sender, []), {250})
        except _Refused as refused:
            outcome = refused.outcome
            text = f"{self._config.host} takes no mail from {address}: {outcome.reply}".rstrip(" :")
            raise SmtpError("mail", text, temporary=outcome.temporary, code=outcome.code) from None
        # The server has begun a message, which the next user has to reset.
        self._dirty = True

    def close(self) -> None:
        """Send QUIT if possible, and drop the connection."""
        if self._wire is not None and self._wire.sock is not None:
            with contextlib.suppress(OSError, smtplib.SMTPException):  # the connection ends either way
                # RFC 5321, 4.1.1.10: some servers log clients that leave without QUIT as failures.
                self._wire.docmd("QUIT")
        self._drop()

    # The steps of one delivery

    def _offer(self, sender: str, recipient: str, data: bytes) -> Wire:
        """Send the envelope and DATA, on a new connection when the kept one was closed."""
        # A kept connection may have been closed by its idle limit, which is noticed only by the first
        # command.
        kept = self._wire is not None
        while True:
            wire = self._ready()
            steps: list[Step] = [
                ("mail", _mail_from(sender, _options(wire, sender, recipient, data)), {250}),
                # RFC 5321, 3.4: 251 means that the server forwards the message itself.
                ("rcpt", f"RCPT TO:<{recipient}>", {250, 251}),
                ("data", "DATA", {354}),
            ]
            try:
                if wire.has_extn("pipelining"):
                    self._ask_together(wire, steps)
                else:
                    for step in steps:
                        self._send_command(wire, *step)
                return wire
            except _Refused as refused:
                gone = refused.outcome.code in {None, 421}
                # Once only, and only before the envelope was accepted: a new connection that fails as well is
                # a real failure.
                if kept and gone and refused.outcome.stage == "mail":
                    kept = False  # that the server closed an idle connection says nothing about this message
                    self._drop()
                    continue
                raise

    def _ask_together(self, wire: Wire, steps: Sequence[Step]) -> None:
        """Send the commands at once, and read an answer to each (PIPELINING, RFC 2920). Raises the first refusal."""
        self._dirty = True
        refusals: list[_Refused] = []
        # One write for all three, or the system could send three packets (RFC 2920, 3.1).
        with self._reaching(wire, steps[0][0]):
            wire.put_commands([command for _, command, _ in steps])
        # Every answer has to be read, even after a refusal, or it would be taken for that of a later command.
        for stage, _command, expected in steps:
            try:
                self._hear(wire, stage, expected)
            except _Refused as refused:
                refusals.append(refused)
                if self._wire is None:
                    break
            else:
                # RFC 2920, 3.1: with no valid recipient DATA should fail; a server that still says 354 would
                # send an empty mail.
                if refusals and stage == "data":
                    self._drop()  # the server waits for a message, which nobody is to get
        if refusals:
            raise refusals[0]

    def _send_command(self, wire: Wire, stage: Stage, command: str, expected: set[int]) -> None:
        self._dirty = True
        with self._reaching(wire, stage):
            wire.put_commands([command])
        self._hear(wire, stage, expected)

    @contextlib.contextmanager
    def _reaching(self, wire: Wire, stage: Stage) -> Iterator[None]:
        """Drop a connection that breaks, and refuse the message."""
        try:
            yield
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            raise _Refused(Rejected(True, None, wire.explain(error), stage)) from None

    def _hear(self, wire: Wire, stage: Stage, expected: set[int]) -> None:
        """Read the answer to a command. Raises _Refused for any but those that are wanted."""
        with self._reaching(wire, stage):
            code, reply = wire.getreply()
        if code in expected:
            return
        text = wire.readable(reply)
        # A success in place of 354 means that the server counts commands otherwise than we do.
        if code == 421 or not 400 <= code <= 599 or (stage == "data" and 200 <= code < 400):
            self._drop()  # the server closes, or is in an unknown state
        # Replies beyond 4xx and 5xx count as temporary: another server may answer properly.
        raise _Refused(_rejection(code, reply, text, stage))

    def _send_body(self, wire: Wire, body: bytes) -> None:
        try:
            said = wire.send_body(body)
        except OSError as error:
            self._drop()
            raise _Refused(Rejected(True, None, wire.explain(error), "body")) from None
        if said is None:
            return
        # The server gave up before the end, so the message was certainly not sent.
        self._drop()
        code = int(said[:3]) if re.match(rb"[45]\d\d[ -]", said) else None
        text = wire.readable(said[4:].partition(b"\n")[0]) if code else "the server closed the connection"
        raise _Refused(Rejected(code is None or code < 500, code, text, "body"))

    def _finish(self, wire: Wire) -> Outcome:
        try:
            # From here on the message may be delivered whatever happens.
            wire.send(_END)
            wire.allow(self._timeouts.final)
            code, reply = wire.getreply()
        # The server may have accepted the message before the connection broke (RFC 1047).
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            return Uncertain(f"the message was complete, then {wire.explain(error)}")
        except BaseException:
            self._drop()
            raise
        text = wire.readable(reply)
        self._used += 1
        # RFC 5321, 4.2.5: by any 2xx the server takes over the responsibility, not by 250 alone.
        if 200 <= code <= 299:
            # The end of a message also ends its transaction, so no RSET is needed.
            self._dirty = False
            return Sent(text)
        if 400 <= code <= 599:
            if code == 421:
                self._drop()
            return _rejection(code, reply, text, "final")
        self._drop()
        # A 1xx or 3xx here is against the protocol and says neither yes nor no.
        return Uncertain(f"the message was complete, then the server answered {code} {text}")

    # The connection

    def _ready(self) -> Wire:
        """Return a connection without a started message."""
        # Closed here with QUIT rather than by the server in the middle of an envelope.
        if self._wire is not None and (self._wire.sock is None or self._used >= MESSAGES_PER_CONNECTION):
            self.close()
        # RSET (RFC 5321, 4.1.1.5) forgets the envelope of a message that was refused or only checked.
        if self._wire is not None and self._dirty:
            try:
                code, _reply = self._wire.docmd("RSET")
            except (OSError, smtplib.SMTPException):
                # A connection that broke while it was idle is replaced without a word.
                code = 0
            if code != 250:
                self._drop()
        if self._wire is None:
            return self._connect()
        self._dirty = False
        return self._wire

    def _connect(self) -> Wire:
        self._wire = Wire(self._config, self._timeouts, self._resolve)
        self._used = 0
        self._dirty = False
        return self._wire

    def _drop(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._wire = None


def verify(config: SmtpConfig, *, timeouts: Timeouts | None = None, resolve: Resolve = resolve_allowed) -> str | None:
    """Test a sender's server, account and From address without sending.

    Returns the encryption in use. Raises SmtpError.
    """
    with Session.open(config, timeouts=timeouts, resolve=resolve) as session:
        if config.from_email:
            session.check_sender(config.from_email)
        return session.tls_version


def normalise(data: bytes) -> bytes:
    """Return a message as it is sent, without its end: CRLF after each line, leading dots doubled (RFC 5321, 4.5.2).

    A lone CR or LF becomes a CRLF, so that all servers see the same end of the message (SMTP smuggling).
    """
    # Equal counts mean that each CR and LF is half of a CRLF, as it mostly is; three counts cost less than
    # three copies.
    if not data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r"):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    # The end of the message begins with a CRLF of its own.
    stuffed = data.removesuffix(b"\r\n").replace(b"\n.", b"\n..")
    # The first line has no line feed before it that the replacement could see.
    return b"." + stuffed if stuffed.startswith(b".") else stuffed


def encode_address(address: str) -> str:
    """Return an envelope's address, with its domain in ASCII. Raises SmtpError if SMTP commands can't contain it."""
    local, _at, domain = address.rpartition("@")
    try:
        # RFC 5321, 4.5.3.1: 64 for the local part, 255 for the domain.
        if not local or not domain or _UNFIT_ADDRESS.search(address) or len(address) > 320:
            raise ValueError
        plain = domain.startswith("[") or domain.isascii()
        # IDNA 2008 alone refuses capitals and full-width letters, which people do type.
        host = domain if plain else idna.encode(domain, uts46=True).decode("ascii")
    except (ValueError, idna.IDNAError):
        raise SmtpError("rcpt", f"{address[:100]!r} is no email address.", temporary=False) from None
    # The local part stays: only its own server knows what it means (RFC 5321, 2.3.11).
    return f"{local}@{host}"


def _mail_from(sender: str, options: Sequence[str]) -> str:
    return " ".join([f"MAIL FROM:<{sender}>", *options])


def _options(wire: Wire, sender: str, recipient: str, data: bytes) -> list[str]:
    """Return the ESMTP parameters that this message needs. Raises _Refused when the server doesn't support one."""
    options: list[str] = []
    eight_bit = not data.isascii()
    # RFC 1870: a server that would not take it refuses at MAIL, before the whole body was sent.
    if wire.has_extn("size"):
        options.append(f"SIZE={len(data)}")
    if eight_bit and wire.has_extn("8bitmime"):
        options.append("BODY=8BITMIME")
    # RFC 6531, 3.4: raw UTF-8 in a header needs SMTPUTF8, not only in an address.
    if not (sender.isascii() and recipient.isascii()) or not data.partition(b"\r\n\r\n")[0].isascii():
        if not wire.has_extn("smtputf8"):
            text = "the mail server can't carry addresses beyond ASCII (SMTPUTF8)"
            raise _Refused(Rejected(False, None, text, "rcpt"))
        options.append("SMTPUTF8")
    # RFC 6152: without it servers may clear the eighth bit, which spoils the text silently.
    elif eight_bit and not wire.has_extn("8bitmime"):
        raise _Refused(Rejected(False, None, "the mail server can't carry 8-bit text", "data"))
    return options


def _rejection(code: int, reply: bytes, text: str, stage: Stage) -> Rejected:
    """Return a refusal with the text for people, judged by the server's own text."""
    judged = Rejected(code < 500, code, plain_reply(reply), stage).bad_address
    return Rejected(code < 500, code, text, stage, judged_bad=judged)
