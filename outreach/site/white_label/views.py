"""Endpoints of a company's brand."""

from __future__ import annotations

from django.conf import settings
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.messaging.domain_tracking.hosts import address_of
from outreach.messaging.domain_tracking.services import NOT_FOUND
from outreach.site.white_label import services
from outreach.site.white_label.serializers import BrandInput, BrandOut, ColorsInput, ColorsOut


def _brand_data() -> JsonObject:
    brand = services.current_brand()
    domain = brand.domain
    verified = domain is not None and domain.state == domain.State.VERIFIED
    by = brand.updated_by
    return {
        "productName": brand.product_name,
        "accent": brand.accent,
        "accentDark": brand.accent_dark,
        "senderName": brand.sender_name,
        "logo": f"/brand/{brand.logo_id}.png" if brand.logo_id else "",
        "favicon": f"/brand/{brand.favicon_id}.png" if brand.favicon_id else "",
        "domain": {"_id": domain.pk, "name": domain.name, "status": domain.state} if domain else None,
        "address": address_of(domain.name) if verified and domain else settings.BASE_URL,
        "updatedBy": {"_id": by.pk, "name": by.name, "email": by.email} if by else None,
        "updatedAt": brand.updated_at,
        **services.color_contrasts(brand.accent, brand.accent_dark),
    }


class WhiteLabelViewSet(ResourceViewSet):
    module = services.MODULE
    singleton = True

    @endpoint(
        "Read the company's own brand",
        description="Name, colours, logo and sender that pages and mails show. Empty values mean those of the service.",
        output=BrandOut,
    )
    def retrieve(self, request: Request) -> object:
        return _brand_data()

    @endpoint(
        "Change the company's own brand",
        input=BrandInput,
        output=BrandOut,
        success="BrandUpdated_200",
        errors=("FileNotFound_400", NOT_FOUND),
        description="Pages of members, forms, unsubscribing and mails of the service show it, as long as the plan"
        " includes it. Pictures are drawn anew, without anything else that their files hold, and are public. Emits"
        " white-label-options.updated.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        services.change_brand(actor=self.actor, values=data)
        return _brand_data()

    @action(detail=False, methods=["post"])
    @endpoint(
        "Check the colours of a brand",
        input=ColorsInput,
        output=ColorsOut,
        permission="GET",
        description="Whether they can be read, before they are stored; a 400 names the contrast that they lack.",
    )
    def preview(self, request: Request, data: JsonObject) -> object:
        accent, dark = data.get("accent", ""), data.get("accent_dark", "")
        services.check_colors(accent, dark)
        return services.color_contrasts(accent, dark)
