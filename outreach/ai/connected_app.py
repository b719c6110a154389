"""The spec of an AI app; each provider's module makes its own with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from core.api.input import Input
from core.api.output import Output
from outreach.ai import services
from outreach.ai.filters import AI_FIELDS
from outreach.ai.models import AiApp
from outreach.ai.providers.base import AiProvider
from outreach.ai.serializers import AiAppChange, AiAppCreate, AiAppOut
from outreach.connected_apps.registry import AppOperation, Capability, ConnectedApp


def ai_app(
    key: str,
    provider: type[AiProvider],
    *,
    create: Callable[..., AiApp] = services.create_ai_app,
    update: Callable[..., AiApp] = services.update_ai_app,
    create_input: type[Input] = AiAppCreate,
    update_input: type[Input] = AiAppChange,
    output: type[Output] = AiAppOut,
    test: AppOperation | None = None,
) -> ConnectedApp:
    """Return the spec of the AI app that lets a company use the provider."""
    return ConnectedApp(
        key=key,
        model=AiApp,
        rows=partial(services.apps_of, key),
        fields=AI_FIELDS,
        output=output,
        secrets=("api_key",),
        capabilities=frozenset({Capability.COMPOSE}),
        provider=provider,
        not_found=services.not_found(key),
        list_summary="List AI apps of the kind",
        retrieve_summary="Read an AI app",
        create=AppOperation(
            summary="Connect an AI app of the kind",
            run=partial(create, ai_type=key),
            success="AiAppConnected_201",
            input=create_input,
        ),
        update=AppOperation(
            summary="Change an AI app",
            run=partial(update, ai_type=key),
            success="AiAppChanged_200",
            input=update_input,
        ),
        test=test,
    )
