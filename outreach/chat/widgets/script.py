"""GET /widget/<token>.js: the script of a widget, which is the same for all. It requests its configuration itself."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.cache import patch_cache_control

MAX_BYTES = 15_000
SECONDS = 600
"""For how long browsers keep the script."""


@cache
def read_script() -> tuple[bytes, str]:
    """Return the script and its ETag."""
    content = (Path(__file__).parent / "widget.js").read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def script_url(token: str) -> str:
    """Return the address of a widget's script."""
    return f"{settings.BASE_URL.rstrip('/')}/widget/{token}.js"


def snippet(token: str) -> str:
    """Return the snippet that a website adds to its pages."""
    return f'<script src="{script_url(token)}" async></script>'


def widget_script(request: HttpRequest, token: str) -> HttpResponse:
    """Return the script for any token: only the configuration reveals whether the widget exists."""
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
    content, tag = read_script()
    cached = tag in request.headers.get("If-None-Match", "")
    answer = HttpResponse(
        b"" if cached else content, status=304 if cached else 200, content_type="text/javascript; charset=utf-8"
    )
    answer["ETag"] = tag
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    patch_cache_control(answer, public=True, max_age=SECONDS)
    return answer


urlpatterns = [path("widget/<slug:token>.js", widget_script, name="widget-script")]
