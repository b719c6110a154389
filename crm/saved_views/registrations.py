"""The registrations of saved views."""

from __future__ import annotations

from accounts.members.services import members_removed
from core.api.routes import protected
from crm.saved_views.services import forget_views
from crm.saved_views.views import SavedViewViewSet

protected.register("saved-view", SavedViewViewSet)
members_removed.connect(forget_views)
