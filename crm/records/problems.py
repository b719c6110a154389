"""Problems of values, and the error that names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.errors import GONE, PERMISSION, FieldError, NamedError

MISSING_VALUE = "required"
"""Code of the problem of a required value that is missing, or cannot be left out."""


class ValueProblem(NamedTuple):
    """A problem of one value: its formData key, the error's name, and the reason. `label` is a custom field's name.

    `code` is the kind of the problem among those of the same name, such as MISSING_VALUE.
    """

    key: str
    name: str
    message: str
    label: str = ""
    code: str = ""

    @property
    def text(self) -> str:
        """The reason after the field's name, which people know, unlike its key."""
        return (
            f"{self.label}: {self.message}" if self.label and self.label.lower() != self.key.lower() else self.message
        )

    @property
    def fields(self) -> list[str]:
        """The keys: several for a problem of values that belong together, none for one of the whole form."""
        return self.key.split(", ") if self.key else []

    def __str__(self) -> str:
        return f"{self.key}: {self.text}"


def explain(problems: Iterable[ValueProblem]) -> str:
    """Join the problems into one warning."""
    return _join_texts([str(problem) for problem in problems])


def reason_of(problems: Sequence[ValueProblem]) -> str:
    """Return the warning of `explain` without the fields of the first problem."""
    return _join_texts([problems[0].text, *(str(problem) for problem in problems[1:])])


def _join_texts(texts: Sequence[str]) -> str:
    return "; ".join([*(text.rstrip(".") for text in texts[:-1]), *texts[-1:]])


def _field_error(problem: ValueProblem, field: str) -> FieldError:
    error = FieldError(field=field, message=problem.text, text=problem.message)
    if problem.code == GONE or "NotFound_" in problem.name:
        return {**error, "code": GONE}
    return {**error, "code": MISSING_VALUE} if problem.code == MISSING_VALUE else error


def problems_error(problems: Sequence[ValueProblem], where: str = "") -> NamedError:
    """Return the error of a form with these problems. It has the name of the first one, and all fields."""
    errors = [_field_error(problem, field) for problem in problems for field in problem.fields or [""]]
    text = explain(problems)
    name = problems[0].name
    code = PERMISSION if name == "UnauthorizedAction_403" else ""
    return NamedError(name, f"{where}: {text}" if where else text, errors=errors, code=code)
