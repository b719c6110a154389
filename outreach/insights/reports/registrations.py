"""The registrations of reports."""

from __future__ import annotations

from accounts.members.services import members_removed
from core.access import count_usage
from outreach.insights.reports.models import Dashboard
from outreach.insights.reports.services import forget_dashboards

count_usage("report", Dashboard.objects.all)
members_removed.connect(forget_dashboards)
