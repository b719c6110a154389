"""The settings that a browser sent by a form that was drawn from a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson
from django.http import QueryDict
from django.utils.translation import gettext

from core.types import JsonObject
from core.web.filters import filter_changes
from core.web.flows.schemas import (
    MAX_PAIRS,
    MAX_ROWS,
    UNSHOWN,
    Schema,
    Schemas,
    conditions_of,
    has_expression,
    is_time,
    matches_condition,
    pair_text,
    read_time,
    shown_value,
    tree_state,
    typed_value,
)
from core.web.forms import read_input
from core.web.lists import MATCH, ListState


class ReadingForm(Schemas):
    """Reads settings. Errors are in `wrong`, path -> error."""

    sent: QueryDict
    wrong: dict[str, str]
    tree: str
    """The path of the conditions that the form changes: those of one setting at a time."""

    def _read_properties(self, schema: Schema, values: Any, path: str) -> JsonObject:
        present = values if isinstance(values, Mapping) else {}
        properties = schema.get("properties", {})
        settings = {}
        for name, raw in properties.items():
            if not self._matters(raw, path, f"{path}.{name}", properties):
                continue
            value = self._read(raw, present.get(name), f"{path}.{name}")
            if value is not None:
                settings[name] = value
        return settings

    def _matters(self, raw: Schema, path: str, own: str, properties: Mapping[str, Schema]) -> bool:
        """Return whether the other input makes a setting matter. An input that was not sent is ignored."""
        needs = self.sources.shown_if.get(own) or {
            f"{path}.{name}": values for name, values in conditions_of(raw.get("x-show-if"))
        }
        boxes = {f"{path}.{name}" for name, subschema in properties.items() if self._is_left_out(subschema)}
        # What a refused value would hide stays, since no one has chosen to lose it.
        conditions = {
            name: values
            for name, values in needs.items()
            if (name in self.sent or name in boxes) and name not in self.wrong
        }
        return all(matches_condition(self.sent.getlist(name), values) for name, values in conditions.items())

    def _is_left_out(self, raw: Schema) -> bool:
        """Return whether browsers leave the setting out when nothing of it is ticked."""
        return self._kind(self.resolve(raw)[0]) in ("switch", "checks")

    def _read(self, raw: Schema, held: Any, path: str) -> Any:
        """Return a setting as it was sent; None for nothing."""
        schema, optional = self.resolve(raw)
        kind = self._kind(schema)
        if kind == "tree":
            return self._read_tree(schema, held, path)
        if kind == "span":
            return self._read_span(path, optional)
        if kind == "object":
            if optional and f"{path}:on" not in self.sent:
                return None
            return self._read_properties(schema, held, path)
        if kind == "rows":
            return self._read_rows(schema, held, path)
        if kind == "pairs":
            return self._read_pairs(schema, held, path)
        return self._read_field(kind, schema, held, path)

    def _read_field(self, kind: str, schema: Schema, held: Any, path: str) -> Any:
        read_as = {"lines": "textarea", "json": "textarea", "yes_no": "select"}.get(kind, kind)
        value = read_input(path, read_as, self.sent)
        if kind == "json":
            return self._read_json(path, value)
        if kind in ("lines", "checks"):
            several = value if kind == "checks" else [line.strip() for line in value.split("\n") if line.strip()]
            items, _ = self.resolve(schema.get("items") or {})
            if is_time(items):
                before = held if isinstance(held, list) else []
                several = [read_time(text, self.sources.zone, before) for text in several]
            if items.get("type") in ("integer", "number"):
                several = [int(text) if re.fullmatch(r"-?\d{1,9}", text) else text for text in several]
            return several or None
        if kind == "yes_no":
            return {"true": True, "false": False}.get(value, value or None)
        if kind == "text" and "type" not in schema:
            return _read_anything(value, held)
        if kind == "text" and value and (error := self._typing_error(schema, value)):
            self.wrong[path] = error
        if kind == "select" and schema.get("type") in ("integer", "number"):
            return int(value) if re.fullmatch(r"-?\d{1,9}", value) else value or None
        if value and is_time(schema) and not has_expression(value):
            return read_time(value, self.sources.zone, [held])
        return None if value == "" else value

    def _read_json(self, path: str, text: str) -> Any:
        try:
            return orjson.loads(text) if text else None
        except (ValueError, RecursionError):
            self.wrong[path] = gettext("This is not valid JSON")
            return text

    def _read_span(self, path: str, optional: bool) -> Any:
        amount = read_input(f"{path}.amount", "number", self.sent)
        return None if amount is None else {"amount": amount, "unit": self.sent.get(f"{path}.unit", "days")}

    def _read_rows(self, schema: Schema, held: Any, path: str) -> list[Any] | None:
        items, _ = self.resolve(schema["items"])
        before = held if isinstance(held, list) else []
        rows = []
        for place in range(MAX_ROWS):
            if f"{path}.{place}:there" not in self.sent or self.sent.get("drop_row") == f"{path}.{place}":
                continue
            row = self._read_properties(items, before[place] if place < len(before) else {}, f"{path}.{place}")
            own = {
                name
                for name, content in row.items()
                if content != self.resolve(items["properties"][name])[0].get("default")
            }
            if place < len(before) or own:
                rows.append(row)
        return rows or None

    def sent_pairs(self, path: str) -> list[tuple[str, str]]:
        """Return the (name, text) of each row that was sent, empty ones too."""
        rows = []
        for place in range(MAX_PAIRS):
            name = self.sent.get(f"{path}:name.{place}")
            if name is None:
                break
            text = self.sent.get(f"{path}:value.{place}", "").replace("\r\n", "\n").strip()
            rows.append((name.strip(), text))
        return rows

    def _read_pairs(self, schema: Schema, held: Any, path: str) -> JsonObject | None:
        types = {}
        if schema.get("x-widget") == "fields":
            types = {option.value: type for option, type in self.sources.fields(path)}
        before = held if isinstance(held, Mapping) else {}
        pairs: JsonObject = {}
        for place, (name, text) in enumerate(self.sent_pairs(path)):
            if name in pairs:
                self.wrong[f"{path}:name.{place}"] = gettext("This name is used twice")
            elif name and name in before and pair_text(before[name]).strip() == text:
                pairs[name] = before[name]
            elif name:
                pairs[name] = typed_value(text, types.get(name, "any"))
        return pairs or None

    def _read_tree(self, schema: Schema, held: Any, path: str) -> Any:
        state = tree_state(held, self.choices_at(schema, path), str(self.sources.zone))
        if path != self.tree or self.sent.get("tree", path) != path:
            return held
        added, dropped = filter_changes(self.sent, [choice.name for choice in state.choices.values()])
        query = QueryDict(mutable=True)
        texts = dict.fromkeys([*(str(condition) for condition in state.filters), *added])
        query.setlist("f", [text for text in texts if text not in dropped])
        query[MATCH] = self.sent.get(MATCH) or ("any" if state.any else "")
        fixed = () if UNSHOWN in dropped else state.fixed
        changed = ListState(query, state.choices, fixed=fixed, zone=state.zone)
        if changed.unread:
            self.wrong[path] = changed.unread[0].problem
        return changed.selection().get("advancedFilters")


def _read_anything(text: str, held: Any) -> Any:
    """Return the value of any type of an input: the stored one if the text shows that, lists and objects as JSON."""
    if not isinstance(held, str | None) and text == shown_value(held):
        return held
    is_json = text[:1] in ("[", "{") and not has_expression(text) and text != held
    return typed_value(text, "any") if is_json else text or None
