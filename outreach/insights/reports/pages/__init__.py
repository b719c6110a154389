"""The pages of reports and dashboards."""

from outreach.insights.reports.pages.counted import Activities, Payments, Submissions
from outreach.insights.reports.pages.dashboards import Dashboard, Dashboards, EditDashboard, NewDashboard
from outreach.insights.reports.pages.report import Reports

PAGES = [Reports, Activities, Submissions, Payments, Dashboards, NewDashboard, Dashboard, EditDashboard]
