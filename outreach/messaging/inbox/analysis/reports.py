"""Reports about mail that was sent: delivery reports (RFC 3464 and older habits) and complaints (RFC 5965)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes, message_from_string
from email.message import Message

from flufl.bounce import all_failures

from outreach.connections.smtp.refusals import STATUS, Severity, judge_refusal
from outreach.messaging.inbox.analysis.parsing import MAX_TEXT, Mail, addresses_in, ids_in, raw_headers, text_of
from outreach.messaging.suppression.addresses import is_address

# We write to one recipient at a time; reports of many are of lists, or forged.
MAX_RECIPIENTS = 20
MAX_SCANNED = 32_000
"""Bytes of a report that the readers of flufl.bounce see. The text that they search for is at its beginning."""
MAX_LINE_LENGTH = 1000
_ABOUT = 600
_MAX_TEXT_LENGTH = 1500
logging.getLogger("flufl.bounce").setLevel(logging.WARNING)  # it tells each reader that it tries


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that a report gives for one recipient."""

    recipient: str
    severity: Severity
    status: str = ""
    """Such as 5.1.1 (RFC 3463)."""
    diagnostic: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A report: the failures by recipient, and the Message-IDs of the mail that it is about."""

    failures: tuple[Failure, ...]
    message_ids: tuple[str, ...]


_DELAYED = re.compile(
    r"\s*(?:warning: (?:message .{0,60}delayed|could not send message for past)|delayed mail|(?:mail|message) delayed"
    r"|(?:mail )?delivery (?:is |has been )?delay(?:ed)?|delivery status notification \(delay(?:ed)?\)"
    r"|zustellung verzögert|verzögerte zustellung|(?:remise|livraison|distribution) (?:différée|retardée)"
    r"|entrega (?:retrasada|demorada|atrasada|adiada)|consegna (?:ritardata|in ritardo)|bezorging vertraagd)",
    re.IGNORECASE,
)
"""Subjects of servers that still try to deliver a mail, such as Exim's and Sendmail's warnings."""
_CODE = re.compile(r"\b[45]\d\d[ \-]")
_ORIGINAL = re.compile(
    r"(?im)^[> \t]{0,40}(?:-{2,80}.{0,40}(?:this line|copy of|original|returned|unsent|message (?:follows|header)"
    r"|header of|forwarded)|message headers|original message|included is a copy|enclosed is a copy"
    r"|(?:received|return-path|dkim-signature): ).*$"
)
"""The first line of the mail that a report returns within its text."""
_ONE = r"<?([^\s<>@:;,\"\[\]]{1,128}@[^\s<>@:;,\"\[\]]{1,190})>?"
_LONE = re.compile(
    rf"(?im)^[ \t]*(?:{_ONE}[ \t]*:?[ \t]*$|{_ONE}[ \t]*(?::[ \t]*|\[)(?:[45]\d\d|[a-z]).*$"
    rf"|(?:>>> )?(?:recipient(?: address)?|rcpt to|(?:unable to deliver |your )?message to|to)[ \t]*:[ \t]*{_ONE}"
    r"[ \t]*$)"
)
"""A line with only an address, with an address and a server's reply, or with a recipient."""
_ADDRESSED = re.compile(
    r"(?im)^[> \t]*(?:X-)?(?:Original-)?To:[^\n]{0,200}?([^\s<>@:;,\"]{1,128}@[^\s<>@:;,\"\\]{1,190})"
)
_BEGINS = re.compile(rf"[ \t\"]*{_ONE}")
_MESSAGE_ID = re.compile(r"(?im)^[> \t]*Message-ID:\s*<([^<>\s]{1,500})>")


def read_bounce(mail: Mail) -> Report:
    """Read a delivery report: its machine-readable fields first, then the texts of mail servers that send none."""
    failures = _real(_of_status(mail)) or _real(_of_words(mail))
    return Report(tuple(failures[:MAX_RECIPIENTS]), original_ids(mail))


def _real(failures: Iterable[Failure]) -> list[Failure]:
    """Return the failures whose recipient can be an address. Readers of text sometimes take other text for one."""
    return [failure for failure in failures if is_address(failure.recipient)]


def encloses_mail(mail: Mail) -> bool:
    """Return whether the mail has another one, or its headers, within it."""
    return next(_enclosed_mails(mail), None) is not None


