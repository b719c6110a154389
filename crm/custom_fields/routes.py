"""Addresses of custom fields."""

from __future__ import annotations

from core.api.router import Route
from crm.custom_fields import views as field_views

FIELD_ROUTES = [
    Route("custom-field", field_views.CustomFields),
    Route("custom-field/modify", field_views.CustomFieldsModify),
    Route("custom-field/reorder", field_views.CustomFieldsOrder),
    Route("custom-field/reset-system", field_views.SystemFieldsReset),
    Route("custom-field/<str:id>", field_views.CustomFieldDetail),
]
