"""Addresses of tags and contact categories."""

from __future__ import annotations

from core.api.router import Route
from crm.api import label_views

LABEL_ROUTES = [
    Route("contact-category", label_views.ContactCategories),
    Route("contact-category/<str:id>", label_views.ContactCategoryDetail),
    Route("tag", label_views.Tags),
    Route("tag/<str:id>", label_views.TagDetail),
]