def read_complaint(mail: Mail) -> Report:
    """Read a complaint. Its author is often removed from it; then the addresses are read from the enclosed mail."""
    failures = []
    for part in mail.parts:
        if part.get_content_type() == "message/feedback-report":
            # RFC 5965, 3.3; Removal-Recipient is older and still sent by some providers.
            for name in ("Original-Rcpt-To", "Removal-Recipient"):
                for _, address in addresses_in(" ".join(raw_headers(_fields(part), name))):
                    failures.append(Failure(address, Severity.HARD, "", "complaint"))
    if not failures:
        for message in _enclosed_mails(mail):
            for _, address in addresses_in(_recipient_address(message)):
                failures.append(Failure(address, Severity.HARD, "", "complaint"))
    return Report(tuple(dict.fromkeys(failures))[:MAX_RECIPIENTS], original_ids(mail))


def is_abuse(mail: Mail) -> bool:
    """Return whether a feedback report is a complaint. Some report that a mail is not spam."""
    kinds = {
        kind.lower()
        for part in mail.parts
        if part.get_content_type() == "message/feedback-report"
        for kind in raw_headers(_fields(part), "Feedback-Type")
    }
    # A report without a type is taken for a complaint: the careful reading costs one address.
    return not kinds or kinds != {"not-spam"}


def announces_delay(subject: str) -> bool:
    """Return whether a mail server's subject announces that it still tries to deliver a mail."""
    return _DELAYED.match(subject) is not None


def says_failure(text: str) -> bool:
    """Return whether the text has a server's code for a failure, or a statement that the mailbox doesn't exist."""
    return any(pattern.search(text) for pattern in (STATUS, _CODE)) or judge_refusal("", text) is not None


def original_ids(mail: Mail) -> tuple[str, ...]:
    """Return the Message-IDs of the mail that a report is about: of the enclosed mail, then of lines in the text."""
    ids = [id for message in _enclosed_mails(mail) for id in ids_in(message, "Message-ID")]
    ids += ids_in(mail.message, "X-Original-Message-ID")
    for part in mail.parts:
        if part.get_content_maintype() in ("text", "message"):
            ids += _MESSAGE_ID.findall(_words(part))
    return tuple(dict.fromkeys(ids))[:MAX_RECIPIENTS]


def _of_status(mail: Mail) -> Iterator[Failure]:
    """Yield the failures of the machine-readable part (RFC 3464)."""
    for part in mail.parts:
        if part.get_content_type() not in ("message/delivery-status", "message/global-delivery-status"):
            continue
        payload = part.get_payload()
        # Python parses delivery-status into blocks of headers, unless a transfer encoding hides them.
        blocks = payload if isinstance(payload, list) else _blocks(text_of(part))
        for block in blocks:
            if not isinstance(block, Message):
                continue
            values = {name: " ".join(raw_headers(block, name)) for name in _FIELDS}
            # The original first: after a forward the final one is an address that we have never written to.
            recipient = _recipient(values["Original-Recipient"]) or _recipient(values["Final-Recipient"])
            if recipient:
                # RFC 3464, 2.3.6: the type, such as smtp, comes before the text.
                said = values["Diagnostic-Code"].partition(";")[2].strip() or values["Diagnostic-Code"]
                yield _failure(
                    recipient, values["Action"].lower(), values["Status"], (said, *_texts_about(mail, recipient))
                )


def _recipient_address(message: Message) -> str:
    return " ".join(raw_headers(message, "To"))


_FIELDS = ("Original-Recipient", "Final-Recipient", "Action", "Status", "Diagnostic-Code")


def _blocks(text: str) -> list[Message]:
    return [message_from_string(block) for block in re.split(r"\n[ \t]*\n", text.strip())[:MAX_RECIPIENTS]]


def _recipient(value: str) -> str:
    # RFC 3464, 2.3.2: the type, such as rfc822, comes before the address.
    text = value.rpartition(";")[2].strip()
    return next((address for _, address in addresses_in(text)), "")


def _of_words(mail: Mail) -> Iterator[Failure]:
    """Yield the failures of a report without a machine-readable part."""
    text = "\n".join(_words(part) for part in mail.parts if part.get_content_maintype() in ("text", "message"))
    named = [
        address for value in raw_headers(mail.message, "X-Failed-Recipients") for _, address in addresses_in(value)
    ]
    temporary, permanent = _scan_addresses(mail)
    if not (named or temporary or permanent):
        # An address on a line of its own, else the recipient of the enclosed mail.
        alone = _LONE.finditer(_text_before_original(text))
        permanent = [next(filter(None, match.groups())).lower() for match in alone][:MAX_RECIPIENTS]
        permanent = (
            permanent
            or [
                address for message in _enclosed_mails(mail) for _, address in addresses_in(_recipient_address(message))
            ][:1]
        )
        permanent = permanent or [match[1].lower() for match in _ADDRESSED.finditer(text)][:1]
    for address in dict.fromkeys([*named, *permanent, *temporary]):
        said = _texts_about(mail, address)
        match = STATUS.search(said[0]) or STATUS.search(_text_before_original(text))
        # An address that is in both lists has failed for good: reports often quote the earlier delay.
        delayed = announces_delay(mail.subject) or (address in temporary and address not in permanent)
        action = "delayed" if delayed and address not in named else "failed"
        yield _failure(address, action, match[1] if match else "", said)


