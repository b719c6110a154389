"""The specs of data apps; each kind's module makes its own with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from core.api.output import Deleted
from core.api.selection import SelectionInput
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.data_apps import services
from outreach.connections.data_apps.filters import DATA_APP_FIELDS
from outreach.connections.data_apps.models import DataApp
from outreach.connections.data_apps.serializers import DataAppChange, DataAppCreate, DataAppOut, DataAppTestOut


def data_app(
    key: str,
    words: str,
    provider: type[Any],
    capability: Capability,
    *,
    paths: services.Paths,
    search: Callable[[DataApp, float], list[dict[str, str]]],
    sends: str,
) -> ConnectedApp:
    """Return the spec of a kind of data apps with the label `words`.

    `paths` are the values that its paths may lead to, `search` queries an app for a test, `sends` describes the data
    that it receives.
    """
    return ConnectedApp(
        key=key,
        model=DataApp,
        rows=partial(services.apps_of, key),
        fields=DATA_APP_FIELDS,
        output=DataAppOut,
        secrets=("api_key",),
        capabilities=frozenset({capability}),
        provider=provider,
        not_found=partial(services.not_found, key),
        list_summary=f"List {words}s",
        retrieve_summary=f"Read a {words}",
        create=AppOperation(
            summary=f"Connect a {words}",
            run=partial(services.create_data_app, kind=key, paths=paths),
            success="DataAppConnected_201",
            input=DataAppCreate,
            description=sends,
        ),
        update=AppOperation(
            summary=f"Change a {words}",
            run=partial(services.update_data_app, kind=key, paths=paths),
            success="DataAppChanged_200",
            input=DataAppChange,
        ),
        delete=AppOperation(
            summary=f"Delete {words}s",
            run=partial(services.delete_data_apps, kind=key),
            success="DataAppsDeleted_200",
            input=SelectionInput,
            output=Deleted,
            errors=("AppNotFound_400",),
            description="What it has found stays, with its name as the source.",
        ),
        nothing_selected="AppNotFound_400",
        test=AppOperation(
            summary=f"Test a {words}",
            run=partial(services.check_data_app, kind=key, search=search),
            success="DataAppTested_200",
            output=DataAppTestOut,
            errors=(BUSY,),
            description="Asks about somebody who is made up; nothing is stored. A failed test answers 200 with ok"
            " false.",
        ),
    )
