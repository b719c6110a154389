"""Routes: the ViewSets that domains register (`registrations.py`), for the routers of all mounts of their kind."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.module_loading import import_string

from core.api.viewsets import ResourceViewSet


class Routes:
    """The ViewSets of one kind of mount, each with its prefix."""

    def __init__(self) -> None:
        self._registry: list[tuple[str, type[ResourceViewSet] | str]] = []

    def register(self, prefix: str, viewset: type[ResourceViewSet] | str) -> None:
        """Add the operations of a ViewSet below a prefix, as ResourceRouter.register takes it.

        A ViewSet that reads registries of higher apps when it is imported is given by its dotted path.
        """
        self._registry.append((prefix, viewset))

    def viewsets(self) -> Iterator[tuple[str, type[ResourceViewSet]]]:
        """Yield the prefixes and ViewSets, when all apps are ready."""
        for prefix, viewset in self._registry:
            yield prefix, import_string(viewset) if isinstance(viewset, str) else viewset


protected = Routes()
"""Operations of a company, for members by session and for API keys."""

private = Routes()
"""Operations of a user by session, in no company."""

public = Routes()
"""Operations without authentication."""
