"""/api/private: a person by session, in no company."""

from __future__ import annotations

from accounts.auth.sessions.authentication import PrivateAuthentication
from core.api.routers import Addresses, ResourceRouter
from core.api.routes import private

router = ResourceRouter("api/private", PrivateAuthentication, private)

urlpatterns = [Addresses(router.urls)]
