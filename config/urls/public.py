"""/api/public: without authentication."""

from __future__ import annotations

from django.urls import path

from config.serving.health import health
from core.api.routers import Addresses, ResourceRouter
from core.api.routes import public

router = ResourceRouter("api/public", None, public)

urlpatterns = [Addresses([*router.urls, path("health", health, name="health")])]
