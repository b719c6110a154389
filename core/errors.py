"""The errors that callers see. One handler renders them all (core.api.handler)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NotRequired, TypedDict

import orjson
from django.utils.translation import gettext_noop

from core.types import Values

_PLACE = re.compile(r"\[(\d+)\]")
"""The place of an item in a list, as in nodes[1].id; in `errors` it is nodes.1.id, as for any body."""

Fields = str | Sequence[str]
"""Names of fields of a body or of parameters: one, several that belong together, or none."""

PERMISSION = "permission"
"""Code of a refusal because the role lacks a permission."""
WHOLE_BODY = "wholeBody"
"""Code of an error that is about no single field of the body."""


GONE = "gone"
"""Code of an error of a field whose record is not there, or no longer."""


class FieldError(TypedDict):
    """A refused field of a body, as a path such as handover.mode, or a refused parameter.

    `code` is the kind of the error, such as required. `text` is the message without the field's label, where
    `message` begins with it. Pages read them; bodies of answers leave them out. `operation` is one of the API that
    solves it, which bodies name after the message and pages leave out.
    """

    field: str
    message: str
    code: NotRequired[str]
    text: NotRequired[str]
    operation: NotRequired[str]


def field_errors(fields: Fields, text: str, operation: str = "") -> list[FieldError]:
    """Return the refused fields, each with the text."""
    errors = [FieldError(field=_PLACE.sub(r".\1", field), message=text) for field in _as_names(fields)]
    return [{**error, "operation": operation} for error in errors] if operation else errors


def with_operation(text: str, operation: str) -> str:
    """Return the text for programs, such as `connect an OCR app first (POST /apps/ocr)`."""
    return f"{text} ({operation})" if operation else text


def message_of(error: FieldError) -> str:
    """Return the message of a refused field for programs."""
    return with_operation(error["message"], error.get("operation", ""))


def detail_of(fields: Fields, text: str) -> str:
    """Return the text after the names of the fields, such as `lead, contact: enter one of them`."""
    return f"{', '.join(_as_names(fields))}: {text}" if fields else text


def _as_names(fields: Fields) -> tuple[str, ...]:
    if isinstance(fields, str):
        return (fields,) if fields else ()
    return tuple(fields)


@contextmanager
def renamed_fields(names: Mapping[str, str]) -> Iterator[None]:
    """Name the fields of errors as the caller's body does. `names` has field of a service -> field of the body."""
    try:
        yield
    except NamedError as error:
        error.rename_fields(lambda field: names.get(field, field))
        raise


class ApiError(Exception):
    """An expected failure with its own name, status, text and hint."""

    name = "BadRequest_400"
    """The error's name, which programs compare. Unlike a NamedError's it has no ResponseMessage row."""
    status = 400
    message = "Bad request"
    text: str = ""
    """The message in words for people, where the message itself is for programs. Pages translate and show it."""
    fields: tuple[str, ...]
    """The refused fields as the detail names them."""
    reason: str
    """The detail without its fields and its operation."""
    errors: Sequence[FieldError] = ()
    """The refused fields as the answer lists them."""
    retry_after: int | None = None
    """Seconds after which it is worth trying again."""
    extra: Values = {}
    """Further members of the response for programs, next to status, message and warning."""
    code: str = ""
    """The reason among those of the same name. Pages read it; bodies of answers leave it out."""
    params: Values = {}
    """The values in the detail, for pages that write their own text."""
    operation: str = ""
    """The operation of the API that solves it, such as POST /apps/ocr. Pages have buttons instead."""

    def __init__(self, text: str = "", *, field: Fields = ()) -> None:
        self.fields = _as_names(field)
        self.reason = text
        super().__init__(self.detail or self.message)

    @property
    def hint(self) -> str:
        """Return the fields and the reason."""
        return detail_of(self.fields, self.reason)

    @property
    def detail(self) -> str:
        """Return the text for programs: the fields, the reason and the operation that solves it."""
        return with_operation(self.hint, self.operation)

    def detail_at(self, path: str) -> str:
        """Return the detail without the fields where the path that it is shown at ends with them."""
        reason = with_operation(self.reason, self.operation)
        return reason if f".{path}".endswith(f".{', '.join(self.fields)}") else self.detail

    def prepend(self, text: str) -> None:
        """Put the text before the reason."""
        self.reason = f"{text}{self.reason}"
        self.errors = [{**error, "message": f"{text}{error['message']}"} for error in self.errors]

    def rename_fields(self, rename: Callable[[str], str]) -> None:
        """Name the refused fields as the caller's body does."""
        self.fields = tuple(rename(field) for field in self.fields)
        self.errors = [{**error, "field": _PLACE.sub(r".\1", rename(error["field"]))} for error in self.errors]


