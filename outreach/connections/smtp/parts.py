"""The parts of a message in bytes: texts, attachments, and the multipart containers around them (RFC 2045, 2046).

Every part is 7bit with lines of at most 76 characters, so that it passes any server unchanged, without 8BITMIME.
"""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import MIMEPart
from email.policy import SMTP
from functools import cached_property

_LINE = 76
_TOO_LONG = re.compile(rb"[^\n]{%d}" % (_LINE + 1))
_BLANK_AT_END = re.compile(rb"(?m)^([^\n]{74,75})(=20|=09)$")
"""b2a_qp quotes a blank at the end of a line without looking at the length of the line."""
_NOT_ASCII = bytes(range(128, 256))
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_UNFIT_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\]+")
_NAME_LENGTH = 255


@dataclass(frozen=True)
class Attachment:
    """A file that goes with a message. Its part is made once, for however many messages carry it."""

    name: str
    content_type: str
    content: bytes

    @cached_property
    def part(self) -> bytes:
        """The whole part. An invalid type becomes application/octet-stream, as does a mail within the mail."""
        kind = self.content_type.lower()
        # RFC 2046, 5.2.1: message/rfc822 cannot be in base64, so a mail within the mail would be sent raw,
        # with its own boundaries.
        if not _TYPE.fullmatch(kind) or kind.startswith(("multipart/", "message/")):
            kind = "application/octet-stream"
        name = _UNFIT_NAME.sub(" ", self.name).strip()[:_NAME_LENGTH] or "file"
        # The standard library is used here: names beyond ASCII (RFC 2231) are hard, and a part is made once
        # for many mails.
        part = MIMEPart(policy=SMTP)
        part.set_content(self.content, *kind.split("/"), disposition="attachment", filename=name)
        return part.as_bytes().rstrip(b"\r\n") + b"\r\n"


def text_part(subtype: str, text: str) -> bytes:
    """Return a part with the text (lines end with LF) in its shortest encoding."""
    data = text.encode("utf-8")
    if data.isascii() and not _TOO_LONG.search(data):
        encoding, content = b"7bit", data.replace(b"\n", b"\r\n")
    # A byte beyond ASCII takes three characters in quoted-printable, so from one in six on base64 is shorter.
    elif 6 * (len(data) - len(data.translate(None, _NOT_ASCII))) > len(data):
        encoding, content = b"base64", encodebytes(data).replace(b"\n", b"\r\n")
    else:
        quoted = b2a_qp(data, istext=True)
        if b"=20" in quoted or b"=09" in quoted:
            # RFC 2045, 6.7 (5): 76 characters a line. Servers may break longer ones where they like.
            quoted = _BLANK_AT_END.sub(rb"\1=\n\2", quoted)
        encoding, content = b"quoted-printable", quoted.replace(b"\n", b"\r\n")
    return b'Content-Type: text/%s; charset="utf-8"\r\nContent-Transfer-Encoding: %s\r\n\r\n%s' % (
        subtype.encode("ascii"),
        encoding,
        content,
    )


def multipart(subtype: str, boundary: str, parts: Iterable[bytes]) -> bytes:
    """Return the parts as one."""
    line = b"--" + boundary.encode("ascii")
    # The line end before a boundary belongs to the boundary (RFC 2046, 5.1.1), not to the part.
    inside = b"".join(b"%s\r\n%s\r\n" % (line, part) for part in parts)
    head = f'Content-Type: multipart/{subtype};\r\n boundary="{boundary}"\r\n\r\n'
    return b"%s%s%s--\r\n" % (head.encode("ascii"), inside, line)
