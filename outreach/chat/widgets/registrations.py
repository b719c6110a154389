"""The registrations of chat widgets."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected, public
from core.jobs import PeriodicTask, register
from crm.exports.lists import register_source
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.privacy import register_tables
from outreach.chat.widgets.public_views import WidgetViewSet
from outreach.chat.widgets.views import ChatWidgetViewSet
from outreach.chat.widgets.visitors import forget_old

protected.register("chat-widget", ChatWidgetViewSet)
public.register("widget/<str:token>", WidgetViewSet)
register(PeriodicTask("outreach.old_widget_visitors", forget_old, every=timedelta(hours=1)))
count_usage("chat-widget", ChatWidget.objects.all)
register_source("chat-widget", ChatWidgetViewSet)
register_tables()
