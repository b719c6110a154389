"""Forms drawn from JSON Schemas: fields, groups, rows, values by name and conditions, and the settings read from them.

`x-widget` of a schema names the input (tree, fields, expression, tags, member and so on). `x-source` is the API's list
that a value is chosen from.

`x-show-if` has the settings with which a field matters, such as {"action": ["create", "update"]}. There null and false
mean an empty value, true any value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from core.web.flows.schema_reading import ReadingForm
from core.web.flows.schemas import (
    DAYS,
    INPUTS,
    LONG,
    MAX_ROWS,
    ONE_LINE,
    SEVERAL_LINES,
    SHOWN,
    SPARE,
    YES_NO,
    Part,
    Schema,
    Sources,
    conditions_of,
    enum_options,
    has_expression,
    is_days,
    is_time,
    label_of,
    shown_time,
    shown_value,
    single,
    tree_state,
    with_held,
)
from core.web.forms import Field, Option


class SchemaForm(ReadingForm):
    """The form of settings, created with the saved ones; `read` returns the settings that a browser sent."""

    def __init__(
        self, schema: Schema, values: Mapping[str, Any], sources: Sources, *, root: str = "config", tree: str = ""
    ) -> None:
        self.schema = schema
        self.values = values
        self.sources = sources
        self.root = root
        self.tree = tree
        self.wrong: dict[str, str] = {}
        """Path -> the error of its input."""
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
        self.values = found
        self.parts = []
        self.parts = self._draw()
        for path, trouble in self.wrong.items():
            self.mark(path, trouble)
        return found

    def mark(self, path: str, message: str) -> bool:
        """Put an error at the part that the path names, or the nearest one around it."""
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

    def _properties(self, schema: Schema, values: Any, path: str) -> list[Part]:
        held = values if isinstance(values, Mapping) else {}
        required = schema.get("required", ())
        return [
            self._shown(self._part(one, held.get(name), f"{path}.{name}", name, name in required), one, path)
            for name, one in schema.get("properties", {}).items()
        ]

    def _shown(self, part: Part, raw: Schema, path: str) -> Part:
        condition = self.sources.shown_if.get(part.path) or {
            f"{path}.{name}": values for name, values in conditions_of(raw.get("x-show-if"))
        }
        part.show_if = json.dumps(condition) if condition else ""
        return part

    def _part(self, raw: Schema, value: Any, path: str, name: str, required: bool) -> Part:
        schema, optional = self.resolve(raw)
        label = self.sources.labels.get(path) or label_of(name, raw)
        help = self.sources.helps.get(path, str(raw.get("description") or "").replace("`", ""))
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
        made.help = " ".join(filter(None, (help, self._trouble(schema))))
        return Part("field", path, label, field=made)

    # Parts

    def _field(self, kind: str, schema: Schema, value: Any, path: str, label: str, required: bool) -> Field:
        made = Field(path, label, kind, required=required, value=value)
        if kind == "select":
            options = self._options(schema)
            made.options = options if options is not None else enum_options(schema, self.sources.words.get(path))
            made.options = with_held(made.options, made.chosen)
            made.placeholder = "The company’s" if schema.get("x-widget") == "timezone" else ""
        elif kind == "yes_no":
            made.kind = "select"
            made.options = list(YES_NO)
            made.value = json.dumps(value) if isinstance(value, bool) else value
            made.options = with_held(made.options, made.chosen)
        elif kind == "checks":
            items, _ = self.resolve(schema.get("items") or {})
            if is_days(schema, items):
                made.options = [Option(str(place), day) for place, day in enumerate(DAYS, 1)]
            else:
                options = self._options(schema)
                made.options = options if options is not None else enum_options(items)
            made.value = value if isinstance(value, list) else []
            made.options = with_held(made.options, made.chosen)
        elif kind == "lines":
            items, _ = self.resolve(schema.get("items") or {})
            texts = [str(one) for one in (value if isinstance(value, list) else [])]
            if is_time(items):
                texts = [shown_time(one, self.sources.zone) for one in texts]
                made.placeholder = SHOWN
            made.kind = "textarea"
            made.value = "\n".join(texts)
        elif kind == "json":
            made.kind = "textarea"
            made.value = "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
        elif kind == "text":
            format = INPUTS.get(str(schema.get("format")), "text")
            if schema.get("x-widget") == "expression" or has_expression(value):
                format = "text"
            name = path.rpartition(".")[2]
            is_long = name in SEVERAL_LINES or (schema.get("maxLength", 0) > LONG and name not in ONE_LINE)
            several = is_long or (isinstance(value, str) and "\n" in value)
            made.kind = "textarea" if several else format
            if not isinstance(value, str | None):
                made.value = shown_value(value)
            if made.kind == "datetime-local":
                made.value = shown_time(value, self.sources.zone)
                made.kind = "datetime-local" if len(made.value) in (0, len(SHOWN)) else "text"
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
        units.options = enum_options(unit)
        parts = [Part("field", one.name, one.label, field=one) for one in (amount, units)]
        return Part("span", path, label, help, parts=parts)

    def _rows(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        items, _ = self.resolve(schema["items"])
        held = [one for one in value or () if isinstance(one, Mapping)] if isinstance(value, list) else []
        spare = max(SPARE, int(schema.get("minItems", 0)) - len(held))
        spare = max(0, min(spare, int(schema.get("maxItems", MAX_ROWS)) - len(held)))
        rows = []
        for place, one in enumerate([*held, *({} for _ in range(spare))]):
            parts = self._properties(items, one, f"{path}.{place}")
            words = f"{single(label)} {place + 1}" if place < len(held) else f"New {single(label).lower()}"
            rows.append(Part("group", f"{path}.{place}", words, parts=parts))
        return Part("rows", path, label, help, parts=rows)

    def _pairs(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        known = self.sources.fields(path) if schema.get("x-widget") == "fields" else ()
        held = list(value.items()) if isinstance(value, Mapping) else []
        rows = []
        for place, (name, one) in enumerate([*held, *([("", None)] * (2 if not held else 1))]):
            naming = Field(f"{path}:name.{place}", "Field" if known else "Name", "text", value=name)
            if known:
                naming.kind = "select"
                naming.options = with_held([option for option, _ in known], [name] if name else [])
            text = one if isinstance(one, str) or one is None else json.dumps(one, ensure_ascii=False)
            long = isinstance(text, str) and len(text) > 80
            giving = Field(f"{path}:value.{place}", "Value", "textarea" if long else "text", value=text)
            parts = [Part("field", field.name, field.label, field=field) for field in (naming, giving)]
            rows.append(Part("group", f"{path}.{name}" if name else f"{path}:{place}", parts=parts))
        return Part("pairs", path, label, help, parts=rows)

    def _tree(self, value: Any, path: str, label: str, help: str) -> Part:
        choices = self.sources.trees(path)
        state = tree_state(value, choices, str(self.sources.zone))
        return Part("tree", path, label, help, state=state, choices=choices)


__all__ = ["SchemaForm", "Sources"]
