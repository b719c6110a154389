"""The registrations of outreach whose order counts; each domain has the others."""

from __future__ import annotations

from core.access import meter_usage
from core.access.meters import register_meter, terms_changed
from core.api.routes import protected
from core.reports import register_report
from outreach.connected_app_list import register_apps
from outreach.connections.ai import reports as ai
from outreach.connections.ai.budgets import CREDITS, PLAN_LIMIT
from outreach.connections.ai.services import notify_apps_changed
from outreach.connections.ai.usage import used_this_month
from outreach.connections.connected_apps.registry import CONNECTED_APPS
from outreach.connections.connected_apps.views import app_viewset
from outreach.messaging.delivery.deciding.usage import MESSAGES, wake_messages
from outreach.messaging.delivery.views import guardrail_viewsets
from outreach.messaging.suppression import reports as suppression
from outreach.runs.campaigns import reports as campaigns
from outreach.runs.genie import reports as genie
from outreach.runs.genie.queue import QUEUE, waiting_messages
from outreach.site.forms import reports as forms
from outreach.site.quotes import reports as quotes

register_apps()
for app in CONNECTED_APPS.values():
    protected.register(f"apps/{app.key}", app_viewset(app))
for path, viewset in guardrail_viewsets().items():
    protected.register(path, viewset)
# As plans list their limits.
meter_usage(PLAN_LIMIT, used_this_month)
meter_usage(QUEUE, waiting_messages)
register_meter(MESSAGES)
register_meter(CREDITS)
# Messages are locked before the runs that they belong to.
terms_changed.connect(wake_messages)
terms_changed.connect(notify_apps_changed)
# As the schema and errors of the API list them.
for domain in (genie, forms, suppression, ai, campaigns, quotes):
    for report in domain.REPORTS:
        register_report(report)
