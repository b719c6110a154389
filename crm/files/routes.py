"""Addresses of files."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.files.views import FileViewSet, UploadViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("upload", UploadViewSet)
    router.register("file", FileViewSet)
