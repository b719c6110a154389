"""Settings for the links of the company's video calls."""

from __future__ import annotations

from django.db import transaction

from core.errors import NamedError
from core.types import JsonObject
from crm.meetings.models import VideoSettings
from crm.meetings.providers.link_template import check_template
from crm.meetings.providers.registry import PROVIDERS


def read_settings(member_id: str) -> JsonObject:
    """Return the settings, and the providers, each with the reason why the member cannot use it."""
    video_settings = VideoSettings.objects.first() or VideoSettings()
    return {
        "linkTemplate": video_settings.link_template,
        "provider": video_settings.provider,
        "providers": [
            {"key": provider.key, "name": provider.name, "trouble": provider.refusal(member_id, video_settings)}
            for provider in PROVIDERS.values()
        ],
        "updatedAt": video_settings.updated_at,
    }


@transaction.atomic
def change_settings(*, member_id: str, link_template: str | None = None, provider: str | None = None) -> None:
    """Change the given settings. Raises ValidationFailed for an invalid template, InvalidInput_400."""
    values: JsonObject = {"updated_by_id": member_id}
    if link_template is not None:
        values["link_template"] = check_template(link_template.strip())
    if provider is not None:
        if provider and provider not in PROVIDERS:
            raise NamedError("InvalidInput_400", f"choose {' or '.join(PROVIDERS)}", field="provider")
        if provider and (lacks := PROVIDERS[provider].lacks()):
            raise NamedError("InvalidInput_400", lacks, field="provider")
        values["provider"] = provider
    VideoSettings.objects.update_or_create(defaults=values)
