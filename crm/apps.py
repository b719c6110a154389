from __future__ import annotations

from django.apps import AppConfig


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        from core.access import count_usage
        from core.companies import on_company_created
        from core.jobs import Work, register, register_job
        from crm.models import Import
        from crm.selectors import count_contacts, count_leads
        from crm.services.custom_fields import seed_system_fields
        from crm.services.file_storage import has_leftovers, remove_leftovers
        from crm.services.imports.worker import run

        on_company_created(seed_system_fields)
        count_usage("contact", count_contacts)
        count_usage("lead", count_leads)
        register(Work("files", "bulk", remove_leftovers, has_leftovers))
        register_job("import", Import, run, queue="import")
