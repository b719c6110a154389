"""Connected AI apps: created, changed and chosen; and their providers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.members.models import Member
from core.access import entitlement, limited_creation, reserve_quota
from core.errors import NamedError, ValidationFailed
from core.hooks import Hook
from core.tenancy import company_id
from core.types import JsonObject
from outreach.connections.ai.budgets import CompanyMeter, plan_tokens
from outreach.connections.ai.models import AiApp, AiUsage
from outreach.connections.ai.providers import AiProvider, Meter, ProviderError
from outreach.connections.connected_apps.defaults import save_default
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE, Capability, apps_with

NOT_AVAILABLE = {"ai-a": "AiANotAvailableInPlan_400", "ai-b": "AiBNotAvailableInPlan_400"}
"""AI type of the contract -> the error for a company without such an app, or whose plan has no AI model."""
NO_DEFAULT = {"ai-a": "NoDefaultAiAConfiguration_400", "ai-b": "NoDefaultAiBConfiguration_400"}
"""AI type -> the error for a company whose apps of the type are all switched off."""
NONE_FOUND = {"ai-a": "NoAiAConfigurationFound_400", "ai-b": "AiBConfigurationNotFound_400"}
"""AI type -> the error for work that has begun and whose apps are gone or switched off since."""
NOT_FOUND = {"ai-a": "AiAConfigurationNotFound_400", "ai-b": "AiBConfigurationNotFound_400"}
"""AI type -> the error for an id that the company has no app of the type with."""
BUILT_IN, BUILT_IN_NAME = "ai-offline", "Built-in writer"
"""AI type and name of the writer that needs no account, which new companies have."""
ai_apps_changed: Hook[[], None] = Hook(
    __name__,
    "ai_apps_changed",
    "After the active company's AI apps or their caps have changed, in that transaction. Continues work that waits for"
    " them.",
)


def ai_types() -> list[str]:
    """Return the names that `aiType` may have."""
    return list(apps_with(Capability.COMPOSE))


def providers() -> dict[str, type[AiProvider]]:
    """Return the providers by their keys, as AI apps store them."""
    classes = [app.provider for app in apps_with(Capability.COMPOSE).values()]
    return {provider.key: provider for provider in classes if provider is not None}


def provider_class(key: str) -> type[AiProvider]:
    """Return the provider with this key. Raises ProviderError when there is none."""
    try:
        return providers()[key]
    except KeyError:
        keys = ", ".join(sorted(providers()))
        raise ProviderError(
            "unknown_provider", f"There is no AI provider {key[:60]!r}; there is: {keys}.", temporary=False
        ) from None


def provider_for(app: AiApp, meter: Meter | None = None) -> AiProvider:
    """Return the provider of an app. Raises ProviderError when there is none."""
    return provider_class(app.provider)(app, meter)


def provider_key(ai_type: str) -> str:
    """Return the key of an AI type's provider; empty for a type that cannot be connected yet."""
    app = CONNECTED_APPS.get(ai_type)
    return app.provider.key if app is not None and app.provider is not None else ""


def provider_of(ai_type: str, purpose: AiUsage.Purpose, run: Any = None) -> AiProvider:
    """Return the provider that does the work of an AI type now: that of its default app, else of its oldest.

    `run` is the run that the work belongs to, whose caps bind it. Without an active app the provider of a model is
    halted. Raises ProviderError for an unknown type.
    """
    kind = provider_class(provider_key(ai_type))
    # Runs keep the type and not the app, so that they go on when an app is replaced.
    apps = AiApp.objects.filter(provider=kind.key).order_by("-is_active", "-is_default", "created_at", "id")
    app = apps.first() or AiApp(provider=kind.key)
    provider = kind(app, CompanyMeter(app, purpose, run) if kind.calls_a_model else None)
    if kind.calls_a_model and (app.company_id is None or not app.is_active):
        detail = f"No {ai_type} app is active in this company any more."
        name = NONE_FOUND.get(ai_type, "AppNotFound_400")
        # Halted and not raised: messages from templates of the same run need no model.
        provider.halted = ProviderError("configuration", detail, temporary=True, name=name, halts=True)
    return provider


def provider_api_error(error: ProviderError) -> NamedError:
    """Return a provider's error as callers of the API see it."""
    return NamedError(error.name, error.detail, retry_after=error.retry_after)


def ai_type_of(app: AiApp) -> str:
    """Return the AI type of a company's app."""
    return type_of_provider(app.provider)


def type_of_provider(provider: str) -> str:
    """Return the AI type of the apps with a provider."""
    return next(key for key in apps_with(Capability.COMPOSE) if provider_key(key) == provider)


def apps_of(ai_type: str) -> QuerySet[AiApp]:
    """Return the active company's apps of an AI type."""
    return AiApp.objects.filter(provider=provider_key(ai_type) or "-")


def not_found(ai_type: str) -> NamedError:
    """Return the error for an id that belongs to no app of the type in the company."""
    name = NOT_FOUND.get(ai_type, "AppNotFound_400")
    return NamedError(name, f"there is no such {ai_type} app in this company", field="id")


