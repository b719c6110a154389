"""Example answers, made from the schema: a value of each field, from the example body where it has one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

from core.types import JsonObject, Values

Schema = Values


Part = TypeVar("Part", bound=Values)


def resolve_reference(part: Part, components: Mapping[str, Mapping[str, Part]]) -> Part:
    """Return the part of a schema, or the component that it refers to."""
    while "$ref" in part:
        kind, name = part["$ref"].removeprefix("#/components/").split("/")
        part = components[kind][name]
    return part


DEEPEST = 6
ID_PATTERN = "^[0-9a-f]{24}$"
TIME = "2026-11-23T19:05:11.120Z"
FORMATS: Mapping[str, str] = {
    "date-time": TIME,
    "date": "2026-11-23",
    "time": "09:00:00",
    "email": "ann.lee@example.com",
    "uri": "https://www.example.com/",
    "uuid": "0b0cf0f4-6d0e-4d8a-8f4f-2f5c1f0d6a11",
    "binary": "…",
}
TEXTS: Mapping[str, str] = {
    "name": "Ann Lee",
    "email": "ann.lee@example.com",
    "fromEmail": "sales@example.com",
    "countryCode": "+44",
    "number": "7400123456",
    "timezone": "Europe/London",
    "currency": "EUR",
    "color": "#d9480f",
    "url": "https://www.example.com/",
    "subject": "Hello Ann Lee",
    "mime": "text/csv",
    "start": "09:00",
    "end": "17:00",
    "etag": 'W/"…"',
    "nextCursor": "eyJ2IjpbMjBdfQ",
}
NUMBERS: Mapping[str, int] = {"totalCount": 1, "size": 2048, "port": 587}


class Sampler:
    """Makes values of the schemas of one document."""

    def __init__(self, document: Schema, example: Values) -> None:
        self._components = document.get("components", {})
        form = example.get("formData")
        self._given: JsonObject = {**example, **form} if isinstance(form, Mapping) else {**example}

    def answer(self, operation: Schema) -> Any:
        """Return an example of the JSON that a success brings; None where it brings none."""
        for status, response in sorted(operation.get("responses", {}).items()):
            if status.startswith("2"):
                content = self._resolve(response).get("content", {}).get("application/json")
                if content is None:
                    return None
                sample = self._value(content["schema"], "", 0)
                message = response.get("description")
                if not isinstance(sample, Mapping):
                    return sample
                envelope = {"success": True, "message": message or sample.get("message")}
                return {**sample, **{key: value for key, value in envelope.items() if key in sample}}
        return None

    def value(self, schema: Schema, name: str = "") -> Any:
        """Return a value of a schema. Known names have values that people know."""
        return self._value(schema, name, 0)

    def _value(self, schema: Schema, name: str, depth: int) -> Any:
        schema = self._resolve(schema)
        for fixed in ("example", "const"):
            if fixed in schema:
                return schema[fixed]
        if "enum" in schema:
            example = self._given.get(name)
            return (
                example
                if example in schema["enum"]
                else next((option for option in schema["enum"] if option is not None), None)
            )
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return self._value(self._pick_schema(schema[several], depth), name, depth)
        if "allOf" in schema:
            return self._merge_parts(schema, name, depth)
        return self._sample_by_type(schema, name, depth)

    def _pick_schema(self, schemas: list[Schema], depth: int) -> Schema:
        """Return the first schema that is not null, or null below DEEPEST."""
        null = [schema for schema in schemas if schema.get("type") == "null"]
        if null and depth > DEEPEST:
            return null[0]
        return next((schema for schema in schemas if schema.get("type") != "null"), schemas[0])

    def _merge_parts(self, schema: Schema, name: str, depth: int) -> Any:
        values = [self._value(part, name, depth) for part in schema["allOf"]]
        if not all(isinstance(value, Mapping) for value in values):
            return values[0]
        own = self._object(schema, depth)
        return {key: value for part in (*values, own) for key, value in part.items()}

    def _sample_by_type(self, schema: Schema, name: str, depth: int) -> Any:
        kinds = schema.get("type", ())
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        kind = next((option for option in kinds if option != "null"), "null")
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth, name)
        if kind == "array":
            return self._list(schema, name, depth)
        if kind == "boolean":
            example = self._given.get(name)
            return example if isinstance(example, bool) else False
        if kind in ("integer", "number"):
            return self._number(schema, name)
        if kind == "string":
            return self._text(schema, name)
        return None

    def _object(self, schema: Schema, depth: int, name: str = "") -> JsonObject:
        properties = schema.get("properties", {})
        if not properties:
            example = self._given.get(name)
            form = name == "formData" and {key: value for key, value in TEXTS.items() if key in ("name", "email")}
            return dict(example) if isinstance(example, Mapping) and name == "formData" else form or {}
        required = schema.get("required", properties)
        sampled = properties if depth <= DEEPEST else {key: properties[key] for key in required if key in properties}
        return {key: self._value(inner, key, depth + 1) for key, inner in sampled.items()}

    def _list(self, schema: Schema, name: str, depth: int) -> list[Any]:
        items = self._resolve(schema.get("items", {}))
        if not items or depth > DEEPEST:
            return [self._value(items, name, depth + 1)] * schema.get("minItems", 0)
        return [self._value(items, name, depth + 1)] * max(schema.get("minItems", 1), 1)

    def _number(self, schema: Schema, name: str) -> Any:
        number = self._given.get(name, NUMBERS.get(name, 1))
        least, most = schema.get("minimum", number), schema.get("maximum", number)
        if isinstance(number, bool) or not isinstance(number, int | float):
            number = least if isinstance(least, int | float) else 1
        return (
            min(max(number, least), most)
            if isinstance(least, int | float) and isinstance(most, int | float)
            else number
        )

    def _text(self, schema: Schema, name: str) -> str:
        if schema.get("pattern") == ID_PATTERN or (schema.get("minLength"), schema.get("maxLength")) == (24, 24):
            return hashlib.sha256(name.encode()).hexdigest()[:24]
        if schema.get("format") in FORMATS:
            return FORMATS[schema["format"]]
        example = self._given.get(name, TEXTS.get(name))
        text = example if isinstance(example, str) else "…"
        return text[: schema.get("maxLength", len(text))]

    def _resolve(self, part: Schema) -> Schema:
        return resolve_reference(part, self._components)
