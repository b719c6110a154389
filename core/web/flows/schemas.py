"""Elements of forms that are drawn from JSON Schemas: parts, sources of options, and labels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any

import orjson
from django.http import QueryDict
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.filters import Choice, filter_display_check, flatten_tree
from core.web.forms import BoundField, Option
from core.web.lists import MATCH, ListState

Schema = Values
LONG = 300
"""A text that may have more characters gets a field of several lines."""
ONE_LINE, SEVERAL_LINES = ("url", "link", "recording", "number"), ("text",)
"""Settings that have one line however long they may be, and several however short."""
SPARE = 1
MAX_ROWS = 50
MAX_PAIRS = 201
UNSHOWN = "unshown"
"""The value of the button that takes off the conditions that a form does not show."""
SHOWN = "2026-01-31T09:00"
"""A time as forms show it."""
MAY_BE_NEITHER = "x-neither"
"""Mark of a switch that may be on, off, or left to the default."""
YES_NO = (Option("true", gettext_lazy("Yes")), Option("false", gettext_lazy("No")))
UNITS = {
    "seconds": gettext_lazy("Seconds"),
    "minutes": gettext_lazy("Minutes"),
    "hours": gettext_lazy("Hours"),
    "days": gettext_lazy("Days"),
    "weeks": gettext_lazy("Weeks"),
    "months": gettext_lazy("Months"),
}
"""Unit of a span of time -> its label."""
INPUTS = {"time": "time", "date-time": "datetime-local", "date": "date", "email": "email", "uri": "url"}


@dataclass
class Part:
    """A part of a form, as templates/web/flow/part.html draws it."""

    kind: str
    """field, group, rows, pairs or tree."""
    path: str
    label: str = ""
    help: str = ""
    parts: list[Part] = field(default_factory=list)
    """Parts of a group; of rows and pairs, each row is a group."""
    field: BoundField | None = None
    switch: BoundField | None = None
    """Checkbox that turns an optional group on."""
    state: ListState | None = None
    choices: Sequence[Choice] = ()
    error: str = ""
    show_if: str = ""
    """JSON of {name of an input: [values with which this matters]}."""
    depends_on: str = ""
    """Name of the input that decides what this offers."""


@dataclass
class Sources:
    """Sources of options, labels and errors for the form."""

    options: Callable[[str, str], list[Option] | None] = lambda widget, source: None
    """Returns the options of a widget or of an address of the API; None where nothing is known."""
    problem: Callable[[str, str], str] = lambda widget, source: ""
    """Returns why a value is typed that should be chosen, or why there is nothing to choose; "" for neither."""
    check: Callable[[str, str, str], str] = lambda widget, source, text: ""
    """Returns the error of a value that is typed in place of a choice; "" for none."""
    trees: Callable[[str], Sequence[Choice]] = lambda panel: ()
    """Returns the fields for conditions: those of a panel's records, or of all values where the panel is ""."""
    fields: Callable[[str], Sequence[tuple[Option, str]]] = lambda path: ()
    """Returns the fields of records, with the types of their values, that a setting names."""
    shown_if: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    """Path -> settings with which it matters, in addition to the schema's."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Path -> its label, if the name of the setting is not clear enough. `*` stands for the place of a row."""
    helps: Mapping[str, str] | None = None
    """Path -> the help below it. None: the schema's own texts."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Path -> value -> its label, if the value is not clear enough."""
    zone: tzinfo = UTC
    """In which times are shown and typed."""


def tree_state(value: Any, choices: Sequence[Choice], zone: str = "") -> ListState:
    """Return a tree of conditions in the form of lists: its filters, and the parts that no filter can express. Days
    are the zone's."""
    choices_by_name = {choice.name: choice for choice in choices}
    query = QueryDict(mutable=True)
    fixed: Sequence[Values] = ()
    if isinstance(value, Mapping) and value.get("conditions"):
        try:
            texts, match, fixed = flatten_tree(value, filter_display_check(choices_by_name), zone)
        except (KeyError, TypeError, AttributeError):
            texts = []
            match = ""
            fixed = [value]
        query.setlist("f", texts)
        query[MATCH] = match
    return ListState(query, choices_by_name, fixed=fixed, zone=zone)


