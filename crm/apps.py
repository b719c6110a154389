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
        from crm.selectors import count_contacts, count_leads, count_products
        from crm.services.custom_fields import seed_system_fields
        from crm.services.file_storage import has_leftovers, remove_leftovers
        from crm.services.imports.worker import run
        from crm.services.labels import count_categories, count_tags
        from crm.services.sections import count_sections
        from crm.services.segments import count_segments
        from crm.services.teams import count_teams, seed_default_team

        on_company_created(seed_system_fields)
        on_company_created(seed_default_team)
        count_usage("contact", count_contacts)
        count_usage("lead", count_leads)
        count_usage("tag", count_tags)
        count_usage("contact-category", count_categories)
        count_usage("team", count_teams)
        count_usage("segment", count_segments)
        count_usage("product-service", count_products)
        count_usage("custom-section", count_sections)
        register(Work("files", "bulk", remove_leftovers, has_leftovers))
        register_job("import", Import, run, queue="import")
