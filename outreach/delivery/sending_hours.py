"""A company's sending hours."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import Company
from core.errors import ValidationFailed
from core.tenancy import company_id
from outreach.delivery.models import GenieSettings


def read_settings() -> dict[str, Any]:
    """Return the settings as the API shows them. Without settings, mail is sent at any hour."""
    found = GenieSettings.objects.first() or GenieSettings()
    return {
        "windowDays": found.window_days,
        "windowStart": found.window_start and f"{found.window_start:%H:%M}",
        "windowEnd": found.window_end and f"{found.window_end:%H:%M}",
        "recipientTimezone": found.recipient_timezone,
        "timezone": Company.objects.values_list("timezone", flat=True).get(pk=company_id()),
    }


@transaction.atomic
def change_settings(**values: Any) -> None:
    """Change the given settings. Raises ValidationFailed when only one of windowStart and windowEnd is set."""
    if "window_days" in values:
        values["window_days"] = sorted(set(values["window_days"]))
    found, _ = GenieSettings.objects.select_for_update(of=("self",)).get_or_create()
    for name, value in values.items():
        setattr(found, name, value)
    if (found.window_start is None) != (found.window_end is None):
        raise ValidationFailed(
            "windowStart and windowEnd go together", "windowStart, windowEnd: give both, or null for both"
        )
    found.save()