def is_time(schema: Schema) -> bool:
    """Return whether a setting is a time, which its form shows in a zone."""
    return schema.get("format") == "date-time" and schema.get("x-widget") != "expression"


def shown_time(value: Any, zone: tzinfo) -> str:
    """Return a time in the form of an input; other text as it is."""
    try:
        moment = datetime.fromisoformat(str(value or ""))
    except ValueError:
        return str(value or "")
    return f"{moment.astimezone(zone):%Y-%m-%dT%H:%M}" if moment.tzinfo is not None else str(value)


def read_time(text: str, zone: tzinfo, held: Iterable[Any] = ()) -> str:
    """Return the time of an input, with its offset; the stored one if the form has shown that."""
    stored = {shown_time(held_time, zone): str(held_time) for held_time in held if held_time}
    try:
        moment = datetime.fromisoformat(text)
        utc = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
        return stored.get(text) or f"{utc:%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError):
        return text


def shown_value(value: Any) -> str:
    """Return a value that is no text as a field of text shows it."""
    return json.dumps(value, ensure_ascii=False)


def pair_text(value: Any) -> str:
    """Return a value by name as its input shows it; null is empty."""
    if value is None:
        return ""
    return value.replace("\r\n", "\n") if isinstance(value, str) else shown_value(value)


def typed_value(text: str, type: str) -> Any:
    """Return a value as its field takes it. What has an expression in it stays a text."""
    if "{{" in text:
        return text
    if type == "array":
        return [part.strip() for part in text.split(",") if part.strip()]
    if type in ("number", "any") and re.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d{1,9})?", text):
        return orjson.loads(text)
    if type in ("boolean", "any") and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if type == "any" and text[:1] in ("[", "{"):
        try:
            return orjson.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def conditions_of(raw: Any) -> list[tuple[str, list[Any]]]:
    """Return (setting, values with which another one matters) of an x-show-if, for `matches_condition`."""
    if not isinstance(raw, Mapping):
        return []
    return [(name, value if isinstance(value, list) else [value]) for name, value in raw.items()]


def matches_condition(sent: Iterable[str], accepted: Iterable[Any]) -> bool:
    """Return whether an input's value is among the values: null and false for nothing, true for any value.

    `matches_condition` in flow_forms.js does the same in the browser.
    """
    values = {entry for entry in sent if entry}
    return any(_matches_value(values, entry) for entry in accepted)


def _matches_value(held: Set[str], accepted: Any) -> bool:
    if accepted is None or accepted == "" or isinstance(accepted, bool):
        return bool(held) == bool(accepted)
    return str(accepted) in held


def setting_of(path: str) -> str:
    """Return the path of a setting with `*` for the places of rows."""
    return re.sub(r"\.\d+(?=\.|$)", ".*", path)


def label_of(name: str, schema: Schema) -> str:
    title = schema.get("x-label")
    text = re.sub(r"(?<=[a-z])([A-Z])", lambda match: f" {match[1].lower()}", name).replace("_", " ")
    return str(title) if title else text[:1].upper() + text[1:]


def enum_options(schema: Schema, own: Mapping[str, str] | None = None) -> list[Option]:
    constants = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    labels = own or schema.get("x-labels") or {}
    return [
        Option(str(constant), str(labels.get(str(constant)) or label_of(str(constant), {}))) for constant in constants
    ]


def with_chosen(options: Iterable[Option], held: Iterable[str]) -> list[Option]:
    """Return the options, and those that are chosen but not among them: gone, or beyond the first ones."""
    offered = list(options)
    values = {entry.value for entry in offered}
    return [
        *offered,
        *(
            Option(entry, gettext("%(entry)s (not found)") % {"entry": entry})
            for entry in held
            if entry and entry not in values
        ),
    ]


