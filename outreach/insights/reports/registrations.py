"""The registrations of reports."""

from __future__ import annotations

from accounts.members.services import members_removed
from core.access import count_usage
from core.api.routes import protected
from outreach.insights.reports.models import Dashboard
from outreach.insights.reports.services import forget_dashboards

# By their paths: the bodies of these views list the reports of all apps, which are not registered yet.
protected.register("logs/report", "outreach.insights.reports.views.ReportViewSet")
protected.register("dashboard", "outreach.insights.reports.views.DashboardViewSet")
count_usage("report", Dashboard.objects.all)
members_removed.connect(forget_dashboards)
