"""A company's settings: created with it, read whole, changed in part."""

from __future__ import annotations

from typing import Protocol

from django.db import transaction
from django.utils import timezone

from accounts.companies.models import Company
from accounts.companies.services import change_unique_key, check_timezone
from accounts.settings.groups.background import MobileBackgroundShape
from accounts.settings.groups.base import merge
from accounts.settings.groups.chatbot import ManualChatbotShape
from accounts.settings.groups.notifications import NotificationSettings, check_templates
from accounts.settings.groups.subscription import SubscriptionPoliciesShape
from accounts.settings.groups.teams import TeamSettingsShape
from accounts.settings.models import CompanySettings
from core.errors import NamedError, ValidationFailed
from core.tenancy import company_id
from core.text.formats import is_currency
from core.text.labels.networks import NETWORKS
from core.types import JsonObject, Values

PLAIN = (
    *("currency", "date_format", "time_format", "app_name", "app_description", "app_version"),
    *("duplicate_leads", "lost_reason_required"),
)


class Nested(Protocol):
    """A nested setting, which fills missing keys with defaults."""

    @classmethod
    def fill(cls, stored: Values) -> JsonObject: ...


NESTED: dict[str, type[Nested]] = {
    "notification_settings": NotificationSettings,
    "mobile_background": MobileBackgroundShape,
    "team_settings": TeamSettingsShape,
    "subscription_policies": SubscriptionPoliciesShape,
    "manual_chatbot": ManualChatbotShape,
}


def make_settings() -> None:
    """Create the active company's settings if missing."""
    CompanySettings.objects.get_or_create(company_id=company_id())


def read_settings() -> JsonObject:
    """Return all settings of the active company, by model field and network. Raises SettingsNotFound_400."""
    row = CompanySettings.objects.select_related("company").first()
    if row is None:
        raise _settings_not_found()
    return {
        "id": row.pk,
        **{name: getattr(row, name) for name in (*PLAIN, "created_at", "updated_at")},
        "timezone": row.company.timezone,
        "contact_unique_key": row.company.contact_unique_key,
        **{network: row.links.get(network, "") for network in NETWORKS},
        **{name: shape.fill(getattr(row, name)) for name, shape in NESTED.items()},
    }


@transaction.atomic
def update_settings(*, changes: Values) -> None:
    """Change the given settings under the row's lock; nested settings are merged by key.

    Raises SettingsNotFound_400, InvalidTimezone_400, InvalidEmailTemplate_400, InvalidChatAppTemplate_400 and
    UniqueKeyInvalid_400. Raises ValidationFailed for an unknown currency.
    """
    # Nested settings are merged with the stored ones, so that two writers at once would lose one's keys.
    settings = CompanySettings.objects.select_for_update().first()
    if settings is None:
        raise _settings_not_found()
    currency = changes.get("currency")
    if currency is not None and not is_currency(currency):
        raise ValidationFailed(
            "currency must be the code of a currency in use, such as EUR",
            f"choose a currency, such as EUR; {currency} is not in use",
            field="currency",
        )
    for name in PLAIN:
        if name in changes:
            setattr(settings, name, changes[name])
    settings.links = {name: link for name in NETWORKS if (link := changes.get(name, settings.links.get(name)))}
    for name in NESTED:
        if name in changes:
            setattr(settings, name, merge(getattr(settings, name), changes[name]))
    if "notification_settings" in changes:
        check_templates(NotificationSettings.fill(settings.notification_settings))
    settings.save()
    # Last, since it locks the company and rewrites the keys of all contacts.
    if "contact_unique_key" in changes:
        change_unique_key(changes["contact_unique_key"])
    if "timezone" in changes:
        check_timezone(changes["timezone"])
        Company.objects.filter(pk=company_id()).update(timezone=changes["timezone"], updated_at=timezone.now())


def note_timezone_change() -> None:
    """Move the settings' time of change, since they show the company's time zone too."""
    CompanySettings.objects.update(updated_at=timezone.now())


def _settings_not_found() -> NamedError:
    return NamedError(
        "SettingsNotFound_400", "the company has no settings; `manage.py migrate` gives every company what it lacks"
    )
