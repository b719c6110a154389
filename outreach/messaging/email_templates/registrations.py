"""The registrations of email templates."""

from __future__ import annotations

from core.api.routes import protected
from outreach.messaging.email_templates.views import (
    EmailTemplateViewSet,
    ReadyTemplateViewSet,
    TemplatePreviewViewSet,
    TrialViewSet,
)

protected.register("template/email", EmailTemplateViewSet)
protected.register("template/ready", ReadyTemplateViewSet)
protected.register("genie/templates", TemplatePreviewViewSet)
protected.register("campaign/test/<str:type>", TrialViewSet)
