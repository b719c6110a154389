"""/api/protected: people, by session and membership."""

from __future__ import annotations

from accounts.members.authentication import SessionAuthentication
from core.api.routers import Addresses, ResourceRouter
from core.api.routes import protected

router = ResourceRouter("api/protected", SessionAuthentication, protected)

urlpatterns = [Addresses(router.urls)]
