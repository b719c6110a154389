"""The providers of video links."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from core.errors import NamedError
from crm.meetings.models import VideoSettings
from crm.meetings.providers.base import VideoProvider
from crm.meetings.providers.link_template import LinkTemplate

PROVIDERS: dict[str, VideoProvider] = {}
"""Key -> provider, in the order of registration."""


def register_provider(provider: VideoProvider) -> None:
    """Register the provider of video links for meetings."""
    if provider.key in PROVIDERS:
        raise ImproperlyConfigured(f"two providers of video links have the key {provider.key}")
    PROVIDERS[provider.key] = provider


def provider_of(key: str, organizer: str) -> VideoProvider:
    """Return the provider, which has links for the member's (id) meetings. Raises InvalidInput_400."""
    provider = PROVIDERS.get(key)
    if provider is None:
        raise NamedError("InvalidInput_400", f"choose {' or '.join(PROVIDERS)}", field="videoProvider")
    if refusal := provider.refusal(organizer, VideoSettings.objects.first() or VideoSettings()):
        raise NamedError("InvalidInput_400", refusal, field="videoProvider", code="noVideoProvider")
    return provider


register_provider(LinkTemplate())
