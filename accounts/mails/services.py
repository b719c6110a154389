"""The service's own mails: saved in the transaction of their cause, sent by a worker (accounts.mails.worker)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.utils import timezone

from accounts.mails.links import page_link
from accounts.mails.models import Mail
from accounts.settings.branding import Brand, mail_brand_of, served_company
from accounts.settings.formats import formats_of
from core.jobs import notify_workers
from core.tenancy import unscoped
from core.text.direction import without_turns
from core.types import JsonObject


@dataclass(frozen=True, slots=True)
class Letter:
    """One recipient of a mail: the address, the template's context, and an iCalendar file or None.

    The file follows RFC 5545 and names its METHOD.
    """

    to: str
    context: JsonObject
    calendar: str | None = None


def queue_mail(kind: str, *, to: str, context: JsonObject, company_id: str | None = None) -> Mail:
    """Queue the mail of templates/mails/<kind>.{subject.txt,txt,html} in the branding and formats of the company."""
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
        subject, text, html = render_mail(
            kind, {**letter.context, **look, "page": page_link(kind, company_id, letter.context)}
        )
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


def render_mail(kind: str, context: JsonObject) -> tuple[str, str, str]:
    """Render a kind of mail. Returns its subject, text and HTML; values are escaped in the HTML only."""
    # A line break in a header would let a name add headers of its own (header injection).
    subject = " ".join(_render(f"mails/{kind}.subject.txt", context, escaped=False).split())[:300]
    text = re.sub(r"\n{3,}", "\n\n", _render(f"mails/{kind}.txt", context, escaped=False)).strip() + "\n"
    return subject, text, _render(f"mails/{kind}.html", context, escaped=True)


def render_subject(kind: str, context: JsonObject, *, company_id: str | None) -> str:
    """Render the subject of a kind of mail alone, in the formats of the company."""
    shown = {**context, "formats": formats_of(company_id)}
    return " ".join(_render(f"mails/{kind}.subject.txt", shown, escaped=False).split())[:300]


def _render(name: str, context: JsonObject, *, escaped: bool) -> str:
    # Django escapes in every template, whatever its suffix; plain text switches it off.
    text = get_template(name).template.render(Context(context, autoescape=escaped))  # type: ignore[attr-defined]
    return without_turns(text)


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
