"""The registrations of custom fields."""

from __future__ import annotations

from core.access import count_usage
from core.tenancy.provisioning import company_created
from crm.custom_fields.added_fields import seed_system_fields
from crm.custom_fields.models import CustomSection
from crm.custom_fields.selectors import own_fields

company_created.connect(seed_system_fields)
count_usage("custom-field", own_fields)
count_usage("custom-section", CustomSection.objects.all)
