"""Every address of the service (design section 3)."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from accounts.api.routes import PRIVATE as ACCOUNTS_PRIVATE
from accounts.api.routes import PROTECTED as ACCOUNTS
from accounts.api.routes import PUBLIC as ACCOUNTS_PUBLIC
from accounts.authentication import ApiKeyAuthentication, PrivateAuthentication, SessionAuthentication
from billing.api.routes import PRIVATE as BILLING_PRIVATE
from billing.api.routes import PROTECTED as BILLING
from config.backoffice.pages import visit_urls
from config.health import health
from core.api.router import mount
from crm.api.routes import PROTECTED as CRM
from crm.api.routes import web as crm_web
from outreach.api.routes import PROTECTED as OUTREACH
from outreach.api.routes import PUBLIC as OUTREACH_PUBLIC

PROTECTED = [*ACCOUNTS, *BILLING, *CRM, *OUTREACH]

urlpatterns = [
    path("", RedirectView.as_view(url="/api/docs")),
    *mount("api/key/protected", PROTECTED, ApiKeyAuthentication),
    *mount("api/protected", PROTECTED, SessionAuthentication),
    *mount("api/private", [*ACCOUNTS_PRIVATE, *BILLING_PRIVATE], PrivateAuthentication),
    *mount("api/public", [*ACCOUNTS_PUBLIC, *OUTREACH_PUBLIC], None),
    path("api/public/health", health, name="health"),
    path("api/schema", SpectacularJSONAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    *crm_web,
    path("", include("accounts.pages.urls")),
    path("mails/", include("outreach.catcher.urls")),
    *visit_urls(PROTECTED),
    path("admin/", admin.site.urls),
]

handler400 = "core.api.handler.bad_request"
handler404 = "core.api.handler.not_found"
handler500 = "core.api.handler.server_error"
