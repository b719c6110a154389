"""Personal data of contacts in questions to the assistant and their answers."""

from __future__ import annotations

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from crm.privacy.registry import DataSubject, mentioning_rows, register_personal_data
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread
from outreach.insights.crm_chat.services import MODULE

INSIDE = frozenset({"answer", "evidence", "rounds", "unproved", "error_detail", "error_name", "thread_id", "ai_type"})
"""Columns that are not in access requests: an answer repeats records, also of others, which have their own sections."""


def _messages(subject: DataSubject) -> Q:
    """Match the questions that name the person, or for which a record of theirs was seen."""
    mentions = mentioning_rows(subject, "question", "answer", "evidence", "rounds", names=True)
    rows = CrmChatMessage.objects.annotate(
        seen=Cast("evidence", TextField()), told=Cast("rounds", TextField())
    ).order_by()
    seen = "|".join((*subject.contact_ids, *subject.lead_ids))  # ids are hex
    return mentions | Q(pk__in=rows.filter(Q(seen__regex=seen) | Q(told__regex=seen)).values("pk"))


def _threads(subject: DataSubject) -> Q:
    return mentioning_rows(subject, "title", names=True)


def _blank_titles(subject: DataSubject, rows: QuerySet[CrmChatThread]) -> int:
    return rows.update(title="")


def register_tables() -> None:
    """Register the tables. A question that is being answered is deleted too, so that nothing is written any more."""
    register_personal_data("questions", CrmChatMessage, _messages, module=MODULE, hides=INSIDE)
    register_personal_data("questionTitles", CrmChatThread, _threads, _blank_titles, module=MODULE, exported=False)
