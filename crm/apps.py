from __future__ import annotations

from django.apps import AppConfig

from core.registrations import load


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        load(self)
