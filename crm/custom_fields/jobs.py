"""Jobs of custom fields."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from crm.bulk_jobs.services import BulkAction
from crm.custom_fields.conversion_jobs import convert_field
from crm.custom_fields.removal_jobs import clean_up, delete_field

register(BulkAction("convert_field", convert_field))
register(BulkAction("delete_field", delete_field))
register(PeriodicTask("field-leftovers", clean_up, every=timedelta(hours=1)))
