"""Reads received mail: bytes from any source become a Mail, within limits and even if they are malformed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import compat32
from email.utils import getaddresses
from functools import cached_property

from core.text.charsets import is_charset
from outreach.connections.smtp.markup import sanitise_html, text_from_html
from outreach.connections.smtp.message import clean_line

MAX_BYTES = 5 * 1024 * 1024
MAX_HEADER_BYTES = 64 * 1024
MAX_HEADER = 4000
"""Characters of one header that are read."""
# Python's parser recurses and copies by part, so that a small hostile mail takes minutes.
MAX_PARTS = 60
"""A mail with more parts, or with parts nested so deep, is read by its headers alone."""
MAX_DASHES = 2000
"""Lines that begin as those between parts do."""
MAX_TEXT = 100_000
MAX_HTML = 50_000
MAX_BLOCKS = 5000
"""Blank lines of a report, each of which may begin a block."""
_PART = re.compile(rb"(?mi)^content-type[ \t]*:|boundary[ \t]*=")
_REPORT = re.compile(rb"(?i)message/(?:global-)?delivery-status")
_LINE_ENDS = re.compile(rb"\r\n|\r")
_IDS = re.compile(r"<([^<>\s]{1,500})>")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# Looser than RFC 5322 on purpose: what people and servers really write has to be found.
_ADDRESS = re.compile(r"[^\s@<>\"]{1,128}@[^\s@<>\"]{1,190}")


@dataclass(frozen=True)
class Mail:
    """A received mail. Texts have no null characters; headers that are missing are empty."""

    message: Message
    cut: bool = field(default=False)
    """The mail was too long or too deep to be read completely."""

    def header(self, name: str) -> str:
        """Return a header as people read it, on one line."""
        return read_header(self.message, name)

    def has(self, name: str) -> bool:
        return name in self.message

    @cached_property
    def sender(self) -> tuple[str, str]:
        """Name and address of who wrote it, the address in lower case."""
        return (self.people("From") or [("", "")])[0]

    @cached_property
    def subject(self) -> str:
        return self.header("Subject")[:998]

    @cached_property
    def message_id(self) -> str:
        return next(iter(ids_in(self.message, "Message-ID")), "")

    def people(self, *names: str) -> list[tuple[str, str]]:
        """Return (name, address) of the addresses in the headers; addresses in lower case."""
        return [pair for name in names for value in raw_headers(self.message, name) for pair in addresses_in(value)]

    @cached_property
    def parts(self) -> list[Message]:
        """Its parts, those of an enclosed mail left out."""
        return list(own_parts(self.message))

    def texts(self, subtype: str) -> Iterator[str]:
        """Yield the texts of the parts text/<subtype> that are no attachments."""
        for part in self.parts:
            # A multipart without parts, whose boundary is missing, is text.
            kind = "text/plain" if part.get_content_maintype() == "multipart" else part.get_content_type()
            if kind == f"text/{subtype}" and part.get_content_disposition() != "attachment":
                yield text_of(part)

    @cached_property
    def html(self) -> str:
        return next((text for text in self.texts("html") if text.strip()), "")[:MAX_HTML]

    @cached_property
    def text(self) -> str:
        """Return the mail's content as plain text: its text part, or the text of its HTML."""
        plain = next((text for text in self.texts("plain") if text.strip()), "")
        return plain or text_from_html(sanitise_html(self.html))[:MAX_TEXT]


def read_mail(raw: bytes) -> Mail:
    """Read a mail, however broken: bare line ends, unknown charsets, endless or deep parts. Never raises."""
    cut = len(raw) > MAX_BYTES
    # A blank line before the first header would make all headers part of the body.
    data = _LINE_ENDS.sub(b"\n", raw[:MAX_BYTES]).lstrip(b"\n")
    head, _, _ = data.partition(b"\n\n")
    # Counted before parsing, since the parser is what takes so long.
    many = data.count(b"\n--") > MAX_DASHES or sum(1 for _ in _PART.finditer(data)) > 4 * MAX_PARTS
    many = many or (_REPORT.search(data) is not None and data.count(b"\n\n") > MAX_BLOCKS)
    if many or len(head) > MAX_HEADER_BYTES:
        return _headers_only(head)
    try:
        # The newer policies raise errors, or lose text, over headers that spammers and old servers write.
        message = BytesParser(policy=compat32).parsebytes(data)
        parts = list(own_parts(message))
    # All that the parser has been seen to raise over broken mails; anything else is an error of ours.
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, AssertionError):
        return _headers_only(head)
    return _headers_only(head) if len(parts) > MAX_PARTS else Mail(message, cut)


