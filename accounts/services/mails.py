"""The service's own mails: a row in the transaction of what they tell of, sent by a worker."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string

from accounts.branding import brand_of
from accounts.models import Mail
from core.jobs import wake
from core.tenancy import unscoped


def queue_mail(kind: str, *, to: str, context: dict[str, Any], company_id: str | None = None) -> Mail:
    """Write the mail of templates/mails/<kind>.{subject.txt,txt,html} down to be sent; `company_id` says whose look it has."""
    context = {**context, "brand": brand_of(company_id)}
    with unscoped(reason="mails: one may be for a person who belongs to no company"):
        mail = Mail.objects.create(
            company_id=company_id,
            kind=kind,
            to=to,
            subject=" ".join(render_to_string(f"mails/{kind}.subject.txt", context).split())[:300],
            text=render_to_string(f"mails/{kind}.txt", context),
            html=render_to_string(f"mails/{kind}.html", context),
        )
    wake("mails")
    return mail
