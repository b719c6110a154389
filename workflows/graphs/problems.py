"""The problems of a graph, collected for all of its nodes at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from core.types import JsonObject, Values


@dataclass(frozen=True)
class Problem:
    """A problem: a code that programs read, where it is, and a text for people."""

    code: str
    message: str
    node_id: str = ""
    edge_id: str = ""
    path: str = ""
    severity: str = "error"
    reason: str = ""
    """Key of the cause within a code; the type of the error for an invalid setting."""
    params: Values = field(default_factory=dict)
    """Values of its text, such as the limit."""

    @property
    def field(self) -> str:
        """The path of the problem in the graph, its node or edge first."""
        return ".".join(part for part in (self.node_id or self.edge_id, self.path) if part)

    def as_json(self) -> JsonObject:
        return {
            "severity": self.severity,
            "code": self.code,
            "field": self.field,
            "nodeId": self.node_id or None,
            "edgeId": self.edge_id or None,
            "path": self.path,
            "reason": self.reason,
            "params": dict(self.params),
            "message": self.message,
        }

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


@dataclass
class Problems:
    """The problems found so far."""

    found: list[Problem] = field(default_factory=list)

    def add(self, code: str, message: str, **where: Any) -> None:
        self.found.append(Problem(code, message, **where))

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.found if problem.severity == "error"]

    def as_json(self) -> dict[str, list[JsonObject]]:
        return {
            "errors": [problem.as_json() for problem in self.errors],
            "warnings": [problem.as_json() for problem in self.found if problem.severity == "warning"],
        }

    def add_invalid(self, error: ValidationError, node_id: str = "", prefix: str = "config") -> None:
        """Add the errors of a config model."""
        for detail in error.errors(include_url=False, include_input=False):
            path = ".".join([prefix, *(str(part) for part in detail["loc"])])
            code = {"missing": "missing", "extra_forbidden": "unknownField"}.get(detail["type"], "badValue")
            limits = detail.get("ctx", {})
            params = {key: _json_limit(limit) for key, limit in limits.items() if not isinstance(limit, Exception)}
            self.add(code, _words(detail), node_id=node_id, path=path, reason=detail["type"], params=params)


def _words(error: Values) -> str:
    cause = error.get("ctx", {}).get("error")
    message = str(error["msg"] if cause is None else cause)
    return message[:1].lower() + message[1:]


def _json_limit(limit: Any) -> str | int | float:
    """Return a limit as JSON has it."""
    return limit if isinstance(limit, str | int | float) else str(limit)
