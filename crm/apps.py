from __future__ import annotations

from django.apps import AppConfig


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        from accounts.companies.services import on_unique_key_changed
        from core.access import count_usage
        from core.tenancy.provisioning import on_company_created
        from crm.activities import follow_ups
        from crm.activities import jobs as activities  # noqa: F401  (register their work)
        from crm.activities.models import FollowUp
        from crm.activities.reminders import register_reminder
        from crm.bulk_jobs import jobs as bulk_jobs  # noqa: F401  (register their work)
        from crm.contacts.record_type import CONTACT_TYPE
        from crm.contacts.selectors import live_contacts
        from crm.contacts.services import set_unique_key
        from crm.contacts.tags import clear_categories, untag_contacts
        from crm.contacts.writer import on_contact_recreated
        from crm.custom_fields import jobs as custom_fields  # noqa: F401  (register their work)
        from crm.custom_fields.models import CustomSection
        from crm.custom_fields.selectors import own_fields
        from crm.custom_fields.services import seed_system_fields
        from crm.exports import jobs as exports  # noqa: F401  (register their work)
        from crm.exports.registrations import register_exports
        from crm.files import jobs as files  # noqa: F401  (register their work)
        from crm.files.selectors import stored_files
        from crm.files.services import check_before_clearing
        from crm.imports import jobs as imports  # noqa: F401  (register their work)
        from crm.imports.lookups import clear_import_categories, untag_imports
        from crm.imports.services import refuse_files_in_use
        from crm.leads.record_type import LEAD_TYPE
        from crm.leads.selectors import live_leads
        from crm.leads.tags import untag_leads
        from crm.leads.takeover import take_over_leads
        from crm.meetings import mails as meeting_mails
        from crm.meetings.models import Meeting
        from crm.privacy.registrations import register_personal_data_tables
        from crm.products.record_type import PRODUCT_TYPE
        from crm.products.selectors import live_products
        from crm.records.types import register_record_type
        from crm.segments.models import Segment
        from crm.tags.models import ContactCategory, Tag
        from crm.tags.services import on_tag_deleted
        from crm.teams.models import Team
        from crm.teams.services import seed_default_team

        on_contact_recreated(take_over_leads)
        on_company_created(seed_system_fields)
        on_company_created(seed_default_team)
        on_unique_key_changed(set_unique_key)
        count_usage("contact", live_contacts)
        count_usage("lead", live_leads)
        count_usage("product-service", live_products)
        count_usage("contact-category", ContactCategory.objects.all)
        count_usage("tag", Tag.objects.all)
        count_usage("team", Team.objects.all)
        count_usage("segment", Segment.objects.all)
        count_usage("custom-field", own_fields)
        count_usage("custom-section", CustomSection.objects.all)
        count_usage("meeting", Meeting.objects.all)
        count_usage("file", stored_files)
        register_reminder(FollowUp, follow_ups.REMINDER)
        register_reminder(Meeting, meeting_mails.REMINDER)
        for record_type in (CONTACT_TYPE, LEAD_TYPE, PRODUCT_TYPE):
            register_record_type(record_type)
        register_exports()
        on_tag_deleted(Tag, untag_contacts, untag_leads, untag_imports)
        on_tag_deleted(ContactCategory, clear_categories, clear_import_categories)
        check_before_clearing(refuse_files_in_use)
        register_personal_data_tables()