def _headers_only(head: bytes) -> Mail:
    message = BytesHeaderParser(policy=compat32).parsebytes(head[:MAX_HEADER_BYTES] + b"\n\n")
    # What is said of parts would be looked for in a body that is not read.
    for name in ("Content-Type", "Content-Transfer-Encoding"):
        del message[name]
    message.set_payload("")
    return Mail(message, cut=True)


def own_parts(message: Message) -> Iterator[Message]:
    """Yield the parts that hold no others, without going into enclosed mails."""
    # A stack of our own instead of recursion, which a mail could drive too deep.
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(list(part.get_payload()))  # type: ignore[arg-type]
        else:
            yield part


def raw_headers(message: Message, name: str) -> list[str]:
    """Return the values of a header unchanged, each as one line."""
    lines = []
    # As they came: get_all() loses letters that are not encoded.
    values = [str(value) for header, value in message.raw_items() if header.lower() == name.lower()]
    # More headers of one name are an attempt to make us slow.
    for value in values[:20]:
        # Raw bytes beyond ASCII come as surrogates; most of them are UTF-8 without a label.
        text = value[:MAX_HEADER].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        lines.append(" ".join(text.split()))
    return lines


def read_header(message: Message, name: str) -> str:
    """Return the header's first value with its encoded words decoded."""
    values = raw_headers(message, name)
    return decode_words(values[0]) if values else ""


def decode_words(value: str) -> str:
    """Decode the encoded words (RFC 2047) of a header. Parts that can't be decoded stay unchanged."""
    if "=?" not in value:
        return clean_line(value)
    try:
        pieces = decode_header(value)
    except (ValueError, LookupError):  # broken base64 is a ValueError
        return clean_line(value)
    return clean_line("".join(_decode(part, charset) if isinstance(part, bytes) else part for part, charset in pieces))


def addresses_in(value: str) -> list[tuple[str, str]]:
    """Return (name, address) of each address in a header's value; addresses in lower case."""
    try:
        pairs = [(decode_words(name), address.strip().lower()) for name, address in getaddresses([value])]
    except (RecursionError, ValueError, IndexError):
        pairs = []
    kept = [(name[:300], address) for name, address in pairs if _ADDRESS.fullmatch(address)]
    # A header that the parser gives up on may still hold an address that can be read.
    return kept or [("", address.lower()) for address in _ADDRESS.findall(value)[:20]]


def ids_in(message: Message, name: str) -> list[str]:
    """Return the ids in a header such as References, without their brackets."""
    ids = [id for value in raw_headers(message, name) for id in _IDS.findall(value)]
    bare = " ".join(raw_headers(message, name)).strip()
    # Some programs write In-Reply-To without brackets, against RFC 5322.
    return ids or ([bare] if "@" in bare and " " not in bare else [])


def text_of(part: Message) -> str:
    """Return the text of a part, decoded as well as can be."""
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        payload = None
    if not isinstance(payload, bytes):
        return ""
    charset = part.get_content_charset()
    text = _decode(payload[: 4 * MAX_TEXT], charset)
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))[:MAX_TEXT]


def _decode(data: bytes, charset: str | None) -> str:
    try:
        # Python's codecs include zip and rot13, which no mail may call up by naming them as its charset.
        if is_charset(charset or "utf-8"):
            return data.decode(charset or "utf-8")
    except (LookupError, ValueError):
        pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # Every byte is a character there, nearly, and most mails without a proper label are Western.
        return data.decode("cp1252", "replace")
