"""Routes are declared once by each app and mounted per door: /api/key/protected and /api/protected run the same views."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import URLPattern, path
from rest_framework.authentication import BaseAuthentication

from core.api.views import ApiView


@dataclass(frozen=True)
class Route:
    """A path below a mount, without slashes at either end, and the view that answers there."""

    path: str
    view: type[ApiView]

    @property
    def name(self) -> str:
        """The path with its parameters in braces, as URL names may not hold a colon."""
        return self.path.replace("<str:", "{").replace(">", "}")


def mount(prefix: str, routes: Iterable[Route], authentication: type[BaseAuthentication] | None) -> list[URLPattern]:
    """The routes below `prefix`, behind one authentication class (None: nobody asks).

    Where a fixed segment and a parameter could both match, the fixed one does, in whatever order and app the routes are declared.
    """
    classes = [authentication] if authentication else []
    name = prefix.strip("/").replace("/", ".")
    return [
        path(f"{prefix}/{route.path}", route.view.as_view(authentication_classes=classes), name=f"{name}.{route.name}")
        for route in sorted(routes, key=lambda route: [segment.startswith("<") for segment in route.path.split("/")])
    ]
