"""Addresses of files and of imports."""

from __future__ import annotations

from core.api.router import Route
from crm.api import file_views, import_views

FILE_ROUTES = [
    Route("upload", file_views.UploadView),
    Route("file", file_views.Files),
    Route("file/recycle-bin", file_views.RecycleBin),
    Route("file/<str:id>", file_views.FileDetail),
    Route("file/<str:id>/download", file_views.FileDownload),
]

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
