"""The registrations of social apps."""

from __future__ import annotations

from core.api.routes import protected
from outreach.connections.social_apps.views import SocialPageFormViewSet, SocialPageViewSet

protected.register("apps/social-a/<str:id>/pages", SocialPageViewSet)
protected.register("apps/social-a/<str:id>/pages/<str:page>/forms", SocialPageFormViewSet)
