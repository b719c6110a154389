"""Address of the mail vendors that can be connected; the apps have theirs from the registry."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.mail_vendors.views import MailVendorViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("mail-vendors", MailVendorViewSet)
