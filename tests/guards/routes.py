"""The API's routes, from the URL map itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import get_resolver

from core.api.endpoint import Endpoint
from core.api.views import ApiView

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Operation:
    """A method of a route; `path` has <str:…> parameters and no leading slash."""

    method: str
    path: str
    view: type[ApiView]
    endpoint: Endpoint

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"<str:(\w+)>", self.path)

    def address(self, *values: str) -> str:
        """The path with its parameters filled in."""
        found = iter(values)
        return "/" + re.sub(r"<str:\w+>", lambda _: next(found), self.path)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def operations(prefix: str = "api/") -> Iterator[Operation]:
    """Every operation below the prefix."""
    for pattern in get_resolver().url_patterns:
        path = str(pattern.pattern)
        view = getattr(getattr(pattern, "callback", None), "view_class", None) or getattr(getattr(pattern, "callback", None), "cls", None)
        if not path.startswith(prefix) or view is None or not issubclass(view, ApiView):
            continue
        for method in METHODS:
            handler = getattr(view, method.lower(), None)
            if handler is not None:
                yield Operation(method, path, view, handler.endpoint)
