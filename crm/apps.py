from __future__ import annotations

from django.apps import AppConfig


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        from core.jobs import Work, register
        from crm.services.file_storage import has_leftovers, remove_leftovers

        register(Work("files", "bulk", remove_leftovers, has_leftovers))
