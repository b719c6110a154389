"""The registration of lists that can be exported."""

from __future__ import annotations

from core.api.routes import protected
from core.api.viewsets import ResourceViewSet
from crm.exports.sources import SOURCES, Source
from crm.exports.views import list_export


def register_source(resource: str, viewset: type[ResourceViewSet], *, panel: str = "") -> None:
    """Make the list of a ViewSet exportable. Its rows may depend on the caller only by `Listing.whole`."""
    module = viewset.modules_of(viewset.list.endpoint)[0]  # type: ignore[attr-defined]
    source = Source(resource, viewset.listing, module, panel)
    SOURCES[resource] = source
    protected.register(f"{resource}/export", list_export(source))