def _scan_addresses(mail: Mail) -> tuple[list[str], list[str]]:
    """Return the addresses that flufl.bounce finds, temporary and permanent failures apart."""
    try:
        lines = mail.message.as_bytes()[:MAX_SCANNED].split(b"\n")
        # The readers' expressions take quadratic time over long lines.
        failures = all_failures(message_from_bytes(b"\n".join(line for line in lines if len(line) < MAX_LINE_LENGTH)))
    except Exception:  # noqa: BLE001  its many readers trust what they read
        return [], []
    texts = (sorted(address.decode("ascii", "replace").lower() for address in addresses) for addresses in failures)
    temporary, permanent = ([address for address in some if addresses_in(address)] for some in texts)
    return temporary, permanent


def _texts_about(mail: Mail, address: str) -> tuple[str, str]:
    """Return the part of the report's text about the address, and the whole text."""
    text = "\n".join(
        _text_before_original(_words(part)) for part in mail.parts if part.get_content_maintype() == "text"
    )
    at = text.lower().find(address)
    begins = max(text.rfind("\n", 0, at), 0)
    about = _of_one(text[begins:][:_ABOUT], address) if at >= 0 else ""
    return " ".join(about.split()), " ".join(f"{text[:_MAX_TEXT_LENGTH]} {mail.subject}".split())


def _of_one(text: str, address: str) -> str:
    """Return the text up to a line that begins with another address."""
    lines = text.splitlines()
    others = (match for place, line in enumerate(lines) if (match := _BEGINS.match(line)) and place)
    other = next((candidate for candidate in others if candidate[1].lower() != address), None)
    return "\n".join(lines[: lines.index(other.string)]) if other else text


def _text_before_original(text: str) -> str:
    """Return the text up to the mail that it returns."""
    match = _ORIGINAL.search(text)
    return text[: match.start()] if match else text


def _failure(recipient: str, action: str, status: str, said: Sequence[str]) -> Failure:
    """Return the failure. `said`: the server's replies, the most reliable first."""
    text = next((reply for reply in said if reply), "")
    # The machine-readable field first; texts may quote codes of other recipients.
    match = STATUS.search(status) or STATUS.search(text)
    code = match[1] if match else ""
    return Failure(recipient[:254], severity_of(action, code, *said), code, text[:1000])


def severity_of(action: str, status: str, *said: str) -> Severity:
    """Judge a failure by its action (RFC 3464), its status (RFC 3463) and the server's replies, the most reliable
    first."""
    # A success that was asked for (RFC 3461) is no failure.
    if action in ("delayed", "delivered", "relayed", "expanded") or status.startswith("2."):
        return Severity.DELAYED
    judged = (judge_refusal(status, reply) for reply in said)
    # Nobody knows: a soft bounce has to come three times before it does harm.
    return next((severity for severity in judged if severity is not None), Severity.SOFT)


def _enclosed_mails(mail: Mail) -> Iterator[Message]:
    """Yield the mails, or their headers, that a report encloses."""
    for part in mail.parts:
        kind = part.get_content_type()
        payload = part.get_payload()
        if kind in ("message/rfc822", "message/global") and isinstance(payload, list):
            yield from (message for message in payload if isinstance(message, Message))
        elif kind in ("text/rfc822-headers", "message/rfc822-headers", "message/global-headers", "message/rfc822"):
            yield message_from_string(text_of(part).lstrip())


def _fields(part: Message) -> Message:
    """Return the fields of a part that consists of fields."""
    payload = part.get_payload()
    if isinstance(payload, list) and payload and isinstance(payload[0], Message):
        inner = payload[0]
        # Some servers put a blank line before the fields, so that they are the body of the part.
        return inner if inner.keys() else message_from_string(text_of(inner).lstrip())
    return message_from_string(text_of(part).lstrip())


def _words(part: Message) -> str:
    """Return the text of a part, also of an enclosed one."""
    payload = part.get_payload()
    if isinstance(payload, list):
        return "\n".join(text_of(message) for message in payload[:5] if isinstance(message, Message))[:MAX_TEXT]
    return text_of(part)
