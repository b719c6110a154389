"""/api/key/protected: programs, by API key."""

from __future__ import annotations

from accounts.api_keys.authentication import ApiKeyAuthentication
from core.api.routers import Addresses, ResourceRouter
from core.api.routes import protected

router = ResourceRouter("api/key/protected", ApiKeyAuthentication, protected)

urlpatterns = [Addresses(router.urls)]
