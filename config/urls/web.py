"""Pages, the back office, the API's documentation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from config.staff_visits.pages import visit_urls
from config.urls import session
from crm.routes import web as crm_web

urlpatterns = [
    path("", RedirectView.as_view(url="/api/docs")),
    path("api/schema", SpectacularJSONAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    *crm_web,
    path("", include("accounts.pages.urls")),
    *([path("mails/", include("config.local.mail_catcher.urls"))] if settings.DEMO else []),
    *visit_urls(session.router.operations()),
    path("admin/", admin.site.urls),
]
