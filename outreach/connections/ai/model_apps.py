"""Connected AI apps that call a model: their values checked, and their connection tested."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, cast
from urllib.parse import urlsplit

from django.utils import timezone

from core.api.output import to_snake_case
from core.errors import NamedError, ValidationFailed
from core.outbound import OutboundRefused, resolve_allowed
from core.types import JsonObject, Values
from outreach.connections.ai import services
from outreach.connections.ai.budgets import CompanyMeter
from outreach.connections.ai.models import AiApp, AiUsage
from outreach.connections.ai.providers.base import CompanyBrief, ComposeBrief, ContactBrief, ProductBrief, ProviderError
from outreach.connections.ai.providers.model import MODEL_SETTINGS, ModelProvider
from outreach.connections.connected_apps.registry import CONNECTED_APPS
from outreach.connections.connected_apps.turns import connection_test_slot

TEST_SECONDS = 20
"""A test answers in its request."""
TEST_BRIEF = ComposeBrief(
    contact=ContactBrief(name="Ada Example", fields={"City": "London"}),
    company=CompanyBrief(
        name="Example Gardens",
        description="We plan gardens on the roofs of offices.",
        products=(ProductBrief(name="Roof garden", description="A garden on your roof, planned in a week."),),
        sender_name="Sam",
    ),
    prompt="Invite them to our open day on Tuesday.",
)


@dataclass(frozen=True)
class AiTest:
    """A successful test: the model, and the message that it wrote."""

    model: str
    milliseconds: int
    subject: str
    text: str


def create_model_app(*, ai_type: str, member_id: str, **values: Any) -> AiApp:
    """Connect an app. Raises the errors of `services.create_ai_app`, and the type's InvalidAi…Configuration_400."""
    provider = _provider(ai_type)
    values = _validate(provider, values, None)
    if not values.get("api_key") and not (provider.keyless and values.get("base_url")):
        raise ValidationFailed("apiKey is required", "enter the key of the vendor", field="apiKey")
    if not values.get("selected_model"):
        if values.get("base_url"):
            raise ValidationFailed(
                "selectedModel is required", "enter the name of the model on your server", field="selectedModel"
            )
        values["selected_model"] = provider.default_model
    return services.create_ai_app(ai_type=ai_type, member_id=member_id, **values)


def update_model_app(*, ai_type: str, id: str, member_id: str, **values: Any) -> AiApp:
    """Change an app. An empty key leaves the stored one. Raises as `services.update_ai_app` and `create_model_app`."""
    provider = _provider(ai_type)
    current = services.apps_of(ai_type).filter(pk=id).first()
    if current is None:
        raise CONNECTED_APPS[ai_type].not_found()
    if not values.get("api_key"):
        values.pop("api_key", None)
    values = _validate(provider, values, current)
    if "selected_model" in values and not values["selected_model"]:
        values["selected_model"] = provider.default_model
    if any(name in values and values[name] != getattr(current, name) for name in ("base_url", "selected_model")):
        values["quirks"] = {}
    if {"api_key", "base_url", "selected_model", "model_settings"} & values.keys():
        values |= {"last_error": "", "last_error_at": None}
    return services.update_ai_app(ai_type=ai_type, id=id, member_id=member_id, **values)


def _provider(ai_type: str) -> type[ModelProvider]:
    return cast(type[ModelProvider], CONNECTED_APPS[ai_type].provider)


def _validate(provider: type[ModelProvider], values: Values, current: AiApp | None) -> JsonObject:
    """Return the values as they are stored."""
    stored = dict(values)
    key = stored.get("api_key", "")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValidationFailed(
            "apiKey is no key", "check the value: spaces and some characters are not allowed", field="apiKey"
        )
    if "base_url" in stored:
        stored["base_url"] = _base_url(provider, stored["base_url"])
    new_settings = stored.pop("model_settings", None)
    old_settings = dict(current.model_settings) if current is not None else {}
    if new_settings is not None or current is None:
        settings = MODEL_SETTINGS[provider.key]
        defaults = {name: setting.default for name, setting in settings.items()}
        sent = {
            name: new_settings[to_snake_case(name)]
            for name in settings
            if new_settings and to_snake_case(name) in new_settings
        }
        stored["model_settings"] = {**defaults, **old_settings, **sent}
    return stored


def _base_url(provider: type[ModelProvider], raw_url: str) -> str:
    """Return the address without the suffix that the format adds. Raises for an address that must not be reached."""
    text = raw_url.strip().rstrip("/").removesuffix("/chat/completions")
    if not text:
        return ""
    parts, port = urlsplit(""), 0
    with suppress(ValueError, KeyError):
        parts = urlsplit(text)
        default_port = {"http": 80, "https": 443}[parts.scheme]
        port = default_port if parts.port is None else parts.port
    if not port or not parts.hostname or not text.isprintable() or any(mark in text for mark in " @?#"):
        raise NamedError(provider.invalid, "enter an address like https://example.com/v1", field="baseUrl")
    try:
        addresses = resolve_allowed(parts.hostname, port)
    except OutboundRefused as refused:
        raise NamedError(provider.invalid, refused.detail, field="baseUrl") from None
    if parts.scheme == "http" and any(address.public for address in addresses):
        raise NamedError(provider.invalid, "enter an address that begins with https://", field="baseUrl")
    return text


def check_model_app(*, id: str, ai_type: str) -> AiTest:
    """Request a message to nobody from the model. Stores the error, if any, as `last_error`.

    Raises the provider's error under its name, and ConnectionTestRunning_429 while another test runs.
    """
    app = services.apps_of(ai_type).filter(pk=id).first()
    if app is None:
        raise CONNECTED_APPS[ai_type].not_found()
    app.timeout_seconds = min(app.timeout_seconds, TEST_SECONDS)
    rows, began = AiApp.objects.filter(pk=app.pk), monotonic()
    with connection_test_slot():
        try:
            draft = services.provider_for(app, CompanyMeter(app, AiUsage.Purpose.TEST)).compose(TEST_BRIEF)
        except ProviderError as error:
            rows.update(last_error=error.detail, last_error_at=timezone.now())
            raise services.provider_api_error(error) from None
    rows.update(last_error="", last_error_at=None)
    return AiTest(app.selected_model, round((monotonic() - began) * 1000), draft.subject, draft.text)
