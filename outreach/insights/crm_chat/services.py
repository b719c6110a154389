"""Use cases of the assistant: begin a conversation, ask, delete, and delete old conversations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError, ValidationFailed
from core.jobs.notify import notify_workers
from core.lists import BulkSelection, in_batches
from core.tenancy import unscoped
from outreach.connections.ai.services import ai_type_of, choose_ai_app
from outreach.insights.crm_chat.models import CrmChatMessage, CrmChatThread

MODULE = "ai-crm-chat"
WORK = "crm-chat"
NOT_FOUND = "NotFound_404"
MAX_MESSAGES = 200
"""Questions of a conversation."""
MAX_WAITING = 3
"""Questions of a member that wait for their answers at a time."""
QUESTION_LIFE = timedelta(days=180)
"""Time for which a conversation is kept after its last question."""
Status = CrmChatMessage.Status
WAITING = (Status.QUEUED, Status.RUNNING)


def threads_of(member_id: str) -> QuerySet[CrmChatThread]:
    """Return the conversations of a member. Nobody sees another's, and visiting staff see none."""
    return CrmChatThread.objects.filter(owner_id=member_id or "-")


def messages_of(member_id: str) -> QuerySet[CrmChatMessage]:
    """Return the questions of a member."""
    return CrmChatMessage.objects.filter(thread__in=threads_of(member_id))


def get_thread(*, id: str, member_id: str) -> CrmChatThread:
    """Return a conversation of the member's. Raises NotFound_404."""
    thread: CrmChatThread | None = threads_of(member_id).filter(pk=id).first()
    if thread is None:
        raise NamedError(NOT_FOUND, "you have no such conversation", field="id")
    return thread


@transaction.atomic
def create_thread(*, member_id: str, title: str = "", question: str = "", ai_type: str = "") -> CrmChatThread:
    """Begin a conversation, with its first question if there is one.

    Raises PlanLimitExceeded_403, and the errors of `ask_question`.
    """
    reserve_quota(MODULE)
    thread = CrmChatThread.objects.create(owner_id=member_id, title=title.strip() or title_of(question))
    if question:
        ask_question(id=thread.pk, member_id=member_id, question=question, ai_type=ai_type)
    return thread


def title_of(question: str) -> str:
    """Return a title from the first words of a question."""
    text = " ".join(question.split())
    return text if len(text) <= 80 else f"{text[:79].rstrip()}…"


@transaction.atomic
def ask_question(*, id: str, member_id: str, question: str, ai_type: str = "") -> CrmChatMessage:
    """Take a question, which a worker answers.

    Raises NotFound_404, ValidationFailed, and where no AI app answers InvalidAIType_400, AiXNotAvailableInPlan_400 or
    NoDefaultAiXConfiguration_400.
    """
    thread = threads_of(member_id).select_for_update(of=("self",)).filter(pk=id).first()
    if thread is None:
        raise NamedError(NOT_FOUND, "you have no such conversation", field="id")
    app = choose_ai_app(ai_type or None)
    if messages_of(member_id).filter(status__in=WAITING).count() >= MAX_WAITING:
        raise ValidationFailed(
            "question: wait", f"{MAX_WAITING} of your questions wait for their answers", field="question"
        )
    if CrmChatMessage.objects.filter(thread=thread).count() >= MAX_MESSAGES:
        raise ValidationFailed(
            "question: too many", f"this conversation has {MAX_MESSAGES} questions; begin another one", field="question"
        )
    thread.title = thread.title or title_of(question)
    thread.last_message_at = timezone.now()
    thread.save(update_fields=["title", "last_message_at", "updated_at"])
    message = CrmChatMessage.objects.create(thread=thread, question=question.strip(), ai_type=ai_type_of(app))
    notify_workers(WORK)
    return message


@transaction.atomic
def delete_threads(*, member_id: str, selection: BulkSelection) -> int:
    """Delete conversations of the member's, with their questions. Returns how many. Raises NotFound_404 for none."""
    deleted = 0
    for ids in in_batches(selection.apply(threads_of(member_id)), lock=True):
        CrmChatThread.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a conversation of yours", field="ids")
    return deleted


def forget_members(member_ids: Sequence[str]) -> None:
    """Delete the conversations of removed members."""
    CrmChatThread.objects.filter(owner__in=member_ids).delete()


def forget_old() -> bool:
    """Delete conversations without a question for KEPT (a periodic task). Returns whether more may wait."""
    with unscoped(reason="tick: old conversations with the assistant, of all companies"):
        old = CrmChatThread.objects.filter(last_message_at__lt=timezone.now() - QUESTION_LIFE).values_list(
            "pk", flat=True
        )
        ids = list(old[:1000])
        CrmChatThread.objects.filter(pk__in=ids).delete()
    return len(ids) == 1000
