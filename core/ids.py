"""ObjectIds: 24 hex characters, made in Python, sortable by their time of creation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeGuard

from bson import ObjectId
from django.db import models
from django.db.models.expressions import RawSQL

if TYPE_CHECKING:
    _CharField = models.CharField[Any, Any]
else:
    _CharField = models.CharField

PATTERN = re.compile(r"[0-9a-f]{24}", re.ASCII)


def new_id() -> str:
    """Make a new ObjectId."""
    return str(ObjectId())


def first_id(at: datetime) -> str:
    """Return the least ObjectId of this second. Older rows have smaller ids, so the primary key finds them."""
    return str(ObjectId.from_datetime(at))


def time_of(id: str) -> datetime:
    """Return the time at which the ObjectId was made, to the second."""
    return ObjectId(id).generation_time


def among(ids: Iterable[str]) -> RawSQL:
    """Return ids for a filter's `__in` as one parameter. Thousands as a parameter each take longer to write and to read
    than their rows."""
    return RawSQL("SELECT unnest(string_to_array(%s, ','))", (",".join(ids),))  # noqa: S611  constant SQL


def is_id(value: object) -> TypeGuard[str]:
    """Tell whether the value is a well-formed ObjectId string."""
    return isinstance(value, str) and PATTERN.fullmatch(value) is not None


class ObjectIdField(_CharField):
    """A primary key of 24 hex characters, compared byte by byte (docs/decisions/0003-ids.md)."""

    def __init__(self, **options: object) -> None:
        options.setdefault("max_length", 24)
        options.setdefault("db_collation", "C")
        options.setdefault("editable", False)
        super().__init__(**options)  # type: ignore[arg-type]
