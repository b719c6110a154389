"""Connected data apps: created, changed, deleted; their values checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError, ValidationFailed, shorten
from core.outbound import OutboundRefused, checked_url
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.data_apps.models import DataApp
from outreach.connections.data_apps.paths import is_path
from outreach.connections.data_apps.transport import DataAppError

MAX_FIELDS = 50
TEST_SECONDS = 12
"""A test answers in its request."""
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
OURS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding"}
)
"""Headers that a key must not take the place of."""


@dataclass(frozen=True)
class DataAppTest:
    """A connection test: the number of results, and the values of the first one by the app's paths."""

    ok: bool
    milliseconds: int
    found: int
    first: dict[str, str]
    detail: str = ""


@dataclass(frozen=True)
class Paths:
    """The fields that the paths of a kind of apps refer to."""

    known: Callable[[], Collection[str]]
    one_of: tuple[str, ...] = ()
    """Fields of which at least one is required, because a response without any is useless."""


def apps_of(kind: str) -> QuerySet[DataApp]:
    """Return the active company's data apps of a kind."""
    return DataApp.objects.filter(kind=kind)


def not_found(kind: str) -> NamedError:
    """Return the error for an id that belongs to no app of the kind in the company."""
    return NamedError("AppNotFound_400", f"there is no such {kind} app in this company", field="id")


def create_data_app(*, kind: str, paths: Paths, member_id: str, **values: Any) -> DataApp:
    """Connect an app. Raises ValidationFailed and PlanLimitExceeded_403."""
    values = _validate(values, paths)
    with transaction.atomic():
        reserve_quota(MODULE)
        app: DataApp = DataApp.objects.create(kind=kind, created_by_id=member_id, updated_by_id=member_id, **values)
    return app


def update_data_app(*, kind: str, paths: Paths, id: str, member_id: str, **values: Any) -> DataApp:
    """Change an app. An empty key leaves the stored one, as long as its address stays.

    Raises AppNotFound_400, and ValidationFailed for another address without the key.
    """
    if not values.get("api_key"):
        values.pop("api_key", None)
    values = _validate(values, paths)
    with transaction.atomic():
        app: DataApp = CONNECTED_APPS[kind].record_to_change(id, values)
        for name, value in values.items():
            setattr(app, name, value)
        if {"url", "header_name", "api_key", "method"} & values.keys():
            app.last_error = ""
            app.last_error_at = None
        app.updated_by_id = member_id
        app.save()
    return app


@transaction.atomic
def delete_data_apps(*, kind: str, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete apps. Their results keep the apps' names. Raises AppNotFound_400 when none of the ids exists."""
    deleted, _ = apps_of(kind).filter(pk__in=ids).delete()
    if not deleted:
        raise NamedError("AppNotFound_400", f"none of the selected {kind} apps exists in this company")
    return {"deletedCount": deleted}


def check_data_app(*, kind: str, id: str, search: Callable[[DataApp, float], list[dict[str, str]]]) -> DataAppTest:
    """Query the app for an invented person, by `search`. Stores the error, if any, as `last_error`.

    Raises ConnectionTestRunning_429 while another test runs.
    """
    app = apps_of(kind).filter(pk=id).first()
    if app is None:
        raise not_found(kind)
    with connection_test_slot():
        began = monotonic()
        detail = ""
        records = list[dict[str, str]]()
        try:
            records = search(app, TEST_SECONDS)
        except DataAppError as error:
            detail = error.detail
        spent = round((monotonic() - began) * 1000)
    record_error(app, detail)
    return DataAppTest(not detail, spent, len(records), records[0] if records else {}, detail)


def record_error(app: DataApp, detail: str) -> None:
    """Store the last error; an empty detail removes it."""
    if detail or app.last_error:
        now = timezone.now()
        DataApp.objects.filter(pk=app.pk).update(
            last_error=detail, last_error_at=now if detail else None, updated_at=now
        )


def _validate(raw_values: Values, paths: Paths) -> JsonObject:
    """Return the values as they are stored. Raises ValidationFailed."""
    values = dict(raw_values)
    if "url" in values:
        values["url"] = _checked_url(values["url"].strip())
    header = values.get("header_name", "")
    if header and (not _HEADER.fullmatch(header) or header.lower() in OURS):
        raise ValidationFailed(
            "headerName is no header for a key", "enter a header such as X-Api-Key or Authorization", field="headerName"
        )
    key = values.get("api_key", "")
    if not (key.isascii() and key.isprintable()) or key != key.strip():
        raise ValidationFailed(
            "apiKey is no key", "check the value: spaces and some characters are not allowed", field="apiKey"
        )
    if not is_path(values.get("result_path", "")):
        raise ValidationFailed("resultPath is no path", "enter a path such as data.people", field="resultPath")
    if "field_paths" in values:
        _check_paths(values["field_paths"], paths)
    return values


def _check_paths(field_paths: Values, paths: Paths) -> None:
    names = paths.known()
    for name, path in field_paths.items():
        where = f"fieldPaths.{shorten(name, 40)}"
        if name not in names:
            raise ValidationFailed(f"{where} is unknown", f"there is {', '.join(sorted(names)[:60])}", field=where)
        if not isinstance(path, str) or not path or len(path) > 200 or not is_path(path):
            raise ValidationFailed(f"{where} is no path", "enter a path such as emails.0.address", field=where)
    if len(field_paths) > MAX_FIELDS:
        raise ValidationFailed("fieldPaths are too many", f"at most {MAX_FIELDS}", field="fieldPaths")
    if not field_paths.keys() & set(paths.one_of or field_paths):
        needed = " or ".join(paths.one_of) or "at least one field"
        raise ValidationFailed("fieldPaths says too little", f"a path of {needed} is needed", field="fieldPaths")


def _checked_url(url: str) -> str:
    """Return the address. Raises ValidationFailed for one that must not be reached."""
    try:
        return checked_url(url)
    except OutboundRefused as refused:
        raise ValidationFailed("url is refused", refused.detail, field="url") from None
