"""ObjectIds: 24 hex characters, made in Python, sortable by their time of creation."""

from __future__ import annotations

import re
from datetime import datetime

from bson import ObjectId
from django.db import models

PATTERN = re.compile(r"[0-9a-f]{24}", re.ASCII)


def new_id() -> str:
    """A fresh ObjectId."""
    return str(ObjectId())


def first_id(at: datetime) -> str:
    """The least ObjectId of this second: rows made before have smaller ids, which finds the old ones by the primary key."""
    return str(ObjectId.from_datetime(at))


def is_id(value: object) -> bool:
    """Whether the value is a well-formed ObjectId string."""
    return isinstance(value, str) and PATTERN.fullmatch(value) is not None


class ObjectIdField(models.CharField):
    """A primary key of 24 hex characters, compared byte by byte (docs/decisions/0003-ids.md)."""

    def __init__(self, **options: object) -> None:
        options.setdefault("max_length", 24)
        options.setdefault("db_collation", "C")
        options.setdefault("editable", False)
        super().__init__(**options)  # type: ignore[arg-type]
