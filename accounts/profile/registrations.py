"""The registrations of the profile."""

from __future__ import annotations

from accounts.profile.views import ProfileViewSet
from core.api.routes import private

private.register("profile", ProfileViewSet)
