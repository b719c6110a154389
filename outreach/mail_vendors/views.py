"""Endpoint that says which mail vendors can be connected."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from outreach.mail_vendors.serializers import MailVendorsOut, connected, described, working


class MailVendorViewSet(ResourceViewSet):
    module = "apps"
    singleton = True

    @endpoint("List the mail vendors, and the company's apps of them", output=MailVendorsOut)
    def retrieve(self, request: Request) -> Any:
        apps = connected()
        return {"vendors": described(), "apps": apps, "senders": working(apps)}
