"""A company's settings for runs: sending hours, how long approvals hold, language."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Company
from core.errors import ValidationFailed
from core.jobs import notify_workers
from core.tenancy import company_id
from outreach.ai.languages import language_name
from outreach.delivery.deciding.reasons import Reason
from outreach.delivery.limits.quotas import KEYS
from outreach.delivery.models import SendJob
from outreach.delivery.settings.models import GenieSettings
from outreach.mail_vendors.registry import VENDORS


def read_settings() -> dict[str, Any]:
    """Return the settings as the API shows them. Without settings, mail is sent at any hour."""
    found = GenieSettings.objects.first() or GenieSettings()
    return {
        "windowDays": found.window_days,
        "windowStart": found.window_start and f"{found.window_start:%H:%M}",
        "windowEnd": found.window_end and f"{found.window_end:%H:%M}",
        "recipientTimezone": found.recipient_timezone,
        "approvalDays": found.approval_days,
        "inboxDays": found.inbox_days,
        "bouncePercent": found.bounce_percent,
        "complaintPercent": found.complaint_percent,
        "guardFrom": found.guard_from,
        "trackOpens": found.track_opens,
        "trackClicks": found.track_clicks,
        "providerLimits": {key: found.provider_limits.get(key) for key in KEYS},
        "vendorLimits": {key: found.vendor_limits.get(key) for key in VENDORS},
        "language": found.language,
        "languageName": language_name(found.language),
        "timezone": Company.objects.values_list("timezone", flat=True).get(pk=company_id()),
    }


def company_language() -> str:
    """Return the code of the active company's language; "" for none."""
    return GenieSettings.objects.values_list("language", flat=True).first() or ""


@transaction.atomic
def change_settings(**values: Any) -> None:
    """Change the given settings. Messages that wait for the former hours or limits are checked again.

    Raises ValidationFailed when only one of windowStart and windowEnd is set, when they are the same, and for a day
    that is named twice.
    """
    if "window_days" in values:
        if len(set(values["window_days"])) < len(values["window_days"]):
            raise ValidationFailed("windowDays names a day twice", "windowDays: name each day once")
        values["window_days"] = sorted(values["window_days"])
    for name in ("provider_limits", "vendor_limits"):
        if name in values:
            values[name] = {key: limit for key, limit in values[name].items() if limit}
    found, _ = GenieSettings.objects.select_for_update(of=("self",)).get_or_create()
    for name, value in values.items():
        setattr(found, name, value)
    if (found.window_start is None) != (found.window_end is None):
        raise ValidationFailed(
            "windowStart and windowEnd go together", "windowStart, windowEnd: give both, or null for both"
        )
    if {"window_start", "window_end"} & values.keys() and found.window_start and found.window_start == found.window_end:
        raise ValidationFailed(
            "windowEnd is windowStart", "windowEnd: is the same as windowStart; give null for both to send all day"
        )
    found.save()
    held = (Reason.OUTSIDE_WINDOW, Reason.LIMIT_DOMAIN, Reason.LIMIT_VENDOR)
    waiting = SendJob.objects.filter(status=SendJob.Status.APPROVED, reason__in=held)
    if waiting.update(due_at=timezone.now()):
        notify_workers("send")
