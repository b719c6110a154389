"""/api/private: a person alone, by session, in no company."""

from __future__ import annotations

from accounts.api.routes import register_private as register_accounts
from accounts.authentication import PrivateAuthentication
from billing.api.routes import register_private as register_billing
from core.api.routers import ResourceRouter

router = ResourceRouter("api/private", authentication=PrivateAuthentication)
register_accounts(router)
register_billing(router)

urlpatterns = router.urls
