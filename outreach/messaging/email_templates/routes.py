"""Addresses of templates of mails."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.email_templates.views import EmailTemplateViewSet, TemplatePreviewViewSet, TrialViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("template/email", EmailTemplateViewSet)
    router.register("genie/templates", TemplatePreviewViewSet)
    router.register("campaign/test/<str:type>", TrialViewSet)
