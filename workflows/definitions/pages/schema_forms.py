"""Forms drawn from JSON Schemas: fields, groups, rows, values by name and conditions, and the settings read from them.

A schema says more by `x-widget` (tree, fields, expression, tags, member and so on), `x-source` (the API's list that a
value is chosen from) and `x-show-if` (the settings with which it matters: {"action": ["create", "update"]}).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from core.web.filters import Choice, changed_filters, flattened
from core.web.forms import Field, Option
from core.web.lists import MATCH, ListState

Schema = Mapping[str, Any]
LONG = 300
"""A text that may have more characters gets a field of several lines."""
SPARE = 1
MOST_ROWS = 50
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CHOSEN = {
    "tags": "tags",
    "member": "members",
    "members": "members",
    "team": "teams",
    "teams": "teams",
    "segment": "segments",
    "segments": "segments",
    "template": "templates",
    "workflow": "workflows",
}
"""Widget -> key of GET /workflow/choices."""
INPUTS = {"time": "time", "date-time": "datetime-local", "date": "date", "email": "email", "uri": "url"}


@dataclass
class Part:
    """A part of a form, as templates/web/workflows/part.html draws it."""

    kind: str
    """field, group, rows, pairs or tree."""
    path: str
    label: str = ""
    help: str = ""
    parts: list[Part] = field(default_factory=list)
    """Of a group; of rows and pairs each row is a group."""
    field: Field | None = None
    switch: Field | None = None
    """Whether an optional group is used."""
    state: ListState | None = None
    choices: Sequence[Choice] = ()
    error: str = ""
    show_if: str = ""
    """JSON of {name of an input: [values with which this matters]}."""


@dataclass
class Sources:
    """What values are chosen from."""

    options: Callable[[str, str], list[Option] | None] = lambda widget, source: None
    """Returns the options of a widget or of an address of the API; None where nothing is known."""
    trees: Callable[[str], Sequence[Choice]] = lambda path: ()
    """Returns what the conditions at a path are about."""
    fields: Callable[[str], Sequence[tuple[Option, str]]] = lambda path: ()
    """Returns the fields of records, with the types of their values, that a setting names."""
    shown_if: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Path -> what makes it matter, beside what the schema says."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Path -> its words, where the name of the setting does not say enough."""


