"""The registrations of the global search."""

from __future__ import annotations

from core.api.routes import protected
from core.global_search.views import SearchViewSet

protected.register("search", SearchViewSet)
