from __future__ import annotations

from functools import partial

from django.apps import AppConfig
from django.db.models import Value


class CrmConfig(AppConfig):
    name = "crm"
    verbose_name = "CRM"

    def ready(self) -> None:
        from accounts.companies.first_steps import FirstStep, register_first_step
        from accounts.companies.overview import Measure, register_measure
        from accounts.companies.services import unique_key_changed
        from accounts.members.services import members_removed
        from core.access import count_usage
        from core.tenancy.provisioning import company_created
        from crm.activities import follow_ups
        from crm.activities import jobs as activities  # noqa: F401  (register their work)
        from crm.activities.models import FollowUp
        from crm.activities.reminders import register_reminder
        from crm.bulk_jobs import jobs as bulk_jobs  # noqa: F401  (register their work)
        from crm.bulk_jobs.selectors import visible_jobs
        from crm.bulk_jobs.under_way import Work, register_work
        from crm.contacts.record_type import CONTACT_TYPE
        from crm.contacts.selectors import live_contacts
        from crm.contacts.services import set_unique_key
        from crm.contacts.tags import clear_categories, untag_contacts
        from crm.contacts.writer import contacts_recreated
        from crm.custom_fields import jobs as custom_fields  # noqa: F401  (register their work)
        from crm.custom_fields.models import CustomSection
        from crm.custom_fields.selectors import own_fields
        from crm.custom_fields.services import seed_system_fields
        from crm.exports import jobs as exports  # noqa: F401  (register their work)
        from crm.exports.registrations import register_exports
        from crm.exports.services import readable_exports
        from crm.files import jobs as files  # noqa: F401  (register their work)
        from crm.files.selectors import stored_files
        from crm.files.services import before_files_cleared
        from crm.imports import jobs as imports  # noqa: F401  (register their work)
        from crm.imports.rows.lookups import clear_import_categories, untag_imports
        from crm.imports.services import imports_to_mend, readable_imports, refuse_files_in_use
        from crm.leads.record_type import LEAD_TYPE
        from crm.leads.selectors import live_leads
        from crm.leads.tags import untag_leads
        from crm.leads.takeover import take_over_leads
        from crm.meetings import mails as meeting_mails
        from crm.meetings.models import Meeting
        from crm.privacy.registrations import register_personal_data_tables
        from crm.products.record_type import PRODUCT_TYPE
        from crm.products.selectors import live_products
        from crm.records import jobs as records  # noqa: F401  (register their work)
        from crm.records.types import register_record_type
        from crm.report_types import register_reports
        from crm.saved_views.lists import ViewedList, keep_views_of
        from crm.saved_views.services import forget_views
        from crm.search_kinds import register_kinds
        from crm.segments import jobs as segments  # noqa: F401  (register their work)
        from crm.segments.models import Segment
        from crm.segments.services import segment_changed
        from crm.segments.tracking import compare_changed, watched_segments
        from crm.tags.models import ContactCategory, Tag
        from crm.tags.services import before_categories_deleted, before_tags_deleted
        from crm.teams.models import Team
        from crm.teams.services import seed_default_team
        from crm.webhooks import jobs as webhooks  # noqa: F401  (register their work)
        from crm.webhooks.collector import segments_told

        contacts_recreated.connect(take_over_leads)
        company_created.connect(seed_system_fields)
        company_created.connect(seed_default_team)
        unique_key_changed.connect(set_unique_key)
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
        keep_views_of("contact", ViewedList("contact", CONTACT_TYPE.fields, kind=CONTACT_TYPE.kind))
        keep_views_of("lead", ViewedList("lead", LEAD_TYPE.fields, ("table", "board"), LEAD_TYPE.kind))
        members_removed.connect(forget_views)
        register_first_step(FirstStep("contacts", live_contacts, 2))
        register_measure(Measure("newContacts", "contact", live_contacts, "created_at"))
        register_measure(Measure("newLeads", "lead", live_leads, "created_at"))
        register_measure(Measure("answered", "contact", live_contacts, "replied_at", by_day=True))
        for module in ("contact", "lead"):
            name, failed = f"{module}ImportsToMend", partial(imports_to_mend, module)
            register_measure(Measure(name, module, failed, "created_at"))
            import_jobs = partial(readable_imports, module)
            register_work(Work(f"{module}/import", module, import_jobs, "file__name", Value(module)))
        register_exports()
        register_work(Work("bulk-job", "", partial(visible_jobs, method="GET"), "action", "panel"))
        register_work(Work("export", "file", readable_exports, about="resource"))
        register_kinds()
        register_reports()
        for untag in (untag_contacts, untag_leads, untag_imports):
            before_tags_deleted.connect(untag)
        for clear in (clear_categories, clear_import_categories):
            before_categories_deleted.connect(clear)
        watched_segments.connect(segments_told)
        segment_changed.connect(compare_changed)
        before_files_cleared.connect(refuse_files_in_use)
        register_personal_data_tables()
