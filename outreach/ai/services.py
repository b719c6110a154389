"""Connected AI apps: created, changed and chosen; and the providers behind them."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from core.access import reserve_quota
from core.errors import NamedError
from outreach.ai.models import AiApp
from outreach.ai.providers import AiProvider, ProviderError
from outreach.connected_apps.registry import CONNECTED_APPS, MODULE, Capability, apps_with

NOT_AVAILABLE = {"ai-a": "AiANotAvailableInPlan_400", "ai-b": "AiBNotAvailableInPlan_400"}
"""AI types of the contract, which need not be connectable yet -> the error for a company without such an app."""


def ai_types() -> list[str]:
    """Return the names that `aiType` may have."""
    return list(dict.fromkeys((*apps_with(Capability.COMPOSE), *NOT_AVAILABLE)))


def providers() -> dict[str, type[AiProvider]]:
    """Return the providers by their keys, as AI apps store them."""
    found = [app.provider for app in apps_with(Capability.COMPOSE).values()]
    return {provider.key: provider for provider in found if provider is not None}


def get_provider(key: str) -> AiProvider:
    """Return the provider with this key. Raises ProviderError when there is none."""
    try:
        return providers()[key]()
    except KeyError:
        known = ", ".join(sorted(providers()))
        raise ProviderError(
            "unknown_provider", f"There is no AI provider {key[:60]!r}; there is: {known}.", temporary=False
        ) from None


def provider_key(ai_type: str) -> str:
    """Return the key of the provider behind an AI type; empty for a type that cannot be connected yet."""
    app = CONNECTED_APPS.get(ai_type)
    return app.provider.key if app is not None and app.provider is not None else ""


def provider_of(ai_type: str) -> AiProvider:
    """Return the provider behind an AI type. Raises ProviderError when there is none."""
    return get_provider(provider_key(ai_type))


def ai_type_of(app: AiApp) -> str:
    """Return the AI type of a company's app."""
    return next(key for key in apps_with(Capability.COMPOSE) if provider_key(key) == app.provider)


def apps_of(ai_type: str) -> QuerySet[AiApp]:
    """Return the active company's apps of an AI type."""
    return AiApp.objects.filter(provider=provider_key(ai_type) or "-")


def not_found(ai_type: str) -> tuple[str, str]:
    """Return error name and detail for an id that the company has no app of the type with."""
    return "AppNotFound_400", f"id: there is no such {ai_type} app in this company"


@transaction.atomic
def create_ai_app(*, ai_type: str, member_id: str, **values: Any) -> AiApp:
    """Create an app. The company's first becomes its default. Raises PlanLimitExceeded_403 at the plan's limit."""
    reserve_quota(MODULE)
    if not AiApp.objects.filter(is_default=True).exists():
        values["is_default"] = True
    return _save(AiApp(provider=provider_key(ai_type), created_by_id=member_id), member_id, values)


@transaction.atomic
def update_ai_app(*, ai_type: str, id: str, member_id: str, **values: Any) -> AiApp:
    """Change an app.

    Raises AppNotFound_400 for an id that the company has no app of the type with, and ValidationFailed when the stored
    key would go to another place without being given again.
    """
    return _save(CONNECTED_APPS[ai_type].record_to_change(id, values), member_id, values)


def _save(app: AiApp, member_id: str, values: dict[str, Any]) -> AiApp:
    """Save the values; a new default replaces the company's current one."""
    if values.get("is_default"):
        AiApp.objects.filter(is_default=True).exclude(pk=app.pk).update(is_default=False)
    for name, value in values.items():
        setattr(app, name, value)
    app.updated_by_id = member_id
    app.save()
    return app


def choose_ai_app(ai_type: str | None) -> AiApp:
    """Return the active app that composes: one of the given type, else the company's default, else its oldest.

    Raises InvalidAIType_400 for an unknown type, and AiANotAvailableInPlan_400 or the type's own error when no such app
    is active.
    """
    apps = AiApp.objects.filter(is_active=True).order_by("-is_default", "created_at", "id")
    if ai_type:
        known = ai_types()
        if ai_type not in known:
            raise NamedError("InvalidAIType_400", f"aiType: there is no {ai_type[:60]!r}; there is {', '.join(known)}")
        apps = apps.filter(provider=provider_key(ai_type) or "-")
    found = apps.filter(provider__in=providers()).first()
    if found is None:
        raise NamedError(NOT_AVAILABLE.get(ai_type or "", "AiANotAvailableInPlan_400"), _way_out(ai_type))
    return found


def _way_out(ai_type: str | None) -> str:
    """Say what gives the company an app that composes, where it has no active one of the type."""
    connectable = list(apps_with(Capability.COMPOSE))
    ways = " or ".join(f"POST /apps/{key}" for key in connectable)
    if ai_type in connectable:
        return f"aiType: no {ai_type} app is active in this company; connect one with POST /apps/{ai_type}"
    if not ai_type:
        return f"aiType: no AI app is active in this company; connect one with {ways}"
    active = set(AiApp.objects.filter(is_active=True).values_list("provider", flat=True))
    others = ", ".join(key for key in connectable if provider_key(key) in active)
    if others:
        return f"aiType: {ai_type} cannot be connected to this service; send {others}, or leave aiType out"
    return f"aiType: {ai_type} cannot be connected to this service; connect an app with {ways} and leave aiType out"
