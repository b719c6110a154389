"""Builds the bytes of a message: headers, a text part, an HTML part and an unsubscribe link.

It writes headers and parts itself, since email.message takes a millisecond for each message. When email.message folds,
it encodes long URLs, which breaks List-Unsubscribe. In some releases of Python it loses quotes in long names.
"""

import datetime as dt
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import format_datetime
from functools import lru_cache

import idna

from outreach.connections.smtp.headers import encode_header
from outreach.connections.smtp.markup import CONTROL_IN_TEXT, html_from_text, page_of, sanitise_html
from outreach.connections.smtp.parts import Attachment, multipart, text_part

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Direction overrides can make a name or a subject read backwards, and pretend another address.
_OVERRIDES = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_UNFIT_ADDRESS = re.compile(r"[\x00-\x20\x7f<>,;:\\\"()]")
# RFC 5322, 3.2.3: atoms with spaces need no quotes.
_PHRASE = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
# Mail programs show less than a third of it.
_SUBJECT_LENGTH = 200
_NAME_LENGTH = 100
_LIST_ID_LENGTH = 255


class InvalidMail(ValueError):
    """A message that can't be built; the text names the invalid part."""


UNSUBSCRIBE = "Unsubscribe from these messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMail:
    """One message to one recipient. The Message-ID is derived from `id`, the id of its row."""

    id: str
    from_name: str
    from_email: str
    to_email: str
    subject: str
    text: str
    date: dt.datetime  # aware
    to_name: str = ""
    html: str | None = None  # made from the text when absent
    reply_to: str | None = None
    references: tuple[str, ...] = ()  # Message-IDs of the messages before it in the thread, the oldest first
    thread_id: str = ""  # of the messages before it, as the mail vendor calls it
    unsubscribe_url: str | None = None
    unsubscribe_label: str = UNSUBSCRIBE
    list_id: str = ""  # the company's id, by which mail programs and filters know its messages (RFC 2919)
    list_name: str = ""
    bulk: bool = False
    attachments: Sequence[Attachment] = ()


def build(mail: OutgoingMail) -> bytes:
    """Build the whole message with CRLF line ends. The same mail always gives the same bytes. Raises InvalidMail."""
    # The Date header needs an offset (RFC 5322, 3.3); a guessed one would be wrong for half of the year.
    if mail.date.tzinfo is None:
        raise InvalidMail("date: it needs a time zone.")
    subject = subject_line(mail)
    lines = [
        f"From: {_mailbox(mail.from_name, mail.from_email, 'from_email', 6)}",
        f"To: {_mailbox(mail.to_name, mail.to_email, 'to_email', 4)}",
        f"Subject: {encode_header(subject, 9)}",
        f"Date: {format_datetime(mail.date)}",
        # Given here, or the server makes one up that no reply could be matched to.
        f"Message-ID: {message_id(mail.id, mail.from_email)}",
    ]
    if mail.reply_to:
        lines.append(f"Reply-To: {_mailbox('', mail.reply_to, 'reply_to', 10)}")
    lines += [f"{name}: {value}" for name, value in thread_headers(mail, "\r\n ").items()]
    head = "".join(f"{line}\r\n" for line in lines)
    text, page = bodies(mail)
    # The boundaries come from the id and are not random, so that building again gives the same bytes.
    body = multipart("alternative", f"=_{mail.id}_=", (text_part("plain", text), text_part("html", page)))
    # mixed around alternative, or programs would offer the file as another form of the text (RFC 2046,
    # 5.1.4).
    if mail.attachments:
        body = multipart("mixed", f"=_{mail.id}_+=", (body, *(attachment.part for attachment in mail.attachments)))
    # UTF-8 only where a local part is beyond ASCII; everything else was encoded above.
    return b"%sMIME-Version: 1.0\r\n%s" % (head.encode("utf-8"), body)


def subject_line(mail: OutgoingMail) -> str:
    """Return the subject as it is sent. Raises InvalidMail for a message without subject or text."""
    subject = clean_line(mail.subject)[:_SUBJECT_LENGTH].strip()
    if not subject or not mail.text.strip():
        raise InvalidMail("subject and text can't be empty.")
    return subject


def thread_headers(mail: OutgoingMail, fold: str = " ") -> dict[str, str]:
    """Return the headers of the thread, of the list, of unsubscribing and of bulk mail."""
    headers: dict[str, str] = {}
    if mail.references:
        # RFC 5322, 3.6.4. Mail programs differ in which of both they thread by, so both are there.
        headers["In-Reply-To"] = mail.references[-1]
        headers["References"] = fold.join(mail.references)
    if list_id := _list_id(mail, fold):
        headers["List-Id"] = list_id
    if mail.unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{_checked_url(mail.unsubscribe_url)}>"
        if mail.unsubscribe_url.startswith("https:"):  # RFC 8058 allows one-click unsubscribing over https alone
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # RFC 3834, 2: automatic responders may leave such mails without an answer.
    if mail.bulk:
        headers["Precedence"] = "bulk"
    return headers


