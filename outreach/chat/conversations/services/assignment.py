"""Assignment of conversations: members take it over, release it and assign it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import members_who_may, notify
from accounts.models import Member
from core.errors import NamedError
from crm.leads.schema import closed_statuses
from crm.leads.writes.assignment import assign as next_of_team
from crm.teams.models import Team
from outreach.chat.conversations.answerers import check_answers
from outreach.chat.conversations.bots import chatbot_reply
from outreach.chat.conversations.channels import channel_of
from outreach.chat.conversations.incoming import apply, enter
from outreach.chat.conversations.mails import ASSIGNED
from outreach.chat.conversations.models import Conversation
from outreach.chat.conversations.outgoing import cancel_unsent
from outreach.chat.conversations.services.rows import emit_action, lock_conversation
from outreach.chat.conversations.states import HUMAN, QUEUED
from outreach.chat.conversations.targets import save_with_target

TAKEN = "RecordChanged_409"


@transaction.atomic
def take_over(*, id: str, member_id: str, instead_of: str | None = None) -> None:
    """Assign the conversation to the member, who answers from now on. A pending reply of a chatbot is not sent.

    A member takes a conversation from another one only with `instead_of`. Raises NotFound_404, and MemberNotFound_404
    for an unknown `instead_of`. Raises RecordChanged_409 if another member has taken it first, or if it is not that
    member's.
    """
    conversation = lock_conversation(id)
    if instead_of is not None:
        _check_theirs(conversation, instead_of)
    assign_to(conversation, member_id, instead_of)
    save_with_target(conversation)


def _check_theirs(conversation: Conversation, member_id: str) -> None:
    if not Member.objects.filter(pk=member_id).exists():
        raise NamedError("MemberNotFound_404", f"there is no member {member_id} in this company", field="insteadOf")
    # "Instead of" names whom the page showed: somebody else may have taken it since.
    if conversation.assignee_id != member_id:
        raise NamedError(TAKEN, "this member does not have the conversation; look who does", field="insteadOf")


def assign_to(conversation: Conversation, member_id: str, instead_of: str | None) -> None:
    has_it = conversation.assignee_id if conversation.state == HUMAN else None
    if has_it == member_id:
        return
    if has_it is not None and has_it != instead_of:
        raise NamedError(TAKEN, "another member answers; take it over instead of them, or ask them", field="id")
    # Before the member answers: the person should not hear two voices.
    cancel_unsent(conversation, member_id)
    enter(conversation, "take")
    conversation.assignee_id = member_id
    conversation.snoozed_until = None
    emit_action("claimed", conversation, member_id)


@transaction.atomic
def release(*, id: str, member_id: str) -> None:
    """Give the conversation back to its chatbot, or to the queue if none continues.

    Raises NotFound_404, and InvalidRequest_400 for one that nobody has.
    """
    conversation = lock_conversation(id)
    before = conversation.state
    enter(conversation, "release")
    conversation.assignee_id = None
    # The chatbot starts again: its memory is older than the member's answers.
    conversation.bot = {}
    said = chatbot_reply.first(conversation, None)
    if said is None or said.hand_over:
        enter(conversation, "hand_over")
        if before == QUEUED:
            conversation.queued_at = conversation.queued_at or timezone.now()
    else:
        apply(conversation, said)
    save_with_target(conversation)
    emit_action("released", conversation, member_id)


@transaction.atomic
def assign(*, id: str, member_id: str, assignee: str | None, team: str | None, by_rule: bool = False) -> None:
    """Assign the conversation to a member or a team, for which it then waits. Without both it waits for anybody.

    With `by_rule` the team's rule for leads chooses the member; if it chooses none, it waits for the team. Raises
    NotFound_404, MemberNotFound_404, TeamNotFound_400, and InvalidRequest_400 for a member who may not answer.
    """
    conversation = lock_conversation(id)
    if assignee is not None:
        check_answers(assignee, conversation.channel)
    if team is not None and not Team.objects.filter(pk=team).exists():
        raise NamedError("TeamNotFound_400", "there is no such team in this company", field="team")
    cancel_unsent(conversation, member_id)
    if conversation.state != QUEUED:
        enter(conversation, "queue")
    if team is not None:
        conversation.team_id = team
    if by_rule and assignee is None and conversation.team_id is not None:
        # The rule must not choose a member who cannot open the conversation.
        able = {member.pk for member in members_who_may(channel_of(conversation).module, "POST")}
        [assignee] = next_of_team([conversation.team_id], closed_statuses(), among=able)
    conversation.assignee_id = assignee
    save_with_target(conversation)
    emit_action("assigned", conversation, member_id, team=conversation.team_id)
    # Nobody is notified of what they did themselves.
    if assignee is not None and assignee != member_id:
        receiver = Member.objects.filter(pk=assignee).first()
        notify(ASSIGNED.key, {"conversation": conversation}, members=[receiver], about=("conversation", id))
