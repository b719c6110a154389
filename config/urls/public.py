"""/api/public: without authentication."""

from __future__ import annotations

from django.urls import path

from accounts.routes import register_public as register_accounts
from config.serving.health import health
from core.api.routers import Addresses, ResourceRouter
from outreach.routes import register_public as register_outreach
from workflows.routes import register_public as register_workflows

router = ResourceRouter("api/public", authentication=None)
register_accounts(router)
register_outreach(router)
register_workflows(router)

urlpatterns = [Addresses([*router.urls, path("health", health, name="health")])]
