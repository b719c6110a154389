"""Endpoints of the pages of social apps."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from outreach.connections.connected_apps.registry import MODULE
from outreach.connections.connected_apps.turns import BUSY
from outreach.connections.social_apps import services
from outreach.connections.social_apps.models import SocialPage
from outreach.connections.social_apps.serializers import PageFormsOut, PageOut, PagesOut


class SocialPageViewSet(ResourceViewSet):
    module = MODULE
    singleton = True

    @endpoint("List the pages of a social app", output=PagesOut, errors=(services.NOT_FOUND,))
    def retrieve(self, request: Request, id: str) -> object:
        app = services.get_app(id)
        rows = PageOut.project(SocialPage.objects.filter(app=app).order_by("name", "pk"))
        return {"pages": [PageOut.render(row) for row in rows]}


class SocialPageFormViewSet(ResourceViewSet):
    module = MODULE
    singleton = True

    @endpoint(
        "List the forms of a page",
        output=PageFormsOut,
        errors=(
            services.NOT_FOUND,
            services.PAGE_ID,
            services.PAGE_TOKEN,
            services.REFUSED,
            services.NOT_ANSWERED,
            BUSY,
        ),
        description="Asks the platform.",
    )
    def retrieve(self, request: Request, id: str, page: str) -> object:
        return {"forms": services.forms_of(id=id, page_id=page)}
