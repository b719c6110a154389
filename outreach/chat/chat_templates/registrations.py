"""The registrations of chat templates."""

from __future__ import annotations

from accounts.settings.groups.notifications import register_template_source
from core.access import count_usage
from outreach.chat.chat_templates.selectors import kept_templates
from outreach.chat.chat_templates.services import exists
from outreach.chat.chat_templates.trials import TYPE, send_chat_trial
from outreach.messaging.email_templates.trials import OTHERS

count_usage("template", kept_templates)
register_template_source("chatapp", exists)
OTHERS[TYPE] = send_chat_trial
