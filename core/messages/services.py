"""The ResponseMessage rows: cached for a few seconds, and seeded after each migrate."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.apps import AppConfig, apps
from django.apps.registry import Apps
from django.db import transaction
from django.utils import timezone

from core.ids import new_id
from core.messages.defaults import DEFAULTS

UNKNOWN = (500, "Something went wrong")
KEEP_SECONDS = 10.0
NEVER = float("-inf")

_kept: tuple[float, dict[str, tuple[int, str]]] = (NEVER, {})
"""The time of the last read, and the rows. It is replaced as a whole, since other threads read it."""


def message_for(name: str) -> tuple[int, str]:
    """Return the HTTP status and text of a named message; 500 'Something went wrong' for a name without a row."""
    global _kept
    read_at, rows = _kept
    if monotonic() - read_at > KEEP_SECONDS:
        messages = apps.get_model("core", "ResponseMessage")._default_manager.values_list("name", "status", "text")
        rows = {name: (status, text) for name, status, text in messages}
        _kept = monotonic(), rows
    return rows.get(name, UNKNOWN)


def forget() -> None:
    """Clear the cache, so that the next `message_for` reads the rows again."""
    global _kept
    _kept = NEVER, {}


def seed(app_config: AppConfig, using: str, apps: Apps = apps, **_: Any) -> None:
    """Write the defaults of this release into the rows (post_migrate receiver).

    A name without a row gets one. An unedited row takes a changed default. An edited row keeps its status and text, and
    only its stored default changes. A row without a stored default counts as edited if it differs from the current
    default. Rows of names without a default stay as they are.
    """
    if app_config.label != "core":
        return
    try:
        model: Any = apps.get_model("core", "ResponseMessage")
    except LookupError:
        return  # migrated back to before the table
    now = timezone.now()
    with transaction.atomic(using=using):
        manager = model._default_manager.using(using)
        rows, changed = list(manager.select_for_update()), []
        for row in rows:
            default, stored = DEFAULTS.get(row.name), (row.default_status, row.default_text)
            if default is None or default == stored:
                continue
            status, text = default
            if (row.status, row.text) == stored:
                row.status = status
                row.text = text
                row.updated_at = now
            row.default_status = status
            row.default_text = text
            changed.append(row)
        manager.bulk_update(changed, ("status", "text", "default_status", "default_text", "updated_at"))
        missing = sorted(DEFAULTS.keys() - {row.name for row in rows})
        # Two servers that migrate at the same time may both insert them.
        manager.bulk_create([_new(model, name) for name in missing], ignore_conflicts=True)
    forget()


def _new(model: Any, name: str) -> Any:
    status, text = DEFAULTS[name]
    return model(id=new_id(), name=name, status=status, text=text, default_status=status, default_text=text)
