"""GET /brand/…: the pictures and the colours of brands, for pages and mails of companies. They are public, and keep."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from accounts.settings.branding import served_company
from core.ids import is_id
from core.tenancy import unscoped
from outreach.site.white_label.brands import look_of
from outreach.site.white_label.colors import COLOR
from outreach.site.white_label.models import BrandImage

FOREVER = "public, max-age=31536000, immutable"
SHEET = (
    ":root{{--accent:light-dark({light},{dark});--accent-fill:{light};"
    "--accent-hover:color-mix(in srgb,{light} 85%,#000);--on-accent:#fff}}\n"
)


@require_safe
def image(request: HttpRequest, id: str) -> HttpResponse:
    """Answer with a picture."""
    row = None
    if is_id(id):
        with unscoped(reason="a picture of some company's brand, which is public"):
            row = BrandImage.objects.filter(pk=id).values_list("company_id", "content").first()
    if row is None or served_company() not in ("", row[0]):
        raise Http404
    return HttpResponse(
        bytes(row[1]),
        content_type="image/png",
        headers={
            "Cache-Control": FOREVER,
            "Content-Security-Policy": "default-src 'none'",
            "Cross-Origin-Resource-Policy": "cross-origin",
        },
    )


@require_safe
def sheet(request: HttpRequest, company: str, version: str) -> HttpResponse:
    """Answer with the colours of a company."""
    look = look_of(company) if is_id(company) and served_company() in ("", company) else None
    if look is None or not look.accent:
        raise Http404
    return HttpResponse(
        SHEET.format(light=look.accent, dark=look.accent_dark),
        content_type="text/css; charset=utf-8",
        headers={"Cache-Control": FOREVER if look.style.endswith(f"/{version}.css") else "no-store"},
    )


@require_safe
def preview(request: HttpRequest, light: str, dark: str) -> HttpResponse:
    """Answer with two colours, for the preview of a brand that is not stored."""
    colors = [f"#{color}" for color in (light, dark)]
    if not all(COLOR.fullmatch(color) for color in colors):
        raise Http404
    return HttpResponse(
        SHEET.format(light=colors[0], dark=colors[1]),
        content_type="text/css; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )


urlpatterns = [
    path("brand/preview/<str:light>-<str:dark>.css", preview, name="brand-preview"),
    path("brand/<str:id>.png", image, name="brand-image"),
    path("brand/<str:company>/<str:version>.css", sheet, name="brand-style"),
]
