"""Forms of records that somebody else has changed since they were opened: both values stand at the field, and the
member chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.http import QueryDict

from core.text.json import dumps
from core.web.forms import Field, Form, differ

Make = Callable[[Mapping[str, Any]], Form]
RETRIES = 3
"""How often a change is tried again when somebody changes the record between reading and writing it."""


@dataclass(frozen=True)
class Edit:
    """What a member sent: the form, what they changed in it, and whether they have to choose first."""

    form: Form
    changed: Mapping[str, Any]
    clashes: bool


def open_form(form: Form, values: Mapping[str, Any]) -> Form:
    """Keep in the form what its fields held when it was opened."""
    form.opened = dumps({one.name: values.get(one.name) for one in form.fields}).decode()
    return form


def read_edit(make: Make, sent: QueryDict, now: Mapping[str, Any], who: str) -> Edit:
    """Compare what was sent with what stood in the form when it was opened, and with the record as it is now.

    A field that only others changed stays as they left it. One that both changed gets both values, unless the member
    has chosen already; `who` changed the record last.
    """
    was = {**now, **_opened(sent)}
    form = make(was).fill(sent)
    theirs = {one.name for one in form.fields if sent.get(f"choose-{one.name}") == "theirs"}
    changed = {name: value for name, value in form.changed(was).items() if name not in theirs}
    clashes = False
    for one in form.fields:
        held = now.get(one.name)
        if one.name not in changed:
            one.value = held
        elif differ(was.get(one.name), held) and differ(changed[one.name], held):
            one.clash, clashes = _words(one, held) or "empty", True
    if clashes:
        form.trouble.append(f"{who or 'Somebody'} has changed this meanwhile. Choose what stays, then save again.")
    return Edit(open_form(form, now), changed, clashes)


def _opened(sent: QueryDict) -> dict[str, Any]:
    try:
        found = orjson.loads(sent.get("opened", ""))
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _words(field: Field, value: Any) -> str:
    """Write a value as its field shows it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    labels = {option.value: option.label for option in field.options}
    values = value if isinstance(value, list) else [] if value is None else [value]
    return ", ".join(labels.get(str(one), str(one)) for one in values)
