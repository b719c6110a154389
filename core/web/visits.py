"""Reads of staff on a visit to a company: in a read-only transaction, and without secrets.

A visitor is an `Actor` with `visiting`. The data is that of a role with only read permissions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from rest_framework import serializers

from core.api.output import Computed, Output
from core.database import expect_no_writes
from core.internals.rest_framework import declared_fields
from core.text.redaction import SECRET

SECONDS = 10
"""The statement timeout of a read."""
HIDDEN = "hidden"


@contextmanager
def read_only_block(seconds: int = SECONDS) -> Iterator[None]:
    """Run a block in a transaction that writes nothing. A statement that takes longer than `seconds` fails."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # The database enforces it: a page that writes by mistake fails during a visit.
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
        with expect_no_writes():
            yield
        transaction.set_rollback(True)


def hide_secrets(data: Any, output: type[Output] | None, secret: re.Pattern[str] = SECRET) -> Any:
    """Hide values that the Output conceals and those that are secret by their name, at any depth."""
    if isinstance(data, list):
        return [hide_secrets(entry, output, secret) for entry in data]
    if not isinstance(data, Mapping):
        return data
    conceals = getattr(output, "conceals", ())
    return {
        name: HIDDEN
        if value and (name in conceals or secret.match(name))
        else hide_secrets(value, nested_output(output, name), secret)
        for name, value in data.items()
    }


def nested_output(output: type[Output] | None, name: str) -> type[Output] | None:
    """Return the Output of the field's value, or of its items."""
    field = declared_fields(output).get(name) if output is not None else None
    if isinstance(field, Computed):
        field = field.schema
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        field = field.child
    return type(field) if isinstance(field, Output) else None