def _list_id(mail: OutgoingMail, fold: str) -> str:
    """Return `Name <id.domain of the sender>`; empty without an id, or where that would be too long (RFC 2919)."""
    domain = _ascii_address(mail.from_email, "from_email").rpartition("@")[2]
    list_id = f"{mail.list_id}.{domain}"
    if not mail.list_id or len(list_id) > _LIST_ID_LENGTH:
        # RFC 2919, 3: at most 255 characters. No header is better than one that filters cannot read.
        return ""
    if not re.fullmatch(r"[A-Za-z0-9._-]+", list_id):
        raise InvalidMail("list_id: it can't stand in a List-Id.")
    name = _phrase(mail.list_name, len("List-Id: "))
    return f"{name} <{list_id}>".lstrip().replace("\r\n ", fold)


def message_id(row_id: str, from_email: str) -> str:
    """Return the Message-ID of a row. It never changes, so that replies and bounces can be matched to the row."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", row_id):
        raise InvalidMail("id: it can't stand in a Message-ID.")
    return f"<{row_id}@{_ascii_address(from_email, 'from_email').rpartition('@')[2]}>"


def clean_line(value: str) -> str:
    """Return a value on one line: no line breaks, controls or direction overrides, and single spaces."""
    # Half of a surrogate pair, from a cut JSON text, cannot be encoded.
    text = _OVERRIDES.sub("", value.encode("utf-8", "ignore").decode("utf-8"))
    return " ".join(_CONTROL.sub(" ", text).split())


def bodies(mail: OutgoingMail) -> tuple[str, str]:
    """Return the text and the HTML page of a message, with its unsubscribe link."""
    text = CONTROL_IN_TEXT.sub("", mail.text.replace("\r\n", "\n").replace("\r", "\n")).rstrip() + "\n"
    rich = sanitise_html(mail.html) if mail.html and mail.html.strip() else html_from_text(text)
    if mail.unsubscribe_url:
        text, rich = with_unsubscribe(text, rich, mail.unsubscribe_url, mail.unsubscribe_label)
    return text, page_of(rich, subject_line(mail))


def with_unsubscribe(text: str, rich: str, url: str, label: str = UNSUBSCRIBE) -> tuple[str, str]:
    """Return a text that ends its last line, and its HTML, with a link to unsubscribe below them."""
    label = clean_line(label)
    link = f'<a href="{html.escape(url)}" style="color:#6b7280">{html.escape(label)}</a>'
    footer = f'\n<p style="margin:2em 0 0;font-size:12px;color:#6b7280" dir="auto">{link}</p>'
    # RFC 3676, 4.3: what follows "-- " is a signature, so replies do not quote the link.
    return f"{text}\n-- \n{label}: {url}\n", f"{rich}{footer}"


@lru_cache(maxsize=1000)  # the same sender for many messages
def _mailbox(name: str, address: str, part: str, used: int) -> str:
    """Return `Name <address>` for a header; `used` is the length of the header's own name."""
    address = _ascii_address(address, part)
    shown = _phrase(name, used)
    return f"{shown} <{address}>" if shown else address


def _phrase(name: str, used: int) -> str:
    """Return a name as a header writes it: as it is, quoted, or as encoded words; empty without a name."""
    name = clean_line(name)[:_NAME_LENGTH].strip()
    if not name.isascii():
        return encode_header(name, used)
    # A name that looks like an encoded word would be decoded by the recipient's program.
    if not name or (_PHRASE.fullmatch(name) and "=?" not in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _ascii_address(address: str, part: str) -> str:
    """Return an address with its domain in ASCII. A non-ASCII local part stays, and the message needs SMTPUTF8."""
    local, _at, domain = address.rpartition("@")
    try:
        # A quoted local part may contain @, but no mailbox that people write to does; mostly it is a typing
        # error.
        if not local or not domain or _UNFIT_ADDRESS.search(address) or "@" in local or len(address) > 254:
            raise ValueError
        return f"{local}@{domain if domain.isascii() else idna.encode(domain, uts46=True).decode('ascii')}"
    except (ValueError, idna.IDNAError):
        raise InvalidMail(f"{part}: it is no email address.") from None


def _checked_url(url: str) -> str:
    # No angle bracket or blank, which would end the address in List-Unsubscribe (RFC 2369); and under 998
    # characters, where RFC 5322, 2.1.1, ends a line.
    if not re.fullmatch(r"https?://[!-;=?-~]{1,900}", url):
        raise InvalidMail("unsubscribe_url: it must be an http or https address in ASCII, at most 900 long.")
    return url
