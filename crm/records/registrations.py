"""The registrations of records."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from crm.records.search_backfill import fold_old_records

register(PeriodicTask("search-backfill", fold_old_records, every=timedelta(minutes=1)))