@transaction.atomic
def create_ai_app(*, ai_type: str, member_id: str, **values: Any) -> AiApp:
    """Create an app. The company's first becomes its default. Raises PlanLimitExceeded_403 at the plan's limit."""
    reserve_quota(MODULE)
    if not AiApp.objects.filter(is_default=True).exists():
        values["is_default"] = True
    return _save(AiApp(provider=provider_key(ai_type), created_by_id=member_id), member_id, values)


def connect_writer() -> None:
    """Connect the built-in writer of a new company. Without an active plan, or one with room for it, do nothing."""
    owner = Member.objects.filter(status=Member.Status.OWNER).values_list("pk", flat=True).first()
    if owner is None:
        return
    try:
        allowed = entitlement(company_id())
        if allowed.modules is None or MODULE in allowed.modules:
            with limited_creation(allowed):
                create_ai_app(ai_type=BUILT_IN, member_id=owner, name=BUILT_IN_NAME)
    except NamedError:
        return


@transaction.atomic
def update_ai_app(*, ai_type: str, id: str, member_id: str, **values: Any) -> AiApp:
    """Change an app.

    Raises AppNotFound_400 for an id without an app of the type in the company. Raises ValidationFailed when the stored
    key would be sent to another place without being entered again.
    """
    return _save(CONNECTED_APPS[ai_type].record_to_change(id, values), member_id, values)


@transaction.atomic
def delete_ai_apps(*, ids: Sequence[str], ai_type: str, member_id: str) -> dict[str, int]:
    """Delete apps of the type. Their usage remains in the ledger.

    Runs of the type continue with another app of it, or wait if there is none. No other app becomes the default
    automatically. Raises `not_found` for none.
    """
    deleted, _ = apps_of(ai_type).filter(pk__in=ids).delete()
    if not deleted:
        text = f"none of them is an {ai_type} app of this company"
        raise NamedError(not_found(ai_type).name, text, field="ids")
    # Runs that wait for this app are planned again, now that it is gone.
    notify_apps_changed()
    return {"deletedCount": deleted}


def _save(app: AiApp, member_id: str, values: JsonObject) -> AiApp:
    """Save the values; a new default replaces the company's current one."""
    # Without a default, requests that name no type would fail from one moment to the next.
    if app.is_default and values.get("is_default") is False:
        raise ValidationFailed(
            "isDefault: a company has one default AI app", "make another app the default instead", field="isDefault"
        )
    for name, value in values.items():
        setattr(app, name, value)
    app.updated_by_id = member_id
    save_default(app)
    notify_apps_changed()
    return app


def notify_apps_changed() -> None:
    """Resume work that waits for the company's AI apps or caps."""
    ai_apps_changed.send()


def choose_ai_app(ai_type: str | None) -> AiApp:
    """Return the active app that composes: one of the given type, else the company's default.

    Raises InvalidAIType_400 for an unknown type. Raises NoDefaultAi…Configuration_400 if all apps of the type, or the
    default, are switched off, or if none is the default. Raises AiANotAvailableInPlan_400 or the type's own error
    without such an app, or if the plan has no AI model.
    """
    apps = AiApp.objects.filter(provider__in=providers()).order_by("-is_default", "created_at", "id")
    if ai_type:
        types = ai_types()
        if ai_type not in types:
            raise NamedError(
                "InvalidAIType_400", f"there is no {ai_type[:60]!r}; there is {', '.join(types)}", field="aiType"
            )
        apps = apps.filter(provider=provider_key(ai_type))
        app = apps.filter(is_active=True).first()
    else:
        app = _default(apps)
    if app is None:
        if ai_type in NO_DEFAULT and apps.exists():
            detail = f"every {ai_type} app of this company is switched off; switch one on, or leave aiType out"
            raise NamedError(NO_DEFAULT[ai_type], detail, field="aiType")
        name = NOT_AVAILABLE.get(ai_type or "", "AiANotAvailableInPlan_400")
        text = f"no {ai_type or 'AI'} app is active in this company"
        ways = " or ".join(f"POST /apps/{key}" for key in ([ai_type] if ai_type else ai_types()))
        raise NamedError(name, text, field="aiType", code="noWriter", operation=ways)
    # Refused when the work is started, and not message by message.
    if providers()[app.provider].calls_a_model and plan_tokens() == 0:
        name = NOT_AVAILABLE.get(ai_type_of(app), "AiANotAvailableInPlan_400")
        detail = "your plan has no AI model; choose ai-offline, or another plan"
        raise NamedError(name, detail, field="aiType", code="noModelInPlan")
    return app


def _default(apps: QuerySet[AiApp]) -> AiApp | None:
    """Return the company's default, or None where no app is active. No other one takes its place unasked."""
    app = apps.first()
    if app is None or not apps.filter(is_active=True).exists():
        return None
    if app.is_default and app.is_active:
        return app
    name = NO_DEFAULT.get(ai_type_of(app), NO_DEFAULT["ai-a"]) if app.is_default else NO_DEFAULT["ai-a"]
    detail = f"“{app.name}”, the default AI app, is switched off" if app.is_default else "no AI app is the default"
    way_out = "switch it on, make another app the default, or name a type"
    raise NamedError(name, f"{detail}; {way_out}", field="aiType", code="defaultAppOff")