def is_plain(schema: Schema) -> bool:
    """Return whether an object holds plain values by names of one's own."""
    rest = schema.get("additionalProperties")
    return isinstance(rest, Mapping) and rest.get("type") in ("string", "number", "integer", "boolean")


def is_days(schema: Schema, items: Schema) -> bool:
    return items.get("type") == "integer" and schema.get("maxItems") == 7


def has_expression(value: Any) -> bool:
    return isinstance(value, str) and "{{" in value


def panel_input(schema: Schema, path: str) -> str:
    """Return the name of the input that chooses the panel of a setting; "" if none does."""
    return f"{path.rpartition('.')[0]}.{schema['x-panel']}" if "x-panel" in schema else ""


class Schemas:
    """The settings' schema, resolved for each value."""

    schema: Schema
    sources: Sources
    values: Values
    sent: QueryDict
    root: str

    def choices_at(self, schema: Schema, path: str) -> Sequence[Choice]:
        """Return the fields for the conditions of a setting.

        `x-panel` names the neighbouring setting that has the panel; the form's value wins over the saved one.
        """
        name = panel_input(schema, path)
        if not name:
            return self.sources.trees("")
        value: Any = self.values
        for key in name.removeprefix(self.root).split(".")[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        return self.sources.trees(str(self.sent.get(name) or value or "contact"))

    def resolve(self, raw: Schema) -> tuple[Schema, bool]:
        """Return a schema without references, and whether it may be null."""
        schema, optional = dict(raw), False
        for _ in range(8):
            if "$ref" in schema:
                name = str(schema.pop("$ref")).rpartition("/")[2]
                schema = {**self.schema.get("$defs", {}).get(name, {}), **schema}
            elif len(schema.get("allOf", ())) == 1:
                schema = {**schema.pop("allOf")[0], **schema}
            elif "anyOf" in schema:
                rest = [option for option in schema["anyOf"] if option.get("type") != "null"]
                optional = optional or len(rest) < len(schema["anyOf"])
                if len(rest) != 1:
                    break
                del schema["anyOf"]
                schema = {**rest[0], **schema}
            else:
                break
        if optional and schema.get("type") == "boolean":
            schema = {**schema, MAY_BE_NEITHER: True}
        return schema, optional

    def _kind(self, schema: Schema) -> str:
        widget = schema.get("x-widget", "")
        type = schema.get("type")
        properties = schema.get("properties")
        if widget == "tree":
            return "tree"
        if properties is not None:
            return "span" if set(properties) == {"amount", "unit"} else "object"
        if type == "array":
            return self._kind_of_list(schema)
        if type == "object":
            return "pairs" if widget in ("fields", "expression", "pairs") or is_plain(schema) else "json"
        if "enum" in schema or "const" in schema or self._options(schema) is not None:
            return "select"
        if type in ("integer", "number"):
            return "number"
        if type == "boolean":
            return "yes_no" if MAY_BE_NEITHER in schema else "switch"
        if type == "string" or type is None:
            return "text" if type or widget == "expression" or "anyOf" in schema else "json"
        return "json"

    def _kind_of_list(self, schema: Schema) -> str:
        items, _ = self.resolve(schema.get("items") or {})
        if "properties" in items:
            return "rows"
        if self._options(schema) is not None or "enum" in items or is_days(schema, items):
            return "checks"
        return "lines" if items.get("type") in ("string", "integer", "number") else "json"

    def _options(self, schema: Schema) -> list[Option] | None:
        widget, source = _chosen_by(schema)
        return self.sources.options(widget, source) if widget or source else None

    def _problem(self, schema: Schema) -> str:
        """Return why a setting is typed that should be chosen, or why there is nothing to choose."""
        return self.sources.problem(*_chosen_by(schema))

    def _typing_error(self, schema: Schema, text: str) -> str:
        """Return the error of a value that is typed in place of a choice."""
        return self.sources.check(*_chosen_by(schema), text)


def _chosen_by(schema: Schema) -> tuple[str, str]:
    """Return the widget and the source of a setting."""
    return str(schema.get("x-widget") or ""), str(schema.get("x-source") or "")
