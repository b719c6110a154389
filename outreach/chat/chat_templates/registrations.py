"""The registrations of chat templates."""

from __future__ import annotations

from accounts.settings.groups.notifications import register_template_source
from core.access import count_usage
from core.api.routes import protected
from core.jobs import QueueWork, register
from outreach.chat.chat_templates.selectors import kept_templates
from outreach.chat.chat_templates.services import exists, stale_templates, sync_templates
from outreach.chat.chat_templates.trials import TYPE, send_chat_trial
from outreach.chat.chat_templates.views import ChatTemplateViewSet
from outreach.messaging.email_templates.trials import OTHERS

protected.register("template/chatapp", ChatTemplateViewSet)
register(
    QueueWork(
        "chat-templates", sync_templates, due_rows=stale_templates, queue="ai", task="outreach.sync_chat_templates"
    )
)
count_usage("template", kept_templates)
register_template_source("chatapp", exists)
OTHERS[TYPE] = send_chat_trial
