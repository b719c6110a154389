"""The registrations of custom fields."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected
from core.jobs import PeriodicTask, register
from core.tenancy.provisioning import company_created
from crm.bulk_jobs.services import BulkAction
from crm.custom_fields.added_fields import seed_system_fields
from crm.custom_fields.conversion_jobs import convert_field
from crm.custom_fields.models import CustomSection
from crm.custom_fields.removal_jobs import clean_up, delete_field
from crm.custom_fields.section_views import CustomSectionViewSet
from crm.custom_fields.selectors import own_fields
from crm.custom_fields.views import CustomFieldViewSet

protected.register("custom-field", CustomFieldViewSet)
protected.register("custom-section", CustomSectionViewSet)
register(BulkAction("convert_field", convert_field))
register(BulkAction("delete_field", delete_field))
register(PeriodicTask("field-leftovers", clean_up, every=timedelta(hours=1)))
company_created.connect(seed_system_fields)
count_usage("custom-field", own_fields)
count_usage("custom-section", CustomSection.objects.all)