class NamedError(ApiError):
    """A failure of the catalogue. Its ResponseMessage row has the status; the fields and the text are the `warning`.

    `errors` are the refused fields, by default those of `field`, each with the text.
    """

    def __init__(
        self,
        name: str,
        text: str = "",
        *,
        field: Fields = (),
        errors: Sequence[FieldError] | None = None,
        retry_after: int | None = None,
        code: str = "",
        params: Values | None = None,
        operation: str = "",
    ) -> None:
        self.name = name
        self.retry_after = retry_after
        self.code = code
        self.operation = operation
        self.params = params or {}
        super().__init__(text, field=field)
        self.errors = field_errors(self.fields, self.reason, operation) if errors is None else errors

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" if self.detail else self.name


class PermissionLacking(NamedError):
    """A refusal because the caller's role lacks a permission such as contact.PUT.

    `field` is the one that needs it, and `reason` goes on with the text.
    """

    def __init__(self, permission: str, reason: str = "", *, field: str = "") -> None:
        text = f"your role lacks the permission {permission}{reason}"
        super().__init__("UnauthorizedAction_403", text, field=field, code=PERMISSION)


class InvalidFormat(ApiError):
    """A malformed id or a value of the wrong type (contract section 7, schema-level errors)."""

    name = "InvalidDataFormat_400"
    text = gettext_noop("A value has the wrong format.")

    def __init__(
        self,
        name: str,
        value: Any,
        text: str = "",
        *,
        field: Fields = (),
        errors: Sequence[FieldError] | None = None,
    ) -> None:
        self.message = f"Invalid format for field {name}: {shorten(value)}"
        super().__init__(text, field=field)
        own = field_errors(self.fields or name, self.reason or "has a wrong format")
        self.errors = own if errors is None else errors


class ValidationFailed(ApiError):
    """A body that violates its schema (contract section 7, schema-level errors).

    `details` is the message for programs. Without a text they are the text too.
    """

    name = "ValidationError_400"
    text = gettext_noop("Some values are missing or wrong.")

    def __init__(
        self, details: str, text: str = "", *, field: Fields = (), errors: Sequence[FieldError] | None = None
    ) -> None:
        self.message = f"Validation error: {details if text else detail_of(field, details)}"
        super().__init__(text, field=field if text else ())
        own = field_errors(self.fields or field, self.reason or details)
        self.errors = own if errors is None else errors


class DuplicateField(ApiError):
    """A value that another record of the company already has. `field` are the fields before the text, if others."""

    name = "DuplicateField_400"
    text = gettext_noop("Another record already has this value.")

    def __init__(
        self,
        name: Fields,
        text: str = "",
        *,
        field: Fields | None = None,
        code: str = "",
        params: Values | None = None,
    ) -> None:
        self.code = code
        self.params = params or {}
        names = _as_names(name)
        self.message = f"Duplicate field(s): {', '.join(names)}"
        super().__init__(text, field=(names if field is None else field) if text else ())
        self.errors = field_errors(names, self.reason or "another record has this value already")


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
