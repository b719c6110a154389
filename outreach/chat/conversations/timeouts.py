"""Wake snoozed conversations and report overdue answers."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Member
from accounts.settings.notices import Notice
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from crm.teams.models import TeamMember
from outreach.chat.conversations.incoming import emit_event
from outreach.chat.conversations.mails import OVERDUE, WOKEN
from outreach.chat.conversations.models import Q_DUE, Conversation
from outreach.chat.conversations.targets import save_with_target

BATCH = 200


def _resting(now: Moment) -> Q:
    return Q(snoozed_until__lte=now)


def _late(now: Moment) -> Q:
    return Q_DUE & Q(answer_due_at__lte=now)


def due_conversations(now: Moment) -> list[QuerySet[Conversation]]:
    """Return the conversations that are to wake, and those whose answer is late."""
    return [Conversation.objects.filter(condition) for condition in (_resting(now), _late(now))]


def process_due(deadline: float) -> None:
    """Wake conversations and report overdue answers, one transaction each, until there is none or the deadline
    passes."""
    for due, action in ((_resting, _wake), (_late, _tell_late)):
        while monotonic() < deadline and _apply_to_due(due, action, deadline):
            pass


def _apply_to_due(due: Callable[[Moment], Q], action: Callable[[Conversation], None], deadline: float) -> bool:
    with unscoped(reason="worker: conversations of all companies whose time has come"):
        pairs = list(
            Conversation.objects.filter(due(timezone.now())).order_by("pk").values_list("pk", "company_id")[:BATCH]
        )
    done = False
    for pk, company in pairs:
        if monotonic() >= deadline:
            return False
        with company_scope(company), transaction.atomic():
            # A conversation that somebody is changing right now is looked at again in a second.
            rows: QuerySet[Conversation] = Conversation.objects.select_for_update(of=("self",), skip_locked=True)
            # The condition again, with the lock: it may have been answered since it was listed.
            conversation = rows.filter(due(timezone.now()), pk=pk).first()
            if conversation is not None:
                action(conversation)
                done = True
    return done


def _wake(conversation: Conversation) -> None:
    conversation.snoozed_until = None
    save_with_target(conversation)
    emit_event("conversation.woken", conversation)
    _notify(WOKEN, conversation)


def _tell_late(conversation: Conversation) -> None:
    conversation.overdue_at = timezone.now()
    conversation.save(update_fields=("overdue_at", "updated_at"))
    emit_event("conversation.delayed", conversation, dueAt=conversation.answer_due_at, team=conversation.team_id)
    _notify(OVERDUE, conversation)


def _notify(notice: Notice, conversation: Conversation) -> None:
    """Notify whose the conversation is, or else the team, or else the owners."""
    present = Member.objects.filter(status__in=(Member.Status.OWNER, Member.Status.ACCEPTED))
    members = list(present.filter(pk=conversation.assignee_id))
    if not members and conversation.team_id:
        team = TeamMember.objects.filter(team_id=conversation.team_id).values("member")
        members = list(present.filter(pk__in=team).order_by("pk"))
    context = {"conversation": conversation}
    notify(notice.key, context, members=members or None, about=("conversation", conversation.pk))
