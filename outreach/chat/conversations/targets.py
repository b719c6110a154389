"""Response targets: deadlines of answers by the times of the conversation's team, or of all teams."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from core.errors import DuplicateField, NamedError
from core.lists import BulkSelection
from core.types import JsonObject
from crm.teams.models import Team
from outreach.chat.conversations.models import AnswerTime, Conversation
from outreach.chat.conversations.states import CLOSED, HUMAN, QUEUED

NOT_FOUND = "NotFound_404"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no answer times of the company."""
    return NamedError(NOT_FOUND, "there are no such answer times in this company", field="id")


def save_with_target(conversation: Conversation) -> None:
    """Save a locked conversation, with the time by which a member has to answer it."""
    _set_due(conversation)
    conversation.save()


def _set_due(conversation: Conversation) -> None:
    if conversation.state == CLOSED:
        conversation.waiting_since = None
    since = conversation.waiting_since
    if since is None or conversation.state not in (QUEUED, HUMAN):
        conversation.answer_due_at = conversation.overdue_at = None
        return
    first = conversation.answered_at is None
    if first and conversation.queued_at is not None:
        # Members are measured by their own time, and not by the chatbot's.
        since = max(since, conversation.queued_at)  # a chatbot had it until then
    minutes = _minutes(conversation.team_id, "first_minutes" if first else "next_minutes")
    due = None if minutes is None else since + timedelta(minutes=minutes)
    # A notice about the former deadline does not count for the new one.
    if due != conversation.answer_due_at:
        conversation.answer_due_at = due
        conversation.overdue_at = None


def _minutes(team: str | None, column: str) -> int | None:
    # The team's own times before those of all teams.
    rows = AnswerTime.objects.filter(Q(team=team) | Q(team=None)).order_by(F("team").asc(nulls_last=True))
    minutes: int | None = rows.values_list(column, flat=True).first()
    return minutes


def mark_answered(conversation: Conversation) -> None:
    """Note in a locked conversation that a member has answered."""
    conversation.answered_at = conversation.answered_at or timezone.now()
    conversation.waiting_since = None


@transaction.atomic
def create(*, member_id: str, **values: Any) -> AnswerTime:
    """Set the times of a team. Raises TeamNotFound_400 and DuplicateField."""
    return _save(AnswerTime(created_by_id=member_id), member_id, values)


@transaction.atomic
def update(*, id: str, member_id: str, **values: Any) -> AnswerTime:
    """Change the times of a team; waiting conversations keep their deadlines. Raises NotFound_404 and as `create`."""
    answer_time = AnswerTime.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if answer_time is None:
        raise not_found()
    return _save(answer_time, member_id, values)


@transaction.atomic
def delete(*, selection: BulkSelection) -> int:
    """Delete the selected times. Raises NotFound_404 when ids name none."""
    deleted, _ = selection.apply(AnswerTime.objects.all()).delete()
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them are answer times of this company", field="ids")
    return deleted


def _save(answer_time: AnswerTime, member_id: str, values: JsonObject) -> AnswerTime:
    team = values.pop("team", answer_time.team_id)
    if team is not None and team != answer_time.team_id and not Team.objects.filter(pk=team).exists():
        raise NamedError("TeamNotFound_400", "there is no such team in this company", field="team")
    for name, value in {**values, "team_id": team, "updated_by_id": member_id}.items():
        setattr(answer_time, name, value)
    try:
        # A savepoint, so that the error can be answered within the transaction.
        with transaction.atomic():
            answer_time.save()
    except IntegrityError as error:
        if "answertime_once" not in str(error):
            raise
        raise DuplicateField("team", "reply times exist already; change those") from None
    return answer_time
