"""/api/key/protected: programs, by API key."""

from __future__ import annotations

from accounts.api_keys.authentication import ApiKeyAuthentication
from config.urls.protected import register
from core.api.routers import Addresses, ResourceRouter

router = ResourceRouter("api/key/protected", authentication=ApiKeyAuthentication)
register(router)

urlpatterns = [Addresses(router.urls)]
