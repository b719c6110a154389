from __future__ import annotations

from django.apps import AppConfig


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        from core.access import count_usage
        from core.companies import on_company_created
        from crm import selectors
        from crm.api.export_lists import register_exports
        from crm.jobs import activities, bulk_jobs, custom_fields, exports, files, imports  # noqa: F401  (register their work)
        from crm.models import ContactCategory, CustomSection, FollowUp, Meeting, Segment, Tag, Team
        from crm.services import follow_ups, meeting_mails
        from crm.services.custom_fields import seed_system_fields
        from crm.services.holdings import register_holdings
        from crm.services.reminders import register_reminder
        from crm.services.teams import seed_default_team

        on_company_created(seed_system_fields)
        on_company_created(seed_default_team)
        count_usage("contact", selectors.live_contacts)
        count_usage("lead", selectors.live_leads)
        count_usage("product-service", selectors.live_products)
        count_usage("contact-category", ContactCategory.objects.all)
        count_usage("tag", Tag.objects.all)
        count_usage("team", Team.objects.all)
        count_usage("segment", Segment.objects.all)
        count_usage("custom-field", selectors.own_fields)
        count_usage("custom-section", CustomSection.objects.all)
        count_usage("meeting", Meeting.objects.all)
        count_usage("file", selectors.stored_files)
        register_reminder(FollowUp, follow_ups.REMINDER)
        register_reminder(Meeting, meeting_mails.REMINDER)
        register_exports()
        register_holdings()
