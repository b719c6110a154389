"""Rights to comments: those of their records. A role that sees the record reads its comments and adds others."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from core.access import Actor
from crm.activities.tasks import LIVE, live_tasks
from crm.comments.models import RECORD_KINDS, Comment

MODULES = {"contact": "contact", "lead": "lead", "organization": "contact", "task": "lead-activity"}
"""Kind of record -> the permission module that shows it."""


def allowed_kinds(actor: Actor, method: str = "GET") -> list[str]:
    """Return the kinds of records on which the actor may use the method."""
    return [kind for kind in RECORD_KINDS if actor.may(MODULES[kind], method)]


def live_comments() -> QuerySet[Comment]:
    """Return the comments of the active company, without deleted ones and those of deleted records."""
    return _of_live_records(Comment.objects.filter(deleted_at=None))


def readable_comments(actor: Actor) -> QuerySet[Comment]:
    """Return the comments on the records that the actor may see."""
    return _of_kinds(live_comments(), allowed_kinds(actor))


def restorable_comments(actor: Actor) -> QuerySet[Comment]:
    """Return the deleted comments on the records that the actor may see."""
    return _of_kinds(_of_live_records(Comment.objects.exclude(deleted_at=None)), allowed_kinds(actor))


def _of_live_records(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    for kind in LIVE:
        comments = comments.filter(Q(**{kind: None}) | Q(**{f"{kind}__is_deleted": False}))
    return comments.filter(Q(task=None) | Q(task__in=live_tasks().order_by().values("pk")))


def removable(actor: Actor) -> Q:
    """Match the actor's own comments, and those on records that the actor may delete."""
    own = Q(created_by=actor.member_id)
    for kind in allowed_kinds(actor, "DELETE"):
        own |= Q(**{f"{kind}__isnull": False})
    return own


def _of_kinds(comments: QuerySet[Comment], kinds: list[str]) -> QuerySet[Comment]:
    if len(kinds) == len(RECORD_KINDS):
        return comments
    condition = Q(pk__in=[])
    for kind in kinds:
        condition |= Q(**{f"{kind}__isnull": False})
    return comments.filter(condition)
