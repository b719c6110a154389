"""/api/protected: people, by session and membership."""

from __future__ import annotations

from accounts.members.authentication import SessionAuthentication
from config.urls.protected import register
from core.api.routers import Addresses, ResourceRouter

router = ResourceRouter("api/protected", authentication=SessionAuthentication)
register(router)

urlpatterns = [Addresses(router.urls)]
