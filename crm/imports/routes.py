"""Addresses of imports."""

from __future__ import annotations

from core.api.router import Route
from crm.imports import views as import_views

IMPORT_ROUTES = [
    Route("contact/import", import_views.ContactImports),
    Route("contact/import/<str:id>", import_views.ContactImportDetail),
    Route("contact/import/<str:id>/undo", import_views.ContactImportUndoing),
    Route("contact/import/<str:id>/errors", import_views.ContactImportErrors),
    Route("contact/import/<str:id>/errors.csv", import_views.ContactImportErrorsCsv),
    Route("lead/import", import_views.LeadImports),
    Route("lead/import/<str:id>", import_views.LeadImportDetail),
    Route("lead/import/<str:id>/undo", import_views.LeadImportUndoing),
    Route("lead/import/<str:id>/errors", import_views.LeadImportErrors),
    Route("lead/import/<str:id>/errors.csv", import_views.LeadImportErrorsCsv),
]
