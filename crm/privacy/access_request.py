"""Access requests: all data about a contact as one JSON document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from django.db import transaction
from django.utils import timezone

from core.errors import PERMISSION, NamedError
from core.text.json import dumps
from core.types import Values
from crm.privacy.registry import PERSONAL_DATA, DataSubject


class Target(Protocol):
    def write(self, data: bytes, /) -> Any: ...


def write_access(*, contact_id: str, target: Target, may: Callable[[str], bool], envelope: Values) -> None:
    """Write `envelope` with all data about a contact, live or deleted, row by row in constant memory.

    `may` returns whether the caller may read a module. A partial answer would mislead, so UnauthorizedAction_403 names
    a missing permission. Raises ContactNotFound_400, and InvalidRequest_400 for a contact that was merged into another.
    """
    with transaction.atomic():  # server-side cursors need one transaction
        subject = DataSubject.of(contact_id)
        tables = [table for table in PERSONAL_DATA.values() if table.exported]
        lacking = sorted({table.module for table in tables if not may(table.module)})
        if lacking:
            raise NamedError(
                "UnauthorizedAction_403",
                f"your role lacks the permission to read {', '.join(lacking)}, which the answer tells of",
                code=PERMISSION,
            )
        head = dumps({"generatedAt": timezone.now(), "contactId": contact_id})[:-1]
        target.write(dumps(envelope)[:-1] + b',"data":' + head + b',"sections":{')
        for number, table in enumerate(tables):
            target.write((b"," if number else b"") + dumps(table.name) + b":[")
            for place, row in enumerate(table.export_rows(subject)):
                target.write((b"," if place else b"") + dumps(row))
            target.write(b"]")
        target.write(b"}}}")
