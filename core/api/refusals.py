"""The body of every failure (contract section 7), and what exceptions say in it."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, IntegrityError, OperationalError
from django.db.models import F
from django.http import Http404
from psycopg.errors import QueryCanceled
from rest_framework import exceptions

from core.access.own_records import BEYOND_OWN
from core.database import database_is_away, database_takes_no_writes
from core.errors import WHOLE_BODY, ApiError, DuplicateField, FieldError, NamedError, message_of, with_operation
from core.messages import UNKNOWN, message_for
from core.tenancy import active_scope
from core.text.names import to_camel_case
from core.types import JsonObject, Values

UNIQUE_VIOLATION = "23505"
FOREIGN_KEY_VIOLATION = "23503"
INSUFFICIENT_PRIVILEGE = "42501"
RETRY_SECONDS = 5


@dataclass(frozen=True)
class Refusal:
    """The answer to a request that failed. `name` is what programs compare; `errors` are the refused fields.

    `operation` of the API solves it, which the body names after the warning. `code`, `params` and `text`, the message
    in words for people, are for pages, which ask in process.
    """

    status: int
    name: str
    message: str
    warning: str = ""
    errors: Sequence[FieldError] = ()
    code: str = ""
    params: Values = field(default_factory=dict)
    text: str = ""
    operation: str = ""

    def body(self, error: BaseException | None = None) -> JsonObject:
        """Return the envelope. `stack` is there in development mode only."""
        members: JsonObject = {
            "status": "error" if self.status >= 500 else "fail",
            "success": False,
            "name": self.name,
            "message": self.message,
            "warning": with_operation(self.warning, self.operation),
        }
        if self.errors:
            members["errors"] = [{"field": error["field"], "message": message_of(error)} for error in self.errors]
        if settings.DEBUG and error is not None:
            members["stack"] = "".join(traceback.format_exception(error))
        return members


UNFORESEEN = Refusal(UNKNOWN[0], "InternalServerError_500", UNKNOWN[1])
UNAVAILABLE = Refusal(
    503,
    "ServiceUnavailable_503",
    "The service is not available right now",
    f"the database does not answer; try again in {RETRY_SECONDS} seconds",
)
"""Its text is no message row, since those are in the database that is away."""
NO_SPACE = Refusal(
    503,
    UNAVAILABLE.name,
    UNAVAILABLE.message,
    "the database can save nothing at the moment, such as on a full disk; nothing was changed, try again later",
)
CANCELLED = Refusal(
    503, UNAVAILABLE.name, UNAVAILABLE.message, f"the database was told to stop; try again in {RETRY_SECONDS} seconds"
)
INVALID = "ValidationError_400"
MALFORMED = "Validation error: the request is malformed"
NAMES: Mapping[str, str] = {
    "BodyTooLarge_400": "the body is larger than what is taken",
    "BodyTooLarge_413": "the same, of a webhook",
    "DuplicateField_400": "another record has the value of a unique field",
    "InternalServerError_500": "an error that nobody foresaw",
    "InvalidLink_400": "a link of a mail is malformed, used or too old",
    "InvalidToken_401": "a session token is missing, malformed, expired or revoked",
    "MethodNotAllowed_405": "a webhook takes POST alone",
    "RecordChanged_412": "If-Match names an earlier state of the record",
    "RequestUnderWay_409": "the request with this Idempotency-Key has not ended",
    "RequestUnfinished_409": "the request with this Idempotency-Key was cut off",
    "ServiceUnavailable_503": "the database is away",
    "TooManyAttempts_429": "too many attempts of a kind that is limited, such as log-in",
    "TooManyRequests_429": "too many requests",
    "UnsupportedMediaType_400": "the body is of a media type that is not taken",
    "WrongCode_400": "the code of a second factor does not fit",
}
"""Names of failures that have no ResponseMessage row, since their text depends on the request -> their meaning."""


def refusal_of(error: BaseException) -> Refusal:
    """Return what the answer says of an exception."""
    if isinstance(error, NamedError):
        refusal = refusal_of_name(error.name, error.hint, error.errors)
        return replace(refusal, code=error.code, params=error.params, operation=error.operation)
    if isinstance(error, ApiError):
        refusal = Refusal(error.status, error.name, error.message, error.hint, error.errors, text=error.text)
        return replace(refusal, code=error.code, params=error.params)
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, Http404):
        return refusal_of_name("NotFound_404", "there is no such path")
    if isinstance(error, RequestDataTooBig):
        most = f"at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE} bytes"
        whole = FieldError(field="body", message=most, code=WHOLE_BODY)
        return Refusal(400, "BodyTooLarge_400", "Validation error: the body is too large", most, [whole])
    if isinstance(error, SuspiciousOperation):
        return Refusal(400, INVALID, MALFORMED, str(error))
    if _is_beyond_own_records(error):
        return refusal_of_name("UnauthorizedAction_403", BEYOND_OWN)
    if isinstance(error, IntegrityError):
        return _of_constraint(error)
    return retryable_refusal(error) or UNFORESEEN


def refusal_of_name(name: str, detail: str = "", errors: Sequence[FieldError] = ()) -> Refusal:
    """Return the refusal of the catalogue with this name. One without a row is unforeseen (contract)."""
    status, text = message_for(name)
    if (status, text) == UNKNOWN:
        return replace(UNFORESEEN, warning=detail)
    return Refusal(status, name, text, detail, errors)


def _of_framework(error: exceptions.APIException) -> Refusal:
    """Return what the answer says of an exception of DRF."""
    detail = str(error.detail)
    if isinstance(error, exceptions.NotFound):
        return refusal_of_name("NotFound_404", "there is no such path")
    if isinstance(error, exceptions.MethodNotAllowed):
        return refusal_of_name("NotFound_404", detail)
    if isinstance(error, exceptions.UnsupportedMediaType):
        header = FieldError(field="Content-Type", message=detail)
        return Refusal(400, "UnsupportedMediaType_400", "Validation error: the body must be JSON", detail, [header])
    if isinstance(error, exceptions.ParseError):
        hint = "send a JSON object with Content-Type: application/json"
        whole = FieldError(field="body", message=detail, code=WHOLE_BODY)
        return Refusal(400, INVALID, f"Validation error: {detail}", hint, [whole])
    name = "BadRequest_400" if error.status_code < 500 else UNFORESEEN.name
    return Refusal(error.status_code, name, detail)


def retryable_refusal(error: BaseException | None) -> Refusal | None:
    """Return the answer to a statement that may well succeed later: the database is away, takes no writes, or an
    operator or a time limit has cancelled it. None for any other error."""
    if database_is_away(error):
        return UNAVAILABLE
    if database_takes_no_writes(error):
        return NO_SPACE
    return CANCELLED if isinstance(error, OperationalError) and isinstance(error.__cause__, QueryCanceled) else None


def _is_beyond_own_records(error: BaseException) -> bool:
    """Return whether the database has refused a write since its rows, or rows that refer to them, are no own records.

    Services refuse most of these themselves; this is for actions on the whole company, such as deleting a tag.
    """
    scope = active_scope()
    if scope is None or scope.own is None or not isinstance(error, DatabaseError):
        return False
    state = getattr(getattr(error.__cause__, "diag", None), "sqlstate", "")
    return state in (INSUFFICIENT_PRIVILEGE, FOREIGN_KEY_VIOLATION)


def _of_constraint(error: IntegrityError) -> Refusal:
    """Return what the answer says of a constraint that no service has translated: duplicates by the contract, others
    as 500."""
    diagnosis = getattr(error.__cause__, "diag", None)
    if getattr(diagnosis, "sqlstate", "") != UNIQUE_VIOLATION:
        return UNFORESEEN
    names = constrained_fields(
        getattr(diagnosis, "table_name", None) or "", getattr(diagnosis, "constraint_name", None) or ""
    )
    hint = "another record has this value already"
    fields = [to_camel_case(name) for name in names]
    message = f"Duplicate field(s): {', '.join(fields) or 'unknown'}"
    errors = [FieldError(field=name, message=hint) for name in fields]
    return Refusal(400, DuplicateField.name, message, hint, errors, text=DuplicateField.text)


def constrained_fields(table: str, constraint_name: str) -> list[str]:
    """Return the fields of a unique constraint from the models, since row-level security hides the values."""
    for model in apps.get_models():
        if model._meta.db_table != table:
            continue
        for constraint in model._meta.constraints:
            if constraint.name == constraint_name:
                return [name for name in named_fields(constraint) if name != "company"]
        return [
            field.name for field in model._meta.local_fields if field.unique and f"_{field.column}_" in constraint_name
        ]
    return []


def named_fields(constraint: Any) -> list[str]:
    """Return the fields of a constraint, including those inside expressions such as Lower("name")."""

    def inside(expression: Any) -> list[str]:
        if isinstance(expression, F):
            return [str(expression.name)]  # type: ignore[attr-defined]
        return [name for part in expression.get_source_expressions() for name in inside(part)]

    return [
        *getattr(constraint, "fields", ()),
        *(name for part in getattr(constraint, "expressions", ()) for name in inside(part)),
    ]
