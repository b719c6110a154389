"""The registrations of payments."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from billing.payments.notices import NOTICES
from billing.payments.reports import REPORTS
from core.reports import register_report

for notice in NOTICES:
    register_notice(notice)
for report in REPORTS:
    register_report(report)
