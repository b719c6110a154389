"""Addresses of the scans of cards; those of OCR apps come from their spec."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.ocr.views import CardScanViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact/scan", CardScanViewSet)
