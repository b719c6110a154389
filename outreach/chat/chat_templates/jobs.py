"""The job that asks the chat vendor for the status of templates."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.chat.chat_templates.services import stale_templates, sync_templates

register(
    QueueWork(
        "chat-templates", sync_templates, due_rows=stale_templates, queue="ai", task="outreach.sync_chat_templates"
    )
)
