"""The registrations of chat widgets."""

from __future__ import annotations

from core.access import count_usage
from crm.exports.sources import register_source
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.views import ChatWidgetViewSet

count_usage("chat-widget", ChatWidget.objects.all)
register_source("chat-widget", ChatWidgetViewSet)
