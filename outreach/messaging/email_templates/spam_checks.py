"""Signs of spam in an email: SpamAssassin's points where it is installed, and checks of our own, with advice."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Company
from core.ids import new_id
from core.tenancy import company_id
from core.text.placeholders import PLACEHOLDER, parse_placeholder
from core.types import JsonObject
from outreach.connections.smtp.markup import text_from_html
from outreach.connections.smtp.message import OutgoingMail, build
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.rendering import Rendered

MAX_SECONDS = 20
MAX_SIZE = 102_000
"""Bytes of the HTML above which Gmail cuts an email."""
MIN_TEXT_LENGTH = 60
"""Characters of text below which an email with a picture counts as a picture alone."""
PROGRAMS = (("spamc", "-R"), ("spamassassin", "--local", "--test-mode", "--nocreate-prefs"))
"""The daemon's client answers at once; the program itself takes some seconds."""
SHORTENERS = frozenset(("bit.ly", "tinyurl.com", "t.co", "goo.gl", "ow.ly", "is.gd", "buff.ly", "rebrand.ly"))
_TOTAL = re.compile(r"Content analysis details:\s+\((-?\d+(?:\.\d+)?) points, (-?\d+(?:\.\d+)?) required\)")
_RULE = re.compile(r"^ {0,3}(-?\d+\.\d) ([A-Z][A-Z0-9_]+) +(\S.*)$", re.MULTILINE)
_LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_IMAGE = re.compile(r"<img\b[^>]*>")
_DOMAIN = re.compile(r"(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,24})(?:[/?#:].*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Sign:
    """A sign of spam, and what to do about it."""

    code: str
    text: str
    advice: str
    points: float | None = None
    """Given by SpamAssassin."""


@dataclass(frozen=True)
class Verdict:
    """The result of a check."""

    tool: str
    """spamassassin, or empty where it is not installed or does not answer."""
    score: float | None
    limit: float | None
    warnings: Sequence[Sign]

    def as_json(self) -> JsonObject:
        return asdict(self)


def check_mail(compiled: Compiled, mail: Rendered, subject: str, size: int) -> Verdict:
    """Check a mail. `subject` is the template's, with its placeholders; `size` the bytes of its page."""
    own = [sign for check in _CHECKS for sign in check(Checked(compiled, mail, subject, size))]
    report = _report_of(_message(mail))
    total = _TOTAL.search(report)
    if total is None:
        return Verdict("", None, None, own)
    rules = [
        Sign(name, text.strip(), _("Change the part of the email that the rule describes."), float(points))
        for points, name, text in _RULE.findall(report)
        if float(points) > 0
    ]
    return Verdict("spamassassin", float(total[1]), float(total[2]), [*own, *rules])


@dataclass(frozen=True)
class Checked:
    """An email and its template."""

    compiled: Compiled
    mail: Rendered
    subject: str
    size: int


def _message(mail: Rendered) -> bytes:
    """Return the mail as it would arrive from the company."""
    company = Company.objects.get(pk=company_id())
    address = company.email or "sender@example.com"
    outgoing = OutgoingMail(
        id=new_id(),
        from_name=company.name,
        from_email=address,
        to_email="reader@example.org",
        subject=mail.subject or "-",
        text=mail.text,
        html=mail.html or None,
        date=timezone.now(),
        unsubscribe_url="https://example.com/unsubscribe",
    )
    return build(outgoing)


def _report_of(message: bytes) -> str:
    """Return SpamAssassin's report; empty where it is not installed or gives none in time."""
    for name, *options in PROGRAMS:
        # Looked for at each check: an operator may install it without a restart.
        program = shutil.which(name)
        if program is None:
            continue
        try:
            run = subprocess.run(  # noqa: S603  the program and its options are fixed
                [program, *options], input=message, capture_output=True, check=False, timeout=MAX_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        report = run.stdout.decode("utf-8", "replace")
        if _TOTAL.search(report):
            return report
    return ""


def _shouting(checked: Checked) -> Iterator[Sign]:
    letters = [letter for letter in PLACEHOLDER.sub("", checked.subject) if letter.isalpha()]
    # Short subjects such as "FAQ" or "Q3 OKR" are no shouting.
    if len(letters) >= 8 and sum(letter.isupper() for letter in letters) > 0.7 * len(letters):
        yield Sign("capitals", _("The subject is in capital letters."), _("Write it in small letters."))
    if "!!" in checked.subject or checked.subject.count("!") > 2:
        yield Sign("marks", _("The subject has several exclamation marks."), _("Use one at most."))


def _pictures(checked: Checked) -> Iterator[Sign]:
    images = _IMAGE.findall(checked.mail.html)
    # Many readers block pictures, and filters distrust mails that have nothing else.
    if images and len(text_from_html(checked.mail.html)) < MIN_TEXT_LENGTH:
        yield Sign("imageOnly", _("The email is little more than a picture."), _("Add some sentences of text."))
    if any('alt=""' in image or "alt=" not in image for image in images):
        advice = _("Describe each picture in a few words.")
        yield Sign("noAlt", _("A picture has no description."), advice)


def _links(checked: Checked) -> Iterator[Sign]:
    links = [(html.unescape(address), text_from_html(words)) for address, words in _LINK.findall(checked.mail.html)]
    if any(_names_other_host(address, words) for address, words in links):
        text = _("The words of a link name another website than the link opens.")
        yield Sign("otherDomain", text, _("Name the website that the link opens, or use plain words."))
    if any(urlsplit(address).hostname in SHORTENERS for address, _words in links):
        text = _("A link goes through a service that shortens addresses.")
        yield Sign("shortener", text, _("Use the full address."))
    if any(address.lower().startswith("http://") for address, _words in links):
        yield Sign("notSecure", _("A link is not encrypted."), _("Use an address that begins with https://."))


def _names_other_host(address: str, words: str) -> bool:
    """Return whether the words of a link are the address of another website."""
    match = _DOMAIN.fullmatch(words.strip())
    host = (urlsplit(address).hostname or "").lower().removeprefix("www.")
    # Words that are no address say nothing about where the link leads.
    if match is None or not host:
        return False
    named = match[1].lower().removeprefix("www.")
    return not (host == named or host.endswith(f".{named}") or named.endswith(f".{host}"))


def _length(checked: Checked) -> Iterator[Sign]:
    if checked.size > MAX_SIZE:
        yield Sign("size", _("Gmail cuts emails of this size."), _("Shorten the email to less than 102 kB."))
    # Filters count a missing text part as a sign of bulk mail.
    if checked.mail.html and not checked.mail.text.strip():
        yield Sign("noText", _("The email has no text part."), _("Add a text block."))


def _fallbacks(checked: Checked) -> Iterator[Sign]:
    fields = [parse_placeholder(inner) for inner in PLACEHOLDER.findall(f"{checked.subject} {checked.compiled.text}")]
    bare = [field.name for field in fields if field.name == "contact.firstName" and not field.fallback]
    if bare:
        text = _("Contacts without a first name get an empty space.")
        yield Sign("noFallback", text, _("Insert the field with a fallback text."))


_CHECKS: tuple[Callable[[Checked], Iterator[Sign]], ...] = (_shouting, _pictures, _links, _length, _fallbacks)
