"""The service's own mails: saved in the transaction of their cause, sent by a worker (accounts.mails.worker)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.utils import timezone
from django.utils.translation import override

from accounts.mails.links import page_link
from accounts.mails.models import Mail
from accounts.settings.branding import Brand, mail_brand_of, served_company
from accounts.settings.formats import formats_of
from accounts.templatetags.branding import BLANK
from core.jobs import notify_workers
from core.tenancy import unscoped
from core.text.direction import strip_direction_marks
from core.types import JsonObject


@dataclass(frozen=True, slots=True)
class Letter:
    """One recipient of a mail: the address, the template's context, and an iCalendar file or None.

    The file follows RFC 5545 and names its METHOD.
    """

    to: str
    context: JsonObject
    calendar: str | None = None


_TEXT: JsonObject = {"layout": "mails/base.txt", "button": "mails/button.txt", "html": False}
_HTML: JsonObject = {"layout": "mails/base.html", "button": "mails/button.html", "html": True}
"""Both forms of a mail have one template of words; these name the parts around them."""


def queue_mail(kind: str, *, to: str, context: JsonObject, company_id: str | None = None) -> Mail:
    """Queue the mail of templates/mails/<kind>.{subject.txt,txt} in the branding and formats of the company."""
    [mail] = queue_mails(kind, [Letter(to, context)], company_id=company_id)
    return mail


def queue_mails(kind: str, letters: Sequence[Letter], *, company_id: str | None = None) -> list[Mail]:
    """Queue a mail for each recipient, with as many queries as for one."""
    if not letters:
        return []
    # Who asks for a new password at a company's own host gets the mail in its brand.
    brand = mail_brand_of(company_id or served_company() or None)
    look = {"brand": brand, "base_url": settings.BASE_URL, "formats": formats_of(company_id)}
    mails = []
    for letter in letters:
        subject, text, html = render_mail(kind, {**letter.context, **look}, company_id=company_id)
        text, html = at_own_host(text, brand), at_own_host(html, brand)
        mails.append(
            Mail(
                company_id=company_id,
                kind=kind,
                to=letter.to,
                subject=subject,
                text=text,
                html=html,
                calendar=letter.calendar,
            )
        )
    with unscoped(reason="mails: one may be for a person who belongs to no company"):
        # In the transaction of the cause: no mail about what was rolled back,
        # and none lost that was committed.
        Mail.objects.bulk_create(mails)
    notify_workers("mails")
    return mails


def at_own_host(content: str, brand: Brand) -> str:
    """Replace the links of a mail with those of the host of the company's own pages, if it has one."""
    base = brand.look.base_url
    return content.replace(f"{settings.BASE_URL}/", f"{base}/") if base else content


def render_mail(kind: str, context: JsonObject, *, company_id: str | None = None) -> tuple[str, str, str]:
    """Render a kind of mail. Returns its subject, text and HTML; values are escaped in the HTML only."""
    with _language():
        subject = _subject(kind, context)
        values = {**context, "subject": subject, "page": page_link(kind, company_id, context)}
        text = _render(f"mails/{kind}.txt", {**values, **_TEXT}, escaped=False)
        html = _render(f"mails/{kind}.txt", {**values, **_HTML}, escaped=True)
    return subject, BLANK.sub("\n\n", text).strip() + "\n", html


def render_subject(kind: str, context: JsonObject, *, company_id: str | None) -> str:
    """Render the subject of a kind of mail alone, in the formats of the company."""
    with _language():
        return _subject(kind, {**context, "formats": formats_of(company_id)})


def _language() -> AbstractContextManager[None]:
    """Return a context in the service's language: the one who causes a mail is rarely the one who reads it."""
    return override(settings.LANGUAGE_CODE)


def _subject(kind: str, context: JsonObject) -> str:
    # A line break in a header would let a name add headers of its own (header injection).
    return " ".join(_render(f"mails/{kind}.subject.txt", context, escaped=False).split())[:300]


def _render(name: str, context: JsonObject, *, escaped: bool) -> str:
    # Django escapes in every template, whatever its suffix; plain text switches it off.
    text = get_template(name).template.render(Context(context, autoescape=escaped))  # type: ignore[attr-defined]
    return strip_direction_marks(text)


def send_again(*, mail_id: str) -> bool:
    """Queue a failed mail again. Returns False for any other."""
    with unscoped(reason="mails: one may be for a person who belongs to no company"):
        # Only failed ones: a mail that is queued or on its way would be sent twice.
        failed = Mail.objects.filter(pk=mail_id, status=Mail.Status.FAILED)
        changed = failed.update(
            status=Mail.Status.QUEUED,
            attempts=0,
            deaths=0,
            lease=None,
            error="",
            due_at=timezone.now(),
            updated_at=timezone.now(),
        )
    if changed:
        notify_workers("mails")
    return bool(changed)
