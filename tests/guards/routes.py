"""The API's routes, from the URL map itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from core.api import routers
from core.api.views import ApiView

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Operation(routers.Operation):
    """A method of a route; `path` is whole, without its leading slash."""

    @property
    def module(self) -> str:
        """The permission module that opens it first of all."""
        return self.modules[0]

    @property
    def alternate_modules(self) -> tuple[str, ...]:
        """Other modules that open it."""
        return self.modules[1:]

    def address(self, *values: str) -> str:
        return "/" + super().address(*values)


def operations(prefix: str = "api/") -> Iterator[Operation]:
    """Every operation below the prefix."""
    for path, callback in routed(get_resolver().url_patterns):
        view = getattr(callback, "cls", None)
        if not path.startswith(prefix) or view is None or not issubclass(view, ApiView):
            continue
        for method in METHODS:
            if method.lower() in callback.actions:
                yield Operation(method, path, view, callback.actions[method.lower()])


def routed(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(path, callback) of every pattern, inside of included confs too."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routed(pattern.url_patterns, path)
        else:
            yield path, pattern.callback
