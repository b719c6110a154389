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
from django.utils.html import format_html
from django.utils.translation import gettext

from core.text.labels.weekdays import DAYS
from core.types import JsonObject, Values
from core.web.flows.schema_reader import ReadingForm
from core.web.flows.schemas import (
    INPUTS,
    LONG,
    MAX_ROWS,
    ONE_LINE,
    SEVERAL_LINES,
    SHOWN,
    SPARE,
    UNITS,
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
    panel_input,
    setting_of,
    shown_time,
    shown_value,
    tree_state,
    with_chosen,
)
from core.web.forms import BoundField, Field, Option, standalone_field, texts_of
from core.web.words.problems import to_sentence


class SchemaForm(ReadingForm):
    """The form of settings, created with the saved ones; `read` returns the settings that a browser sent."""

    def __init__(
        self, schema: Schema, values: Values, sources: Sources, *, root: str = "config", tree: str = ""
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
            self.tree = next((part.path for part in self.all_parts() if part.kind == "tree"), "")

    def _draw(self) -> list[Part]:
        return self._properties(self.schema, self.values, self.root)

    def all_parts(self) -> list[Part]:
        parts, open = [], list(self.parts)
        while open:
            part = open.pop(0)
            parts.append(part)
            open = [*part.parts, *open]
        return parts

    @property
    def main_parts(self) -> list[Part]:
        """The settings that `x-main` of the schema names, in its order; without it all."""
        main = self.schema.get("x-main")
        if main is None:
            return self.parts
        places = {f"{self.root}.{name}": place for place, name in enumerate(main)}
        return sorted((part for part in self.parts if part.path in places), key=lambda part: places[part.path])

    @property
    def folded_parts(self) -> list[Part]:
        """The other settings, which are folded."""
        main = {part.path for part in self.main_parts}
        return [part for part in self.parts if part.path not in main]

    @property
    def unfolds(self) -> bool:
        """Return whether a folded setting has an error, or another value than usual."""
        folded = tuple(part.path for part in self.folded_parts)
        if not folded:
            return False
        inner = [part for part in self.all_parts() if part.path.startswith(folded)]
        wrong = any(part.error or (part.field and part.field.error) for part in inner)
        return wrong or any(self._is_changed(path.rpartition(".")[2]) for path in folded)

    def _is_changed(self, name: str) -> bool:
        usual = self.schema["properties"][name].get("default")
        return (self.values.get(name, usual) or None) != (usual or None)

    def fields(self) -> list[BoundField]:
        return [field for part in self.all_parts() for field in (part.switch, part.field) if field is not None]

    def read(self, sent: QueryDict) -> JsonObject:
        """Return the settings that were sent. What could not be read is in `wrong`, and stays as it was typed."""
        self.sent = sent
        values = self._read_properties(self.schema, self.values, self.root)
        self.values = values
        self.parts = []
        self.parts = self._draw()
        for path, problem in self.wrong.items():
            self.mark(path, problem)
        return values

    def mark(self, path: str, message: str) -> bool:
        """Put an error at the part that the path names, or the nearest one around it."""
        parts = {candidate.path: candidate for candidate in self.all_parts()}
        while path not in parts and "." in path:
            path = path.rpartition(".")[0]
        part = parts.get(path)
        if part is None:
            return False
        text = to_sentence(message)
        if part.field is not None:
            part.field.add_error(text)
        else:
            part.error = f"{part.error} {text}".strip()
        return True

    def _properties(self, schema: Schema, values: Any, path: str) -> list[Part]:
        settings = values if isinstance(values, Mapping) else {}
        required = schema.get("required", ())
        return [
            self._set_visibility(
                self._part(subschema, settings.get(name), f"{path}.{name}", name, name in required), subschema, path
            )
            for name, subschema in schema.get("properties", {}).items()
        ]

    def _set_visibility(self, part: Part, raw: Schema, path: str) -> Part:
        condition = self.sources.shown_if.get(part.path) or {
            f"{path}.{name}": values for name, values in conditions_of(raw.get("x-show-if"))
        }
        part.show_if = json.dumps(condition) if condition else ""
        return part

    def _part(self, raw: Schema, value: Any, path: str, name: str, required: bool) -> Part:
        schema, optional = self.resolve(raw)
        setting = setting_of(path)
        label = self.sources.labels.get(setting) or label_of(name, raw)
        helps = self.sources.helps
        help = str(raw.get("description") or "") if helps is None else helps.get(setting, "")
        kind = self._kind(schema)
        current = schema.get("default") if value is None else value
        if kind == "tree":
            return self._tree(schema, value, path, label, help)
        if kind == "span":
            return self._span(schema, current if isinstance(current, Mapping) else {}, path, label, help)
        if kind == "object":
            return self._group(schema, value, path, label, help, optional)
        if kind == "rows":
            return self._rows(schema, value, path, label, help)
        if kind == "pairs":
            return self._pairs(schema, value, path, label, help)
        field = self._field(kind, schema, current, path, label, required and not optional)
        note = self._problem(schema)
        field.help_text = format_html("{} {}", help, note) if help and note else help or note
        return Part("field", path, label, field=standalone_field(field))

    # Parts

    def _field(self, kind: str, schema: Schema, value: Any, path: str, label: str, required: bool) -> Field:
        field = Field(path, label, kind, required=required, initial=value)
        if kind == "select":
            options = self._options(schema)
            field.options = (
                options if options is not None else enum_options(schema, self.sources.words.get(setting_of(path)))
            )
            field.options = with_chosen(field.options, texts_of(value))
            field.placeholder = gettext("The company’s") if schema.get("x-widget") == "timezone" else ""
        elif kind == "yes_no":
            field.kind = "select"
            field.options = list(YES_NO)
            field.initial = json.dumps(value) if isinstance(value, bool) else value
            field.options = with_chosen(field.options, texts_of(field.initial))
        elif kind == "checks":
            items, _ = self.resolve(schema.get("items") or {})
            if is_days(schema, items):
                field.options = [Option(str(place), day) for place, day in enumerate(DAYS, 1)]
            else:
                options = self._options(schema)
                field.options = options if options is not None else enum_options(items)
            field.initial = value if isinstance(value, list) else []
            field.options = with_chosen(field.options, texts_of(field.initial))
        elif kind == "lines":
            items, _ = self.resolve(schema.get("items") or {})
            texts = [str(entry) for entry in (value if isinstance(value, list) else [])]
            if is_time(items):
                texts = [shown_time(entry, self.sources.zone) for entry in texts]
                field.placeholder = SHOWN
            field.kind = "textarea"
            field.initial = "\n".join(texts)
        elif kind == "json":
            field.kind = "textarea"
            field.initial = "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
        elif kind == "text":
            format = INPUTS.get(str(schema.get("format")), "text")
            if schema.get("x-widget") == "expression" or has_expression(value):
                format = "text"
            name = path.rpartition(".")[2]
            is_long = name in SEVERAL_LINES or (schema.get("maxLength", 0) > LONG and name not in ONE_LINE)
            several = is_long or (isinstance(value, str) and "\n" in value)
            field.kind = "textarea" if several else format
            if not isinstance(value, str | None):
                field.initial = shown_value(value)
            if field.kind == "datetime-local":
                field.initial = shown_time(value, self.sources.zone)
                field.kind = "datetime-local" if len(field.initial) in (0, len(SHOWN)) else "text"
        if path in self.wrong:
            field.initial = self.sent.get(path, "")
        return field

    def _group(self, schema: Schema, value: Any, path: str, label: str, help: str, optional: bool) -> Part:
        switch = Field(f"{path}:on", label, "switch", initial=value is not None, help_text=help) if optional else None
        parts = self._properties(schema, value, path)
        return Part(
            "group",
            path,
            label,
            "" if optional else help,
            parts=parts,
            switch=standalone_field(switch) if switch else None,
        )

    def _span(self, schema: Schema, held: Values, path: str, label: str, help: str) -> Part:
        unit, _ = self.resolve(schema["properties"]["unit"])
        amount = Field(f"{path}.amount", gettext("How many"), "number", initial=held.get("amount"))
        units = Field(f"{path}.unit", gettext("Unit"), "select", required=True, initial=held.get("unit") or "days")
        units.options = enum_options(unit, UNITS)
        parts = [
            Part("field", field.name, str(field.label), field=standalone_field(field)) for field in (amount, units)
        ]
        return Part("span", path, label, help, parts=parts)

    def _rows(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        items, _ = self.resolve(schema["items"])
        row_values = [row for row in value or () if isinstance(row, Mapping)] if isinstance(value, list) else []
        spare = max(SPARE, int(schema.get("minItems", 0)) - len(row_values))
        spare = max(0, min(spare, int(schema.get("maxItems", MAX_ROWS)) - len(row_values)))
        rows = []
        for place, row in enumerate([*row_values, *({} for _ in range(spare))]):
            parts = self._properties(items, row, f"{path}.{place}")
            title = (
                gettext("Entry %(number)s") % {"number": place + 1} if place < len(row_values) else gettext("New entry")
            )
            rows.append(Part("group", f"{path}.{place}", title, parts=parts))
        return Part("rows", path, label, help, parts=rows)

    def _pairs(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        offered = self.sources.fields(path) if schema.get("x-widget") == "fields" else ()
        pairs: list[tuple[str, Any]] = list(value.items()) if isinstance(value, Mapping) else []
        if any(name.startswith(f"{path}:") for name in self.wrong):
            pairs = [*self.sent_pairs(path)]  # two rows of one name, which no settings hold
        rows = []
        for place, (name, content) in enumerate([*pairs, *([("", None)] * (2 if not pairs else 1))]):
            naming = Field(
                f"{path}:name.{place}", gettext("Field") if offered else gettext("Name"), "text", initial=name
            )
            if offered:
                naming.kind = "select"
                naming.options = with_chosen([option for option, _ in offered], [name] if name else [])
            text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
            long = isinstance(text, str) and (len(text) > 80 or "\n" in text)
            giving = Field(f"{path}:value.{place}", gettext("Value"), "textarea" if long else "text", initial=text)
            parts = [
                Part("field", field.name, str(field.label), field=standalone_field(field)) for field in (naming, giving)
            ]
            rows.append(Part("group", f"{path}.{name}" if name else f"{path}:{place}", parts=parts))
        return Part("pairs", path, label, help, parts=rows)

    def _tree(self, schema: Schema, value: Any, path: str, label: str, help: str) -> Part:
        choices = self.choices_at(schema, path)
        state = tree_state(value, choices, str(self.sources.zone))
        return Part("tree", path, label, help, state=state, choices=choices, depends_on=panel_input(schema, path))


__all__ = ["SchemaForm", "Sources"]