class SchemaForm:
    """The form of settings. Made with what is saved; `read` returns the settings that a browser sent."""

    def __init__(
        self, schema: Schema, values: Mapping[str, Any], sources: Sources, *, root: str = "config", tree: str = ""
    ) -> None:
        self.schema, self.values, self.sources, self.root, self.tree = schema, values, sources, root, tree
        self.wrong: dict[str, str] = {}
        """Path -> what is wrong with what was typed there."""
        self.sent = QueryDict()
        self.parts = self._draw()
        if not self.tree:
            self.tree = next((one.path for one in self.all_parts() if one.kind == "tree"), "")

    def _draw(self) -> list[Part]:
        return self._properties(self.schema, self.values, self.root)

    def all_parts(self) -> list[Part]:
        found, open = [], list(self.parts)
        while open:
            one = open.pop(0)
            found.append(one)
            open = [*one.parts, *open]
        return found

    def fields(self) -> list[Field]:
        return [one for part in self.all_parts() for one in (part.switch, part.field) if one is not None]

    def read(self, sent: QueryDict) -> dict[str, Any]:
        """Return the settings that were sent. What could not be read is in `wrong`, and stays as it was typed."""
        self.sent = sent
        found = self._read_properties(self.schema, self.values, self.root)
        self.values, self.parts = found, []
        self.parts = self._draw()
        for path, trouble in self.wrong.items():
            self.mark(path, trouble)
        return found

    def mark(self, path: str, message: str) -> bool:
        """Put what is wrong at the part that the path names, or the nearest one around it."""
        known = {one.path: one for one in self.all_parts()}
        while path not in known and "." in path:
            path = path.rpartition(".")[0]
        found = known.get(path)
        if found is None:
            return False
        text = f"{message[:1].upper()}{message[1:]}"
        text += "" if text.endswith((".", "!", "?")) else "."
        target: Any = found.field if found.field is not None else found
        target.error = f"{target.error} {text}".strip()
        return True

    # Schemas

    def resolve(self, raw: Schema) -> tuple[Schema, bool]:
        """Return a schema without references, and whether it may be null."""
        found, optional = dict(raw), False
        for _ in range(8):
            if "$ref" in found:
                name = str(found.pop("$ref")).rpartition("/")[2]
                found = {**self.schema.get("$defs", {}).get(name, {}), **found}
            elif len(found.get("allOf", ())) == 1:
                found = {**found.pop("allOf")[0], **found}
            elif "anyOf" in found:
                rest = [one for one in found["anyOf"] if one.get("type") != "null"]
                optional = optional or len(rest) < len(found["anyOf"])
                if len(rest) != 1:
                    break
                del found["anyOf"]
                found = {**rest[0], **found}
            else:
                break
        return found, optional

    def _properties(self, schema: Schema, values: Any, path: str) -> list[Part]:
        held = values if isinstance(values, Mapping) else {}
        required = schema.get("required", ())
        return [
            self._shown(self._part(one, held.get(name), f"{path}.{name}", name, name in required), one, path)
            for name, one in schema.get("properties", {}).items()
        ]

    def _shown(self, part: Part, raw: Schema, path: str) -> Part:
        condition = self.sources.shown_if.get(part.path) or {
            f"{path}.{name}": values for name, values in _conditions(raw.get("x-show-if"))
        }
        part.show_if = json.dumps(condition) if condition else ""
        return part

    def _part(self, raw: Schema, value: Any, path: str, name: str, required: bool) -> Part:
        schema, optional = self.resolve(raw)
        label = self.sources.labels.get(path) or _label(name, raw)
        help = str(raw.get("description") or "").replace("`", "")
        help = "" if help.rstrip(".") == label else help
        kind = self._kind(schema)
        held = schema.get("default") if value is None else value
        if kind == "tree":
            return self._tree(value, path, label, help)
        if kind == "span":
            return self._span(schema, held if isinstance(held, Mapping) else {}, path, label, help)
        if kind == "object":
            return self._group(schema, value, path, label, help, optional)
        if kind == "rows":
            return self._rows(schema, value, path, label, help)
        if kind == "pairs":
            return self._pairs(schema, value, path, label, help)
        made = self._field(kind, schema, held, path, label, required and not optional)
        made.help = help
        return Part("field", path, label, field=made)

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
            return "pairs" if widget in ("fields", "expression", "pairs") or _plain(schema) else "json"
        if "enum" in schema or "const" in schema or self._options(schema):
            return "select"
        if type in ("integer", "number"):
            return "number"
        if type == "boolean":
            return "switch"
        if type == "string" or type is None:
            return "text" if type or widget == "expression" or "anyOf" in schema else "json"
        return "json"

    def _kind_of_list(self, schema: Schema) -> str:
        items, _ = self.resolve(schema.get("items") or {})
        if "properties" in items:
            return "rows"
        if self._options(schema) is not None or "enum" in items or _is_days(schema, items):
            return "checks"
        return "lines" if items.get("type") in ("string", "integer", "number") else "json"

    def _options(self, schema: Schema) -> list[Option] | None:
        widget, source = str(schema.get("x-widget") or ""), str(schema.get("x-source") or "")
        return self.sources.options(widget, source) if widget or source else None

    # Parts

    def _field(self, kind: str, schema: Schema, value: Any, path: str, label: str, required: bool) -> Field:
        made = Field(path, label, kind, required=required, value=value)
        if kind == "select":
            options = self._options(schema)
            made.options = options if options is not None else _enum(schema)
            made.options = _with_held(made.options, made.chosen)
        elif kind == "checks":
            items, _ = self.resolve(schema.get("items") or {})
            if _is_days(schema, items):
                made.options = [Option(str(place), day) for place, day in enumerate(DAYS, 1)]
            else:
                options = self._options(schema)
                made.options = options if options is not None else _enum(items)
            made.value = value if isinstance(value, list) else []
            made.options = _with_held(made.options, made.chosen)
        elif kind == "lines":
            made.kind, made.value = "textarea", "\n".join(map(str, value if isinstance(value, list) else []))
        elif kind == "json":
            made.kind, made.value = "textarea", "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
        elif kind == "text":
            format = INPUTS.get(str(schema.get("format")), "text")
            if schema.get("x-widget") == "expression" or _expression(value):
                format = "text"
            several = schema.get("maxLength", 0) > LONG or (isinstance(value, str) and "\n" in value)
            made.kind = "textarea" if several else format
            if not isinstance(value, str | None):
                made.value = json.dumps(value, ensure_ascii=False)
            if format == "datetime-local" and isinstance(value, str):
                made.kind = "text"
                made.placeholder = "2026-01-31T09:00:00Z"
            elif format == "datetime-local":
                made.kind, made.placeholder = "text", "2026-01-31T09:00:00Z"
        if path in self.wrong:
            made.value = self.sent.get(path, "")
        return made

    def _group(self, schema: Schema, value: Any, path: str, label: str, help: str, optional: bool) -> Part:
        switch = Field(f"{path}:on", label, "switch", value=value is not None, help=help) if optional else None
        parts = self._properties(schema, value, path)
        return Part("group", path, label, "" if optional else help, parts=parts, switch=switch)

    def _span(self, schema: Schema, held: Mapping[str, Any], path: str, label: str, help: str) -> Part:
        unit, _ = self.resolve(schema["properties"]["unit"])
        amount = Field(f"{path}.amount", "How many", "number", value=held.get("amount"))
        units = Field(f"{path}.unit", "Unit", "select", required=True, value=held.get("unit") or "days")
        units.options = _enum(unit)
        parts = [Part("field", one.name, one.label, field=one) for one in (amount, units)]
        return Part("span", path, label, help, parts=parts)

    def _rows(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        items, _ = self.resolve(schema["items"])
        held = [one for one in value or () if isinstance(one, Mapping)] if isinstance(value, list) else []
        spare = max(SPARE, int(schema.get("minItems", 0)) - len(held))
        spare = max(0, min(spare, int(schema.get("maxItems", MOST_ROWS)) - len(held)))
        rows = []
        for place, one in enumerate([*held, *({} for _ in range(spare))]):
            parts = self._properties(items, one, f"{path}.{place}")
            words = f"{_single(label)} {place + 1}" if place < len(held) else f"New {_single(label).lower()}"
            rows.append(Part("group", f"{path}.{place}", words, parts=parts))
        return Part("rows", path, label, help, parts=rows)

    def _pairs(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        known = self.sources.fields(path) if schema.get("x-widget") == "fields" else ()
        held = list(value.items()) if isinstance(value, Mapping) else []
        rows = []
        for place, (name, one) in enumerate([*held, *([("", None)] * (2 if not held else 1))]):
            naming = Field(f"{path}:name.{place}", "Field" if known else "Name", "text", value=name)
            if known:
                naming.kind, naming.options = (
                    "select",
                    _with_held([option for option, _ in known], [name] if name else []),
                )
            text = one if isinstance(one, str) or one is None else json.dumps(one, ensure_ascii=False)
            long = isinstance(text, str) and len(text) > 80
            giving = Field(f"{path}:value.{place}", "Value", "textarea" if long else "text", value=text)
            parts = [Part("field", field.name, field.label, field=field) for field in (naming, giving)]
            rows.append(Part("group", f"{path}.{name}" if name else f"{path}:{place}", parts=parts))
        return Part("pairs", path, label, help, parts=rows)

    def _tree(self, value: Any, path: str, label: str, help: str) -> Part:
        choices = self.sources.trees(path)
        return Part("tree", path, label, help, state=tree_state(value, choices), choices=choices)

    # Reading

    def _read_properties(self, schema: Schema, values: Any, path: str) -> dict[str, Any]:
        held = values if isinstance(values, Mapping) else {}
        found = {}
        for name, raw in schema.get("properties", {}).items():
            if not self._matters(raw, path, f"{path}.{name}"):
                continue
            value = self._read(raw, held.get(name), f"{path}.{name}")
            if value is not None:
                found[name] = value
        return found

    def _matters(self, raw: Schema, path: str, own: str) -> bool:
        """Tell whether a setting matters with what else was sent."""
        needs = self.sources.shown_if.get(own) or {
            f"{path}.{name}": values for name, values in _conditions(raw.get("x-show-if"))
        }
        return all(self.sent.get(name, "") in values for name, values in needs.items() if name in self.sent)

    def _read(self, raw: Schema, held: Any, path: str) -> Any:
        """Return a setting as it was sent; None for nothing."""
        schema, optional = self.resolve(raw)
        kind = self._kind(schema)
        if kind == "tree":
            return self._read_tree(held, path)
        if kind == "span":
            return self._read_span(path, optional)
        if kind == "object":
            if optional and f"{path}:on" not in self.sent:
                return None
            return self._read_properties(schema, held, path)
        if kind == "rows":
            return self._read_rows(schema, held, path)
        if kind == "pairs":
            return self._read_pairs(schema, path)
        return self._read_field(kind, schema, path, optional)

    def _read_field(self, kind: str, schema: Schema, path: str, optional: bool) -> Any:
        read_as = {"lines": "textarea", "json": "textarea"}.get(kind, kind)
        value = Field(path, "", read_as).read(self.sent)
        if kind == "json":
            return self._read_json(path, value)
        if kind in ("lines", "checks"):
            several = value if kind == "checks" else [line.strip() for line in value.split("\n") if line.strip()]
            items, _ = self.resolve(schema.get("items") or {})
            if items.get("type") in ("integer", "number"):
                several = [int(one) if re.fullmatch(r"-?\d{1,9}", one) else one for one in several]
            return several or None
        if kind == "select" and schema.get("type") in ("integer", "number"):
            return int(value) if re.fullmatch(r"-?\d{1,9}", value) else value or None
        return None if value == "" else value

    def _read_json(self, path: str, text: str) -> Any:
        try:
            return json.loads(text) if text else None
        except (ValueError, RecursionError):
            self.wrong[path] = "This is no JSON"
            return text

    def _read_span(self, path: str, optional: bool) -> Any:
        amount = Field(f"{path}.amount", "", "number").read(self.sent)
        return None if amount is None else {"amount": amount, "unit": self.sent.get(f"{path}.unit", "days")}

    def _read_rows(self, schema: Schema, held: Any, path: str) -> list[Any] | None:
        items, _ = self.resolve(schema["items"])
        before = held if isinstance(held, list) else []
        found = []
        for place in range(MOST_ROWS):
            if f"{path}.{place}:there" not in self.sent or self.sent.get("drop_row") == f"{path}.{place}":
                continue
            row = self._read_properties(items, before[place] if place < len(before) else {}, f"{path}.{place}")
            own = {
                name for name, one in row.items() if one != self.resolve(items["properties"][name])[0].get("default")
            }
            if place < len(before) or own:
                found.append(row)
        return found or None

    def _read_pairs(self, schema: Schema, path: str) -> dict[str, Any] | None:
        types = {}
        if schema.get("x-widget") == "fields":
            types = {option.value: type for option, type in self.sources.fields(path)}
        found: dict[str, Any] = {}
        for place in range(201):
            name = self.sent.get(f"{path}:name.{place}")
            if name is None:
                break
            text = self.sent.get(f"{path}:value.{place}", "").replace("\r\n", "\n").strip()
            if name.strip():
                found[name.strip()] = typed(text, types.get(name.strip(), "any"))
        return found or None

    def _read_tree(self, held: Any, path: str) -> Any:
        state = tree_state(held, self.sources.trees(path))
        if path != self.tree or self.sent.get("tree", path) != path:
            return held
        added, dropped = changed_filters(self.sent, [choice.name for choice in state.choices.values()])
        query = QueryDict(mutable=True)
        texts = dict.fromkeys([*(str(one) for one in state.filters), *added])
        query.setlist("f", [text for text in texts if text not in dropped])
        query[MATCH] = self.sent.get(MATCH) or ("any" if state.any else "")
        changed = ListState(query, state.choices, fixed=state.fixed)
        if changed.unread:
            self.wrong[path] = changed.unread[0].trouble
        return changed.selection().get("advancedFilters")


def tree_state(value: Any, choices: Sequence[Choice]) -> ListState:
    """Return a tree of conditions as lists have it: its filters, and what no filter can say."""
    known = {choice.name: choice for choice in choices}
    query = QueryDict(mutable=True)
    fixed: Sequence[Mapping[str, Any]] = ()
    if isinstance(value, Mapping) and value.get("conditions"):
        try:
            texts, match, fixed = flattened(value, lambda text: text.partition(":")[0] in known)
        except (KeyError, TypeError, AttributeError):
            texts, match, fixed = [], "", [value]
        query.setlist("f", texts)
        query[MATCH] = match
    return ListState(query, known, fixed=fixed)


def typed(text: str, type: str) -> Any:
    """Return a value as its field takes it. What has an expression in it stays a text."""
    if "{{" in text:
        return text
    if type == "array":
        return [one.strip() for one in text.split(",") if one.strip()]
    if type in ("number", "any") and re.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d{1,9})?", text):
        return json.loads(text)
    if type in ("boolean", "any") and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if type == "any" and text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _conditions(raw: Any) -> list[tuple[str, list[str]]]:
    if not isinstance(raw, Mapping):
        return []
    return [
        (name, [str(one) for one in (value if isinstance(value, list) else [value])]) for name, value in raw.items()
    ]


def _label(name: str, schema: Schema) -> str:
    title = schema.get("x-label")
    words = re.sub(r"(?<=[a-z])([A-Z])", lambda found: f" {found[1].lower()}", name).replace("_", " ")
    return str(title) if title else words[:1].upper() + words[1:]


def _single(label: str) -> str:
    return label[:-1] if label.endswith("s") else label


def _enum(schema: Schema) -> list[Option]:
    found = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    words = schema.get("x-labels") or {}
    return [Option(str(one), str(words.get(str(one)) or _label(str(one), {}))) for one in found]


def _with_held(options: Iterable[Option], held: Iterable[str]) -> list[Option]:
    """Return the options, and those that are chosen but not among them: gone, or beyond the first ones."""
    found = list(options)
    there = {one.value for one in found}
    return [*found, *(Option(one, f"{one} (not found)") for one in held if one and one not in there)]


def _plain(schema: Schema) -> bool:
    """Tell whether an object holds plain values by names of one's own."""
    rest = schema.get("additionalProperties")
    return isinstance(rest, Mapping) and rest.get("type") in ("string", "number", "integer", "boolean")


def _is_days(schema: Schema, items: Schema) -> bool:
    return items.get("type") == "integer" and schema.get("maxItems") == 7


def _expression(value: Any) -> bool:
    return isinstance(value, str) and "{{" in value
