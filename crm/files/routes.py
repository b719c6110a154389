"""Addresses of files."""

from __future__ import annotations

from core.api.router import Route
from crm.files import views as file_views

FILE_ROUTES = [
    Route("upload", file_views.UploadView),
    Route("file", file_views.Files),
    Route("file/recycle-bin", file_views.RecycleBin),
    Route("file/<str:id>", file_views.FileDetail),
    Route("file/<str:id>/download", file_views.FileDownload),
]
