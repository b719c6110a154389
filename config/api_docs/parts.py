"""The parts of an operation for its page: parameters, fields of the body and the response, and possible statuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from http import HTTPStatus

from django.utils.safestring import SafeString, mark_safe

from config.api_docs.samples import resolve_reference
from core.messages.defaults import DEFAULTS
from core.types import JsonObject, Values

DEEPEST = 3
CODE = re.compile(r"`([^`]+)`")
ID_PATTERN = "^[0-9a-f]{24}$"
FORM_VALUE = "as in formData"
AS_IN_FORM = "as the field in formData"
ANY = "any JSON value"
WHEN = {
    "304": "Your copy is current: `If-None-Match` names the record's ETag.",
    "400": "Something about the request is refused. `warning` names the parameter or field.",
    "401": "There is no key or session, or it is unknown or has ended.",
    "403": "The key's maker or the member may not do this, or the plan does not cover it.",
    "404": "There is no such record, or it belongs to another company.",
    "409": "It conflicts with what is there, or the same Idempotency-Key is under way.",
    "412": "`If-Match` names an older state of the record; `changed` says what differs.",
    "413": "The body is too large.",
    "429": "Too many requests or attempts. `Retry-After` says how many seconds to wait.",
    "500": "An error of the service; with a name, the one below.",
    "502": "Another server, such as a vendor's, failed.",
    "503": "The database does not answer. Send the request again.",
}
"""Status -> when it comes."""
ENVELOPE = ("status", "success", "message")


@dataclass(frozen=True)
class Value:
    """A parameter or a field: its name, its type, and its depth within other fields."""

    name: str
    type: str
    required: bool
    text: SafeString
    depth: int = 0


@dataclass(frozen=True)
class Answer:
    """A status that an operation answers with."""

    status: str
    phrase: str
    text: SafeString
    """The cases in which it is sent."""
    messages: tuple[tuple[str, str], ...]
    """The names that it may have, and their texts."""


def prose(text: str) -> SafeString:
    """Return text as HTML, with `code` marked."""
    return mark_safe(CODE.sub(r"<code>\1</code>", escape(text)))  # noqa: S308  escaped here


def paragraphs(text: str) -> list[SafeString]:
    """Return the paragraphs of a description, without its list of errors, which the answers show."""
    return [prose(part) for part in text.split("\n\n") if part and not part.startswith("Errors: ")]


class Reader:
    """Reads the parts of one schema, whose references it follows."""

    def __init__(self, schema: JsonObject) -> None:
        self._components = schema.get("components", {})

    def parameters(self, operation: JsonObject) -> list[Value]:
        resolved = [self._resolve(parameter) for parameter in operation.get("parameters", ())]
        return [
            Value(
                f"{parameter['name']}{'' if parameter['in'] == 'query' else ' (' + parameter['in'] + ')'}",
                self.type_of(parameter.get("schema", {})),
                bool(parameter.get("required")),
                prose(parameter.get("description", "")),
            )
            for parameter in resolved
        ]

    def body(self, operation: JsonObject) -> tuple[str, list[Value]]:
        """Return the content type of the body and its fields."""
        for kind, content in self._resolve(operation.get("requestBody", {})).get("content", {}).items():
            return kind, list(self._fields(content.get("schema", {}), 0))
        return "", []

    def answer(self, operation: JsonObject) -> list[Value]:
        """Return the fields of the data in a successful response."""
        for status, response in operation.get("responses", {}).items():
            content = self._resolve(response).get("content", {}).get("application/json")
            if status.startswith("2") and content:
                fields = self._fields(content.get("schema", {}), 0)
                return [field for field in fields if field.depth or field.name not in ENVELOPE]
        return []

    def answers(self, operation: JsonObject) -> list[Answer]:
        responses = sorted(operation.get("responses", {}).items())
        return [_answer(status, self._resolve(response).get("description", "")) for status, response in responses]

    def type_of(self, schema: Values) -> str:
        """Return the type of a value as text."""
        schema = self._resolve(schema)
        if "enum" in schema:
            return "one of " + ", ".join("null" if option is None else str(option) for option in schema["enum"])
        if "const" in schema:
            return str(schema["const"]).lower() if isinstance(schema["const"], bool) else str(schema["const"])
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return " or ".join(dict.fromkeys(self.type_of(option) for option in schema[several]))
        if "allOf" in schema:
            return " and ".join(dict.fromkeys(self.type_of(part) for part in schema["allOf"]))
        if schema.get("pattern") == ID_PATTERN:
            return "id"
        if "type" not in schema:
            return AS_IN_FORM if schema.get("description") == FORM_VALUE else ANY
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return " or ".join(dict.fromkeys(self._name(name, schema) for name in types))

    def _name(self, name: str, schema: Values) -> str:
        if name == "null":
            return name
        if name == "array":
            return f"list of {self.type_of(schema.get('items', {}))}"
        if name == "object" and "properties" not in schema and isinstance(schema.get("additionalProperties"), dict):
            values = schema["additionalProperties"]
            return f"object of {self.type_of(values)}" if values else name
        return {"date-time": "time", "date": "date", "binary": "file"}.get(schema.get("format", ""), name)

    def _fields(self, schema: Values, depth: int) -> Iterator[Value]:
        schema = self._resolve(schema)
        while "items" in schema:
            schema = self._resolve(schema["items"])
        for part in schema.get("allOf", ()):
            yield from self._fields(part, depth)
        required = schema.get("required", ())
        for name, inner in schema.get("properties", {}).items():
            resolved_schema = self._resolve(inner)
            text = inner.get("description") or resolved_schema.get("description", "")
            yield Value(name, self.type_of(inner), name in required, prose(text), depth)
            if depth + 1 < DEEPEST:
                yield from self._fields(resolved_schema, depth + 1)

    def _resolve(self, part: Values) -> Values:
        return resolve_reference(part, self._components)


def _answer(status: str, description: str) -> Answer:
    """Return a status with the texts of the names in its description."""
    names = [name for name in description.split(", ") if name in DEFAULTS]
    rest = ", ".join(part for part in description.split(", ") if part not in DEFAULTS)
    when = WHEN.get(status, "")
    text = " ".join(part for part in (when, f"{rest}." if rest and status not in WHEN else "") if part)
    return Answer(status, _phrase(status), prose(text), tuple((name, DEFAULTS[name][1]) for name in names))


def _phrase(status: str) -> str:
    try:
        return HTTPStatus(int(status)).phrase
    except ValueError:
        return ""
