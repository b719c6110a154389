"""The pages of reports and dashboards."""

from outreach.insights.reports.pages.dashboards import Dashboard, Dashboards, EditDashboard, NewDashboard
from outreach.insights.reports.pages.report import Reports

PAGES = [Reports, Dashboards, NewDashboard, Dashboard, EditDashboard]
