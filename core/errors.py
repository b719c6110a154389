"""The errors that callers see. One handler renders them all (core.api.handler)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NotRequired, TypedDict

import orjson
from django.utils.translation import gettext_noop

from core.types import Values

_FIELD = r"[A-Za-z_](?:[\w.-]|\[\d+\])*"
NAMED_FIELDS = re.compile(rf"({_FIELD}(?:, {_FIELD})*): (.+)", re.DOTALL)
"""The form of a detail that is about one field or parameter, or about several that belong together."""
PLACE = re.compile(r"\[(\d+)\]")
"""The place of an item in a list, as in nodes[1].id; in `errors` it is nodes.1.id, as for any body."""


PERMISSION = "permission"
"""Code of a refusal because the role lacks a permission."""
WHOLE_BODY = "wholeBody"
"""Code of an error that is about no single field of the body."""


GONE = "gone"
"""Code of an error of a field whose record is not there, or no longer."""


class FieldError(TypedDict):
    """A refused field of a body, as a path such as handover.mode, or a refused parameter.

    `code` is the kind of the error, such as required. `text` is the message without the field's label, where
    `message` begins with it. Pages read them; bodies of answers leave them out.
    """

    field: str
    message: str
    code: NotRequired[str]
    text: NotRequired[str]


def field_errors(detail: str) -> list[FieldError]:
    """Return the fields that a detail of the form `field: text` or `field, field: text` is about; none for others."""
    match = NAMED_FIELDS.fullmatch(detail)
    names = match[1].split(", ") if match else []
    return [FieldError(field=PLACE.sub(r".\1", name), message=match[2]) for name in names] if match else []


@contextmanager
def renamed_fields(names: Mapping[str, str]) -> Iterator[None]:
    """Name the fields of errors as the caller's body does. `names` has field of a service -> field of the body."""
    try:
        yield
    except NamedError as error:
        for field, name in names.items():
            error.detail = re.sub(rf"^{re.escape(field)}(?=[:,])", name, error.detail)
        error.errors = [{**entry, "field": names.get(entry["field"], entry["field"])} for entry in error.errors]
        raise


class ApiError(Exception):
    """An expected failure with its own name, status, text and hint."""

    name = "BadRequest_400"
    """The error's name, which programs compare. Unlike a NamedError's it has no ResponseMessage row."""
    status = 400
    message = "Bad request"
    text: str = ""
    """The message in words for people, where the message itself is for programs. Pages translate and show it."""
    errors: Sequence[FieldError] = ()
    """The refused fields."""
    retry_after: int | None = None
    """Seconds after which it is worth trying again."""
    extra: Values = {}
    """Further members of the response for programs, next to status, message and warning."""
    code: str = ""
    """The reason among those of the same name. Pages read it; bodies of answers leave it out."""
    params: Values = {}
    """The values in the detail, for pages that write their own text."""

    def __init__(self, detail: str = "") -> None:
        self.detail = detail
        super().__init__(detail or self.message)


class NamedError(ApiError):
    """A failure of the catalogue. Its ResponseMessage row has the status and text; `detail` is the answer's `warning`.

    `errors` are the refused fields; without them a detail of the form `field: text` or `field, field: text` names them.
    """

    def __init__(
        self,
        name: str,
        detail: str = "",
        *,
        errors: Sequence[FieldError] | None = None,
        retry_after: int | None = None,
        code: str = "",
        params: Values | None = None,
    ) -> None:
        self.name = name
        self.errors = field_errors(detail) if errors is None else errors
        self.retry_after = retry_after
        self.code = code
        self.params = params or {}
        super().__init__(detail)

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" if self.detail else self.name


class PermissionLacking(NamedError):
    """A refusal because the caller's role lacks a permission such as contact.PUT.

    `field` is the one that needs it, and `reason` goes on with the detail.
    """

    def __init__(self, permission: str, reason: str = "", *, field: str = "") -> None:
        detail = f"your role lacks the permission {permission}{reason}"
        super().__init__("UnauthorizedAction_403", f"{field}: {detail}" if field else detail, code=PERMISSION)


class InvalidFormat(ApiError):
    """A malformed id or a value of the wrong type (contract section 7, schema-level errors)."""

    name = "InvalidDataFormat_400"
    text = gettext_noop("A value has the wrong format.")

    def __init__(self, field: str, value: Any, detail: str = "", *, errors: Sequence[FieldError] | None = None) -> None:
        self.field = field
        self.message = f"Invalid format for field {field}: {shorten(value)}"
        hint = field_errors(detail) or [FieldError(field=field, message=detail or "has a wrong format")]
        self.errors = hint if errors is None else errors
        super().__init__(detail)


class ValidationFailed(ApiError):
    """A body that violates its schema (contract section 7, schema-level errors)."""

    name = "ValidationError_400"
    text = gettext_noop("Some values are missing or wrong.")

    def __init__(self, details: str, detail: str = "", *, errors: Sequence[FieldError] | None = None) -> None:
        self.message = f"Validation error: {details}"
        self.errors = field_errors(detail or details) if errors is None else errors
        super().__init__(detail)


class DuplicateField(ApiError):
    """A value that another record of the company already has."""

    name = "DuplicateField_400"
    text = gettext_noop("Another record already has this value.")

    def __init__(self, field: str, detail: str = "", *, code: str = "", params: Values | None = None) -> None:
        self.code = code
        self.params = params or {}
        self.message = f"Duplicate field(s): {field}"
        hint = detail.removeprefix(f"{field}: ") or "another record has this value already"
        self.errors = [FieldError(field=name, message=hint) for name in field.split(", ")]
        super().__init__(detail)


class InvalidToken(ApiError):
    """A session token that is missing, malformed, expired or revoked."""

    name = "InvalidToken_401"
    status = 401
    message = "Invalid token. Please log in again"


def shorten(value: Any, limit: int = 100) -> str:
    """Shorten the value to one printable line, safe to repeat in a message. What is no text is written as JSON."""
    whole = _json(value) if value is None or isinstance(value, bool | dict | list | tuple) else str(value)
    most = limit * 20  # a cell may have a hundred thousand characters, of which few are shown
    text = " ".join(whole[:most].split())
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= limit and len(whole) <= most else text[: limit - 1] + "…"


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except orjson.JSONEncodeError:  # a number that is longer than JSON's
        return str(value)
