"""Addresses of the mail vendors that can be connected, and of log-ins there; the apps have theirs from the registry."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.mail_vendors.registry import channel_of, letters
from outreach.connections.mail_vendors.views import MailVendorViewSet, login_viewset


def register_protected(router: ResourceRouter) -> None:
    router.register("mail-vendors", MailVendorViewSet)
    for letter, vendor in letters().items():
        if vendor.login:
            router.register(f"apps/{channel_of(letter)}/authorize", login_viewset(letter))
