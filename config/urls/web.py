"""Pages, the back office, the API's documentation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from accounts.auth import second_factor_pages
from accounts.companies import pages as companies
from accounts.profile import pages as profile
from config.documentation import docs, schema
from config.staff_visits.pages import visit_urls
from config.urls import session
from core.web.menu import page_urls
from crm.bulk_jobs import pages as bulk_jobs
from crm.contacts import pages as contacts
from crm.routes import web as crm_web
from outreach.delivery import pages as messages
from outreach.genie import pages as outreach
from outreach.senders import pages as senders
from outreach.suppression import pages as suppressions

PAGES = [
    *companies.PAGES,
    *profile.PAGES,
    *contacts.PAGES,
    *outreach.PAGES,
    *messages.PAGES,
    *senders.PAGES,
    *suppressions.PAGES,
    *bulk_jobs.PAGES,
]
"""The members' pages: each domain's, below /c/<company id>/ (docs/web.md)."""

urlpatterns = [
    path("api/schema", schema, name="schema"),
    path("api/schema/", schema),
    path("api/docs", docs, name="docs"),
    path("api/docs/", docs),
    *crm_web,
    *([path("", include("config.local.demo.urls"))] if settings.DEMO else []),  # its log-in comes first
    path("", include("accounts.pages.urls")),
    *page_urls(PAGES),
    *([path("mails/", include("config.local.mail_catcher.urls"))] if settings.DEMO else []),
    *visit_urls(session.router.operations()),
    *second_factor_pages.urls(),
    path("admin/", admin.site.urls),
]
