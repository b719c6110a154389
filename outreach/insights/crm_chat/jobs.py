"""The work of answering questions, and of forgetting old ones."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from core.jobs.runner import JobWork
from outreach.insights.crm_chat.models import CrmChatMessage
from outreach.insights.crm_chat.replies import answer_question
from outreach.insights.crm_chat.services import WORK, forget_old

register(JobWork(WORK, answer_question, model=CrmChatMessage, queue="bulk", task="outreach.answer_questions"))
register(PeriodicTask("outreach.old_questions", forget_old, every=timedelta(hours=1)))
