"""The work of custom fields."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from crm.bulk_jobs.services import BulkAction
from crm.custom_fields.conversion_jobs import convert_field, delete_field, tidy

register(BulkAction("convert_field", convert_field))
register(BulkAction("delete_field", delete_field))
register(PeriodicTask("field-leftovers", tidy, every=timedelta(hours=1)))
