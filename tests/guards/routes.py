"""The API's routes, from the URL map itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from core.api.endpoint import Endpoint
from core.api.routers import as_view
from core.api.views import ApiView

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Operation:
    """A method of a route; `path` has <str:…> parameters and no leading slash."""

    method: str
    path: str
    view: type[ApiView]
    endpoint: Endpoint
    action: str = ""
    """The name of the view's method that answers."""

    @property
    def module(self) -> str:
        """The permission module that opens it first of all."""
        return self.view.modules_of(self.endpoint)[0]

    @property
    def also(self) -> tuple[str, ...]:
        """Other modules that open it."""
        return self.view.modules_of(self.endpoint)[1:]

    def as_view(self, **initkwargs: Any) -> Any:
        """The operation alone as a Django view."""
        return as_view(self.view, {self.method.lower(): self.action}, **initkwargs)

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
    for path, callback in routed(get_resolver().url_patterns):
        view = getattr(callback, "view_class", None) or getattr(callback, "cls", None)
        if not path.startswith(prefix) or view is None or not issubclass(view, ApiView):
            continue
        actions = getattr(callback, "actions", None) or {method.lower(): method.lower() for method in METHODS}
        for method in METHODS:
            action = actions.get(method.lower(), "")
            handler = getattr(view, action, None)
            if handler is not None:
                yield Operation(method, path, view, handler.endpoint, action)


def routed(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(path, callback) of every pattern, inside of included confs too."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routed(pattern.url_patterns, path)
        else:
            yield path, pattern.callback
