"""Pages, the back office, the API's documentation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.auth import second_factor_pages
from config.documentation import docs, schema
from config.staff_visits.pages import visit_urls
from config.urls import session
from crm.routes import web as crm_web

urlpatterns = [
    path("", RedirectView.as_view(url="/api/docs" if settings.PUBLIC_API_DOCS else "/admin/")),
    path("api/schema", schema, name="schema"),
    path("api/schema/", schema),
    path("api/docs", docs, name="docs"),
    path("api/docs/", docs),
    *crm_web,
    path("", include("accounts.pages.urls")),
    *([path("mails/", include("config.local.mail_catcher.urls"))] if settings.DEMO else []),
    *visit_urls(session.router.operations()),
    *second_factor_pages.urls(),
    path("admin/", admin.site.urls),
]
