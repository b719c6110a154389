"""Forms of records that were changed after they were opened: the field shows both values, and the member chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
from django.http import QueryDict

from core.text.json import dumps
from core.types import JsonObject, Values
from core.web.forms import CHOICES, BoundField, Form, differ, texts_of

Make = Callable[[Values], Form]
RETRIES = 3
"""Number of retries of a change if another one saves the record between reading and writing it."""


@dataclass(frozen=True)
class Edit:
    """A submitted form, the fields changed in it, and whether the member must choose or correct first."""

    form: Form
    changed: Values
    refused: bool


def open_form(form: Form, values: Values) -> Form:
    """Store the initial values of the form's fields in it."""
    form.opened = dumps(
        {name: values.get(name) for name, field in form.fields.items() if field.kind != "password"}
    ).decode()
    return form


def read_edit(make: Make, sent: QueryDict, now: Values, who: str) -> Edit:
    """Compare the input with the form's initial values, and with the present record.

    A field that only others changed keeps their value. One that both changed gets both values, unless the member has
    chosen already; `who` changed the record last.
    """
    opened = _opened(sent)
    was = {**now, **opened}
    form = make(was).bind(sent, opened or None)
    theirs = {field.name for field in form if sent.get(f"choose-{field.name}") == "theirs"}
    changed = {name: value for name, value in form.changed(was).items() if name not in theirs}
    refused = not form.is_valid()
    for field in form:
        held = now.get(field.name)
        if field.name not in changed:
            field.replace(held)
        elif differ(was.get(field.name), held) and differ(changed[field.name], held):
            field.clash = words_of(field, held) or "empty"
            refused = True
    if any(field.clash for field in form):
        form.add_error(None, f"{who or 'Somebody'} changed this record too. Choose which value to keep, then save.")
    return Edit(open_form(form, now), changed, refused)


def _opened(sent: QueryDict) -> JsonObject:
    try:
        values = orjson.loads(sent.get("opened", ""))
    except orjson.JSONDecodeError:
        return {}
    return values if isinstance(values, dict) else {}


def words_of(bound: BoundField, value: Any) -> str:
    """Write a value as its field shows it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    field = bound.field
    if field.kind not in CHOICES:
        text = field.text(value)
        return text.replace("T", " ") if field.input_type(value) == "datetime-local" else text
    labels = {option.value: option.label for option in field.offered(value)}
    return ", ".join(labels.get(text, text) for text in filter(None, texts_of(value)))
