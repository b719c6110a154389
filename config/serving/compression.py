"""Compression of answers for callers that accept gzip: pages, answers of the API, and files that were not collected."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

COMPRESSED = re.compile(r"text/|application/(json|problem\+json|javascript|vnd\.oai\.openapi\+json)|image/svg")
"""Types of content that are not compressed in themselves."""
REFUSED = re.compile(r"\bgzip\s*;\s*q=0(\.0*)?\s*(,|\Z)", re.IGNORECASE)
"""An Accept-Encoding that names gzip to refuse it."""


def accepts_gzip(request: HttpRequest) -> bool:
    """Return whether the caller takes answers in gzip."""
    accepted = request.headers.get("Accept-Encoding", "")
    return "gzip" in accepted and REFUSED.search(accepted) is None


class CompressionMiddleware(GZipMiddleware):
    """Compresses texts. Django adds up to 100 random bytes to each answer, so that its size says little (BREACH).

    Downloads keep their Content-Length, by which browsers show progress and notice that the end is missing. Parts of a
    file (206) are parts of what is stored.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        # Caches need Vary on the 304 as on the 200 (RFC 9110, 15.4.5).
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        if not _is_compressed_here(request, response):
            return response
        if REFUSED.search(request.headers.get("Accept-Encoding", "")):
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        return super().process_response(request, response)


def _is_compressed_here(request: HttpRequest, response: Any) -> bool:
    if response.status_code == HTTPStatus.PARTIAL_CONTENT or not COMPRESSED.match(response.get("Content-Type", "")):
        return False
    if response.get("Content-Disposition", "").startswith("attachment"):
        return False
    # Collected static files lie there compressed, where it makes them smaller (whitenoise).
    return not (settings.STATIC_ROOT and request.path_info.startswith(settings.STATIC_URL))
