"""Records that were changed after their form was opened.

A form of a record sends the values with which it was opened (`Form.opened`), and `Form.bind` compares them with the
record's present ones. A field that only others changed keeps their value. One that both changed shows both values, and
the member chooses: the form is not valid until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from core.text.json import dumps
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms.inputs import values_differ

RETRIES = 3
"""Number of retries of a change if another one saves the record between reading and writing it."""
CLASH = gettext_lazy("%(member)s also changed this record. Choose the values to keep.")


def read_opened(data: Mapping[str, Any]) -> JsonObject:
    """Return the values with which the browser's forms were opened, by the names of their fields."""
    getlist = getattr(data, "getlist", None)
    texts = getlist("opened") if getlist else [data.get("opened", "")]
    opened: JsonObject = {}
    for text in texts:
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        opened |= values if isinstance(values, dict) else {}
    return opened


def changed_values(opened: Values, current: Values) -> JsonObject:
    """Return the present values of the fields that others have changed since the form was opened."""
    plain: JsonObject = orjson.loads(dumps(current))
    return {name: current[name] for name in current if name in opened and values_differ(opened[name], plain[name])}
