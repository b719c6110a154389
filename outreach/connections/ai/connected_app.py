"""The specs of AI apps; each provider's module makes its own with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from core.api.input import Input
from core.api.output import Deleted, Output
from core.api.selection import SelectionInput
from outreach.connections.ai import model_apps, services
from outreach.connections.ai.filters import AI_FIELDS
from outreach.connections.ai.models import AiApp
from outreach.connections.ai.providers.base import AiProvider
from outreach.connections.ai.serializers import (
    AiAChange,
    AiACreate,
    AiAOut,
    AiAppChange,
    AiAppCreate,
    AiAppOut,
    AiBChange,
    AiBCreate,
    AiBOut,
    AiTestOut,
)
from outreach.connections.connected_apps.defaults import CHOSEN
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY

if TYPE_CHECKING:
    from outreach.connections.ai.providers.model import ModelProvider

FORMS: dict[str, tuple[type[Input], type[Input], type[Output]]] = {
    "ai-a": (AiACreate, AiAChange, AiAOut),
    "ai-b": (AiBCreate, AiBChange, AiBOut),
}
"""App of a model -> its form to create it, its form to change it, and its answer."""


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
    errors: tuple[str, ...] = (),
) -> ConnectedApp:
    """Return the spec of the AI app that lets a company use the provider. `errors` are those of its values."""
    return ConnectedApp(
        key=key,
        model=AiApp,
        rows=partial(services.apps_of, key),
        fields=AI_FIELDS,
        output=output,
        secrets=("api_key",),
        capabilities=frozenset({Capability.COMPOSE}),
        provider=provider,
        not_found=partial(services.not_found, key),
        list_summary="List AI apps of the kind",
        retrieve_summary="Read an AI app",
        create=AppOperation(
            summary="Connect an AI app of the kind",
            run=partial(create, ai_type=key),
            success="AiAppConnected_201",
            input=create_input,
            errors=(*errors, CHOSEN),
        ),
        update=AppOperation(
            summary="Change an AI app",
            run=partial(update, ai_type=key),
            success="AiAppChanged_200",
            input=update_input,
            errors=(*errors, CHOSEN),
        ),
        delete=AppOperation(
            summary="Delete AI apps of the kind",
            run=partial(services.delete_ai_apps, ai_type=key),
            success="AiAppsDeleted_200",
            input=SelectionInput,
            output=Deleted,
            errors=(services.not_found(key).name,),
            description="What they have used stays in GET /ai-usage. Runs name a kind: theirs go on with another active"
            " app of the kind, and their messages wait while there is none. After the default no other app becomes it"
            " by itself: what names no aiType is refused (NoDefaultAi…Configuration_400) until one is.",
        ),
        nothing_selected=services.not_found(key).name,
        test=test,
    )


def model_app(key: str, provider: type[ModelProvider]) -> ConnectedApp:
    """Return the spec of an AI app that calls a model."""
    create_input, update_input, output = FORMS[key]
    return ai_app(
        key,
        provider,
        create=model_apps.create_model_app,
        update=model_apps.update_model_app,
        create_input=create_input,
        update_input=update_input,
        output=output,
        errors=(provider.invalid,),
        test=AppOperation(
            summary="Test an AI app",
            run=partial(model_apps.check_model_app, ai_type=key),
            success="AiAppTested_200",
            output=AiTestOut,
            errors=(
                BUSY,
                provider.invalid,
                "AIUsageLimitReached_429",
                "AIModelBusy_429",
                "AIResponseParsingFailed_500",
                "AIResponseValidationFailed_500",
            ),
            description="Has the model write a short message to nobody, with the app's key, model and settings. It"
            " takes a few hundred tokens, which count. An app that does not work answers with the error, whose"
            " `warning` says why: a key, a model or an address that is wrong is a 400; a server that is down, too slow"
            " or answers nothing usable is a 500.",
        ),
    )
