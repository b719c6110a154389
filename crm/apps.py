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
        from crm.services.contact_tags import clear_categories, untag_contacts
        from crm.services.contact_type import CONTACT_TYPE
        from crm.services.custom_fields import seed_system_fields
        from crm.services.files import check_before_clearing
        from crm.services.holdings import register_personal_data_tables
        from crm.services.imports.control import refuse_files_in_use
        from crm.services.imports.labels import clear_import_categories, untag_imports
        from crm.services.labels import on_tag_deleted
        from crm.services.lead_tags import untag_leads
        from crm.services.lead_type import LEAD_TYPE
        from crm.services.product_type import PRODUCT_TYPE
        from crm.services.record_types import register_record_type
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
        for record_type in (CONTACT_TYPE, LEAD_TYPE, PRODUCT_TYPE):
            register_record_type(record_type)
        register_exports()
        on_tag_deleted(Tag, untag_contacts, untag_leads, untag_imports)
        on_tag_deleted(ContactCategory, clear_categories, clear_import_categories)
        check_before_clearing(refuse_files_in_use)
        register_personal_data_tables()
