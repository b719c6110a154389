"""A conversation with the assistant, whose questions the worker answers as any other."""

from __future__ import annotations

from accounts.models import Member
from outreach.insights.crm_chat.services import ask_question, create_thread

QUESTIONS = ("How many leads were added last month?", "Leads by status", "The 5 biggest open deals")


def create_questions(member: Member) -> None:
    """Ask the assistant about the demo's records."""
    first, *others = QUESTIONS
    thread = create_thread(member_id=member.pk, title="Sales overview", question=first)
    for question in others:
        ask_question(id=thread.pk, member_id=member.pk, question=question)
