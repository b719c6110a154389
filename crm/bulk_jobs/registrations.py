"""The registrations of bulk jobs."""

from __future__ import annotations

from functools import partial

from accounts.settings.notices import register_notice
from crm.bulk_jobs.notices import FINISHED
from crm.bulk_jobs.selectors import visible_jobs
from crm.bulk_jobs.under_way import Work, register_work

register_notice(FINISHED)
register_work(Work("bulk-job", "", partial(visible_jobs, method="GET"), "action", "panel"))
