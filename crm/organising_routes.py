"""Addresses of what contacts and leads are organised by."""

from __future__ import annotations

from core.api.router import Route
from crm.custom_fields import section_views
from crm.products import views as product_views
from crm.segments import views as segment_views
from crm.teams import views as team_views

ORGANISING_ROUTES = [
    Route("team", team_views.Teams),
    Route("team/<str:id>", team_views.TeamDetail),
    Route("segment", segment_views.Segments),
    Route("segment/execute", segment_views.SegmentExecute),
    Route("segment/<str:id>", segment_views.SegmentDetail),
    Route("product-service", product_views.Products),
    Route("product-service/<str:id>", product_views.ProductDetail),
    Route("custom-section", section_views.CustomSections),
    Route("custom-section/reorder", section_views.CustomSectionOrder),
    Route("custom-section/<str:id>", section_views.CustomSectionDetail),
]
