"""Routes of views that are not ViewSets yet (ResourceRouter.add)."""

from __future__ import annotations

from dataclasses import dataclass

from core.api.views import ApiView


@dataclass(frozen=True)
class Route:
    """A path below a mount, without slashes at either end, and its view."""

    path: str
    view: type[ApiView]
