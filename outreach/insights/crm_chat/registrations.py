"""The registrations of the assistant."""

from __future__ import annotations

from accounts.members.services import members_removed
from core.access import count_usage
from outreach.insights.crm_chat.models import CrmChatThread
from outreach.insights.crm_chat.services import forget_members

count_usage("ai-crm-chat", CrmChatThread.objects.all)
members_removed.connect(forget_members)
