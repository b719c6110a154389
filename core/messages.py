"""Named messages: the ResponseMessage rows, kept in memory for a few seconds so that an edit shows everywhere soon."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.apps import AppConfig

from core.catalogue import CATALOGUE
from core.ids import new_id

UNKNOWN = (500, "Something went wrong")
KEEP_SECONDS = 10.0

_rows: dict[str, tuple[int, str]] = {}
_read_at = float("-inf")


def resolve(name: str) -> tuple[int, str]:
    """HTTP status and text of a named message; 500 'Something went wrong' for a name without a row."""
    global _read_at
    if monotonic() - _read_at > KEEP_SECONDS:
        from core.models import ResponseMessage

        rows = {name: (status, text) for name, status, text in ResponseMessage.objects.values_list("name", "status", "text")}
        _rows.clear()
        _rows.update(rows)
        _read_at = monotonic()
    return _rows.get(name, UNKNOWN)


def forget() -> None:
    """Read the rows again at the next look-up."""
    global _read_at
    _read_at = float("-inf")


def seed(app_config: AppConfig, using: str, **_: Any) -> None:
    """post_migrate receiver: names of the catalogue that have no row get one; rows that an operator has edited stay as they are."""
    from core.models import ResponseMessage

    if app_config.label != "core":
        return
    rows = ResponseMessage.objects.using(using)
    missing = CATALOGUE.keys() - set(rows.values_list("name", flat=True))
    rows.bulk_create(
        [ResponseMessage(id=new_id(), name=name, status=CATALOGUE[name][0], text=CATALOGUE[name][1]) for name in sorted(missing)],
        ignore_conflicts=True,
    )
    forget()
