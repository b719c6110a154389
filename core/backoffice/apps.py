"""Django's admin, with the back office as its site."""

from __future__ import annotations

from django.contrib.admin import apps


class BackOfficeConfig(apps.AdminConfig):
    default_site = "core.backoffice.site.BackOfficeSite"
