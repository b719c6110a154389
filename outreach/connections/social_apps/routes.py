"""Addresses of the pages of social apps."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.social_apps.views import SocialPageFormViewSet, SocialPageViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("apps/social-a/<str:id>/pages", SocialPageViewSet)
    router.register("apps/social-a/<str:id>/pages/<str:page>/forms", SocialPageFormViewSet)
