"""The registrations of the assistant."""

from __future__ import annotations

from datetime import timedelta

from accounts.members.services import members_removed
from core.access import count_usage
from core.api.routes import protected
from core.jobs import PeriodicTask, register
from core.jobs.runner import JobWork
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread
from outreach.insights.crm_chat.privacy import register_tables
from outreach.insights.crm_chat.replies import answer_question
from outreach.insights.crm_chat.services import WORK, forget_members, forget_old
from outreach.insights.crm_chat.views import AgentViewSet, CrmChatViewSet

protected.register("ai-crm-chat", CrmChatViewSet)
protected.register("agent", AgentViewSet)
register(JobWork(WORK, answer_question, model=CrmChatMessage, queue="bulk", task="outreach.answer_questions"))
register(PeriodicTask("outreach.old_questions", forget_old, every=timedelta(hours=1)))
count_usage("ai-crm-chat", CrmChatThread.objects.all)
members_removed.connect(forget_members)
register_tables()
