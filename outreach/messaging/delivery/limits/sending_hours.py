"""A company's settings for runs: sending hours, how long approvals hold, language."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Company
from core.errors import ValidationFailed
from core.jobs import notify_workers
from core.tenancy import company_id
from core.types import JsonObject
from outreach.connections.ai.languages import language_name
from outreach.connections.mail_vendors.registry import VENDORS
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.limits.quotas import KEYS
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.settings.models import GenieSettings


def read_settings() -> JsonObject:
    """Return the settings as the API shows them. Without settings, mail is sent at any hour."""
    settings = GenieSettings.objects.first() or GenieSettings()
    return {
        "windowDays": settings.window_days,
        "windowStart": settings.window_start and f"{settings.window_start:%H:%M}",
        "windowEnd": settings.window_end and f"{settings.window_end:%H:%M}",
        "recipientTimezone": settings.recipient_timezone,
        "approvalDays": settings.approval_days,
        "inboxDays": settings.inbox_days,
        "bouncePercent": settings.bounce_percent,
        "complaintPercent": settings.complaint_percent,
        "guardFrom": settings.guard_from,
        "trackOpens": settings.track_opens,
        "trackClicks": settings.track_clicks,
        "utmTags": settings.utm_tags,
        "utmSource": settings.utm_source,
        "utmMedium": settings.utm_medium,
        "personalUnsubscribe": settings.personal_unsubscribe,
        "providerLimits": {key: settings.provider_limits.get(key) for key in KEYS},
        "vendorLimits": {key: settings.vendor_limits.get(key) for key in VENDORS},
        "language": settings.language,
        "languageName": language_name(settings.language),
        "timezone": Company.objects.values_list("timezone", flat=True).get(pk=company_id()),
        "updatedAt": settings.updated_at,
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
            raise ValidationFailed("windowDays names a day twice", "choose each day once", field="windowDays")
        values["window_days"] = sorted(values["window_days"])
    for name in ("provider_limits", "vendor_limits"):
        if name in values:
            # Null and 0 both mean "no limit", which is stored as no entry.
            values[name] = {key: limit for key, limit in values[name].items() if limit}
    # Two members who change different settings at the same time both keep theirs.
    settings, _ = GenieSettings.objects.select_for_update(of=("self",)).get_or_create()
    for name, value in values.items():
        setattr(settings, name, value)
    if (settings.window_start is None) != (settings.window_end is None):
        raise ValidationFailed(
            "windowStart and windowEnd go together",
            "enter both times, or leave both empty",
            field=("windowStart", "windowEnd"),
        )
    if (
        {"window_start", "window_end"} & values.keys()
        and settings.window_start
        and settings.window_start == settings.window_end
    ):
        raise ValidationFailed(
            "windowEnd is windowStart", "enter another end; leave both empty to send all day", field="windowEnd"
        )
    settings.save()
    # Their times were reckoned by the former settings, and may be days away.
    held = (Reason.OUTSIDE_WINDOW, Reason.LIMIT_DOMAIN, Reason.LIMIT_VENDOR)
    waiting = SendJob.objects.filter(status=SendJob.Status.APPROVED, reason__in=held)
    if waiting.update(due_at=timezone.now()):
        notify_workers("send")
