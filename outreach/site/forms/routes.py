"""Addresses of forms."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.site.forms.views import FormLeadViewSet, FormViewSet, PublicFormViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("form", FormViewSet)
    router.register("form/lead", FormLeadViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("form/<str:token>", PublicFormViewSet)
