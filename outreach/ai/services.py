"""Connected AI apps. A kind is a path below /apps and the provider that writes; a new provider is one entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core.access import reserve_quota
from core.errors import NamedError
from outreach.ai.models import AiApp
from outreach.ai.providers import OfflineComposer


@dataclass(frozen=True)
class AiKind:
    """A kind of AI app: `provider` is its key in outreach.ai.providers.PROVIDERS (empty: none yet), `missing` the error without one."""

    provider: str
    missing: str = "AiANotAvailableInPlan_400"


KINDS: dict[str, AiKind] = {
    "ai-offline": AiKind(OfflineComposer.key),
    "ai-a": AiKind(""),
    "ai-b": AiKind("", "AiBNotAvailableInPlan_400"),
}
KIND_OF = {kind.provider: name for name, kind in KINDS.items() if kind.provider}
"""Provider key -> kind."""


def get_ai_app(kind: str, app_id: str) -> AiApp:
    """The company's app of the kind; AppNotFound_400 when there is none of this id."""
    found = AiApp.objects.filter(pk=app_id, provider=KINDS[kind].provider).first()
    if found is None:
        raise NamedError("AppNotFound_400", f"id: there is no such {kind} app in this company")
    return found


@transaction.atomic
def save_ai_app(*, kind: str, member_id: str, app_id: str | None = None, **values: Any) -> AiApp:
    """Create or change an app; a company's first is its default, and a new default takes the place of the old one.

    PlanLimitExceeded_403 for one more than the plan has room for.
    """
    if app_id is None:
        reserve_quota("apps")
    app = AiApp(provider=KINDS[kind].provider, created_by_id=member_id) if app_id is None else get_ai_app(kind, app_id)
    if app_id is None and not AiApp.objects.filter(is_default=True).exists():
        values["is_default"] = True
    if values.get("is_default"):
        AiApp.objects.filter(is_default=True).exclude(pk=app.pk).update(is_default=False)
    for name, value in values.items():
        setattr(app, name, value)
    app.updated_by_id = member_id
    app.save()
    return app


def choose_ai_app(ai_type: str | None) -> AiApp:
    """The active app that writes: of the kind asked for, else the company's default, else its oldest.

    InvalidAIType_400 for a kind that does not exist, AiANotAvailableInPlan_400 (of the kind's own name) when none is configured.
    """
    apps = AiApp.objects.filter(is_active=True).order_by("-is_default", "created_at", "id")
    if ai_type:
        if ai_type not in KINDS:
            raise NamedError("InvalidAIType_400", f"aiType: there is no {ai_type[:60]!r}; there is {', '.join(KINDS)}")
        apps = apps.filter(provider=KINDS[ai_type].provider or "-")
    found = apps.filter(provider__in=KIND_OF).first()
    if found is None:
        wanted = ai_type or "AI"
        missing = KINDS[ai_type].missing if ai_type else "AiANotAvailableInPlan_400"
        raise NamedError(
            missing,
            f"aiType: no {wanted} app is configured and active in this company; connect one with POST /apps/ai-offline",
        )
    return found
