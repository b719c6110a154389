"""The errors that callers see. One handler renders them all (core.api.handler)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """An expected failure with its own status, text and hint."""

    status = 400
    message = "Bad request"
    retry_after: int | None = None
    """Seconds after which it is worth trying again."""
    extra: Mapping[str, Any] = {}
    """Further members of the response for programs, next to status, message and warning."""

    def __init__(self, detail: str = "") -> None:
        self.detail = detail
        super().__init__(detail or self.message)


class NamedError(ApiError):
    """A failure with a name. Its ResponseMessage row has the status and text; `detail` is the answer's `warning`."""

    def __init__(self, name: str, detail: str = "", *, retry_after: int | None = None) -> None:
        self.name = name
        self.retry_after = retry_after
        super().__init__(detail)

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" if self.detail else self.name


class InvalidFormat(ApiError):
    """A malformed id or a value of the wrong type (contract section 7, schema-level errors)."""

    def __init__(self, field: str, value: Any, detail: str = "") -> None:
        self.field = field
        self.message = f"Invalid format for field {field}: {shorten(value)}"
        super().__init__(detail)


class ValidationFailed(ApiError):
    """A body that violates its schema (contract section 7, schema-level errors)."""

    def __init__(self, details: str, detail: str = "") -> None:
        self.message = f"Validation error: {details}"
        super().__init__(detail)


class DuplicateField(ApiError):
    """A value that another record of the company already has."""

    def __init__(self, field: str, detail: str = "") -> None:
        self.message = f"Duplicate field(s): {field}"
        super().__init__(detail)


class InvalidToken(ApiError):
    """A session token that is missing, malformed, expired or revoked."""

    status = 401
    message = "Invalid token. Please log in again"


def shorten(value: Any, limit: int = 100) -> str:
    """Shorten the value to one printable line, safe to repeat in a message."""
    whole = str(value)
    most = limit * 20  # a cell may have a hundred thousand characters, of which few are shown
    text = " ".join(whole[:most].split())
    text = "".join(character for character in text if character.isprintable())
    return text if len(text) <= limit and len(whole) <= most else text[: limit - 1] + "…"
