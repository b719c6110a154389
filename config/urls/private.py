"""/api/private: a person by session, in no company."""

from __future__ import annotations

from accounts.auth.sessions.authentication import PrivateAuthentication
from accounts.routes import register_private as register_accounts
from billing.routes import register_private as register_billing
from core.api.routers import Addresses, ResourceRouter

router = ResourceRouter("api/private", authentication=PrivateAuthentication)
register_accounts(router)
register_billing(router)

urlpatterns = [Addresses(router.urls)]
