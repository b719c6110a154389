"""Endpoints of connected apps (contract 4.12): one ViewSet per app, built from its spec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Any, ClassVar

from django.db.models import QuerySet, Value
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import MODULE, AppOperation, ConnectedApp


def rows_for(app: ConnectedApp, actor: Actor | None) -> QuerySet[Any]:
    """Return the app's rows, each with `by_changer`: whether the actor may change apps.

    Such an actor may also see the values that allow others to write to the apps.
    """
    changes = actor is not None and not actor.visiting and actor.may(MODULE, "PUT")
    rows: QuerySet[Any] = app.rows().annotate(by_changer=Value(changes))
    return rows


class AppViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the ViewSets of all connected apps; `app_viewset` declares the actions that an app has."""

    module = MODULE
    app: ClassVar[ConnectedApp]

    def read(self, id: str) -> JsonObject:
        record = self.app.output.one(rows_for(self.app, self.actor).filter(pk=id))
        if record is None:
            raise self.app.not_found()
        return record

    def answer_create(self, request: Request, data: JsonObject) -> Any:
        record = self.read(self.app.create.run(member_id=self.actor.member_id, **data).pk)
        return self.success(record, **connection_warning(record))

    def answer_retrieve(self, request: Request, id: str) -> Any:
        return self.read(id)

    def answer_update(self, request: Request, id: str, data: JsonObject) -> Any:
        self.app.update.run(id=id, member_id=self.actor.member_id, **data)
        changed = self.read(id)
        return self.success(changed, **(connection_warning(changed) if changed.get("verified") is False else {}))

    def answer_delete(self, request: Request, data: JsonObject) -> Any:
        ids = list(self.selection().apply(self.app.rows()).values_list("pk", flat=True))
        return self.app.delete.run(ids=ids, member_id=self.actor.member_id)  # type: ignore[union-attr]

    def answer_test(self, request: Request, id: str) -> Any:
        return asdict(self.app.test.run(id=id))  # type: ignore[union-attr]


def connection_warning(app: Values) -> dict[str, str]:
    """Return the warning of an app that is saved, and whose connection has failed."""
    failed = app.get("lastError") and not app.get("verified")
    return {"warning": f"saved, but not connected: {app['lastError']}"} if failed else {}


@cache
def app_viewset(app: ConnectedApp) -> type[AppViewSet]:
    """Return the ViewSet of an app, with the operations that its spec has."""
    missing = (app.not_found().name,)
    answers: JsonObject = {
        "app": app,
        "listing": Listing(app.list_summary, lambda request: rows_for(app, request.caller), app.fields, app.output),
        "retrieve": endpoint(app.retrieve_summary, output=app.output, errors=missing)(AppViewSet.answer_retrieve),
        "create": _declare(app, app.create, AppViewSet.answer_create, quota_module=MODULE),
        "update": _declare(app, app.update, AppViewSet.answer_update, errors=missing),
    }
    if app.delete is not None:
        if app.nothing_selected:
            answers["nothing_selected"] = app.nothing_selected
        answers["bulk_destroy"] = _declare(app, app.delete, AppViewSet.answer_delete, bulk=True)
    if app.test is not None:
        test = _declare(app, app.test, AppViewSet.answer_test, errors=missing)
        test.__name__ = "test"
        answers["test"] = action(detail=True, methods=["post"])(test)
    name = "".join(part.title() for part in app.key.split("-"))
    return type(f"{name}AppViewSet", (AppViewSet,), {"__module__": __name__, **answers})


def _declare(
    app: ConnectedApp,
    operation: AppOperation,
    answer: Callable[..., Any],
    *,
    errors: tuple[str, ...] = (),
    quota_module: str = "",
    bulk: bool = False,
) -> Callable[..., Any]:
    return endpoint(
        operation.summary,
        input=operation.input,
        output=operation.output or app.output,
        success=operation.success,
        errors=(*errors, *operation.errors),
        description=operation.description,
        quota_module=quota_module,
        bulk=bulk,
    )(answer)
