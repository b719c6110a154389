"""Use cases of comments. Each comment on a contact, lead or organization is also an activity, with the same id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import PRESENT, notify
from accounts.models import Member
from accounts.settings.notices import Notice
from core.access import Actor
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id, company_scope
from core.text.translation import gettext_lazy as _
from core.types import JsonObject
from crm.activities.models import LeadActivity
from crm.activities.tasks import LIVE, live_tasks
from crm.activities.text import several_lines
from crm.comments.mentions import find_mentions
from crm.comments.models import RECORD_KINDS, Comment, CommentMention
from crm.comments.rights import MODULES, allowed_kinds, readable_comments, removable, restorable_comments

MENTIONED = Notice("comment.mentioned", _("Mentioned in a comment"), "notice_comment_mentioned")
MAX_TEXT = 10_000
RESTORE_DAYS = 30
"""Days for which a deleted comment can be restored."""
MAX_PURGED = 1000
RECORDS = {**LIVE, "task": (live_tasks, "TaskNotFound_404")}
"""Kind of record -> the live ones of the company, and the error of a missing one."""


@transaction.atomic
def create_comment(
    *, actor: Actor, text: str, kind: str, record_id: str, mentions: Collection[str] = (), automation: bool = True
) -> Comment:
    """Create a comment on a record that the actor may see, and notify the members whom it mentions.

    `mentions` are members besides those whom the text names. Raises the error of a missing record, InvalidInput_400,
    MemberNotFound_404, MentionAmbiguous_400 and MentionNotAllowed_400.
    """
    check_record(actor, kind, record_id)
    text = _clean(text)
    named = find_mentions(
        text,
        given=mentions,
        former={},
        module=MODULES[kind],
        names_members=actor.may("member", "GET"),
        is_seen_by=partial(_is_seen_by, kind=kind, record_id=record_id),
    )
    comment = Comment.objects.create(text=text, created_by_id=actor.member_id, **{f"{kind}_id": record_id})
    _add_activities([comment])
    _mention(comment, named, actor)
    payloads = {comment.pk: event_payload(comment)}
    emit("comment.created", [comment.pk], payloads=payloads, actor_id=actor.member_id, automation=automation)
    return comment


@transaction.atomic
def update_comment(
    *,
    actor: Actor,
    id: str,
    text: str | None = None,
    mentions: Collection[str] | None = None,
    automation: bool = True,
) -> Comment:
    """Change the actor's own comment, and notify the members whom it mentions for the first time.

    Raises CommentNotFound_404, CommentNotYours_403 and the errors of create_comment.
    """
    comment = readable_comments(actor).select_for_update(of=("self",)).filter(pk=id).first()
    if comment is None:
        raise not_found()
    if comment.created_by_id != actor.member_id:
        raise NamedError("CommentNotYours_403", "only the author edits a comment", field="id")
    kind = kind_of(comment)
    text = comment.text if text is None else _clean(text)
    former = dict(comment.mentions.filter(is_current=True).values_list("member_id", "label"))
    if mentions is None:
        mentions = [member_id for member_id, label in former.items() if not label]
    named = find_mentions(
        text,
        given=mentions,
        former=former,
        module=MODULES[kind],
        names_members=actor.may("member", "GET"),
        is_seen_by=partial(_is_seen_by, kind=kind, record_id=record_of(comment)),
    )
    if text == comment.text and named == former:
        return comment
    comment.text = text
    comment.edited_at = comment.updated_at = timezone.now()
    comment.save(update_fields=["text", "edited_at", "updated_at"])
    _mention(comment, named, actor)
    payloads = {comment.pk: event_payload(comment)}
    emit("comment.updated", [comment.pk], payloads=payloads, actor_id=actor.member_id, automation=automation)
    return comment


@transaction.atomic
def delete_comment(*, actor: Actor, id: str, automation: bool = True) -> None:
    """Delete the actor's own comment, or one on a record that the actor may delete.

    Raises CommentNotFound_404 and CommentNotYours_403.
    """
    comment = readable_comments(actor).select_for_update(of=("self",)).filter(pk=id).first()
    if comment is None:
        raise not_found()
    _delete([comment], actor, automation)


@transaction.atomic
def delete_comments(*, actor: Actor, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected comments, all or none, and return their number.

    Raises CommentNotFound_404 when one of the ids names none, and CommentNotYours_403 when one of them may not be
    deleted.
    """
    deleted = 0
    for ids in in_batches(selection.apply(readable_comments(actor)), lock=True):
        deleted += _delete(list(Comment.objects.filter(pk__in=ids).order_by("pk")), actor, automation)
    if not selection.everything and deleted != len(selection.ids):
        raise NamedError("CommentNotFound_404", "one of them is no comment of this company", field="ids")
    return deleted


@transaction.atomic
def restore_comments(*, actor: Actor, ids: Collection[str], automation: bool = True) -> int:
    """Restore deleted comments that the actor may delete, all or none, and return their number.

    Nobody is notified again. Raises CommentNotFound_404 when one of them is missing or not deleted, or its record is
    deleted, and CommentNotYours_403.
    """
    deleted = restorable_comments(actor).select_for_update(of=("self",)).filter(pk__in=ids)
    comments = list(deleted.prefetch_related("mentions").order_by("pk"))
    if not comments or len(comments) != len(set(ids)):
        raise NamedError("CommentNotFound_404", "one of them is no deleted comment of this company", field="ids")
    _check_removable(comments, actor)
    now = timezone.now()
    for comment in comments:
        comment.deleted_at = None
        comment.updated_at = now
    Comment.objects.bulk_update(comments, ["deleted_at", "updated_at"])
    _add_activities(comments)
    payloads = {comment.pk: event_payload(comment) for comment in comments}
    emit("comment.restored", list(payloads), payloads=payloads, actor_id=actor.member_id, automation=automation)
    return len(comments)


def purge_comments() -> bool:
    """Delete comments permanently that were deleted RESTORE_DAYS ago. Returns whether there may be more."""
    ended = timezone.now() - timedelta(days=RESTORE_DAYS)
    ids = list(Comment.objects.filter(deleted_at__lt=ended).values_list("pk", flat=True)[:MAX_PURGED])
    Comment.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED


def check_record(actor: Actor, kind: str, id: str) -> None:
    """Refuse a record that is missing, or that the actor may not see."""
    live, missing = RECORDS[kind]
    if kind not in allowed_kinds(actor) or not live().filter(pk=id).exists():
        raise NamedError(missing, f"there is no {kind} {id} in this company", field="record")


def _is_seen_by(member: Member, *, kind: str, record_id: str) -> bool:
    """Return whether the record exists for a member whose role may limit them to own records."""
    if member.own_records is None:
        return True
    live, _ = RECORDS[kind]
    with company_scope(company_id(), member.own_records):
        return live().filter(pk=record_id).exists()


def kind_of(comment: Comment) -> str:
    """Return the kind of the comment's record."""
    return next(kind for kind in RECORD_KINDS if getattr(comment, f"{kind}_id"))


def record_of(comment: Comment) -> str:
    """Return the id of the comment's record."""
    return str(getattr(comment, f"{kind_of(comment)}_id"))


def record_name(comment: Comment) -> str:
    """Return what people call the comment's record; empty for a person without a name and an address."""
    if comment.task:
        return str(comment.task.title)
    if comment.organization:
        return str(comment.organization.name)
    person = comment.lead.contact if comment.lead else comment.contact
    return (person.name or person.email or "") if person else ""


def event_payload(comment: Comment) -> JsonObject:
    """Return the payload of the event comment.created, without the text: events have a right of their own."""
    members = [mention.member_id for mention in comment.mentions.all() if mention.is_current]
    return {kind_of(comment): record_of(comment), "mentions": sorted(members)}


def not_found() -> NamedError:
    """Return the error for an id that belongs to no comment that the actor may see."""
    return NamedError("CommentNotFound_404", "there is no such comment in this company", field="id")


def _clean(text: str) -> str:
    cleaned = several_lines(text)
    if not cleaned:
        raise NamedError("InvalidInput_400", "enter a text", field="text")
    return cleaned


def _add_activities(comments: Iterable[Comment]) -> None:
    """Show the comments in the timelines of their records; tasks have none."""
    shown = [comment for comment in comments if not comment.task_id]
    lead_ids = [comment.lead_id for comment in shown if comment.lead_id]
    contacts = dict(LIVE["lead"][0]().filter(pk__in=lead_ids).values_list("pk", "contact_id"))
    LeadActivity.objects.bulk_create(
        LeadActivity(
            pk=comment.pk,
            kind=LeadActivity.Kind.COMMENT,
            lead_id=comment.lead_id,
            contact_id=contacts.get(comment.lead_id, comment.contact_id),
            organization_id=comment.organization_id,
            member_id=comment.created_by_id,
            details={"comment": comment.pk},
            happened_at=comment.created_at,
        )
        for comment in shown
    )


def _mention(comment: Comment, named: dict[str, str], actor: Actor) -> None:
    """Write who is mentioned, and notify those who never were before, but not the author."""
    rows = {mention.member_id: mention for mention in comment.mentions.all()}
    for member_id, mention in rows.items():
        mention.is_current = member_id in named
        mention.label = named.get(member_id, mention.label)
    CommentMention.objects.bulk_update(rows.values(), ["is_current", "label"])
    added = [member_id for member_id in named if member_id not in rows]
    CommentMention.objects.bulk_create(
        CommentMention(comment=comment, member_id=member_id, label=named[member_id]) for member_id in added
    )
    active = Member.objects.filter(pk__in=added, status__in=PRESENT)
    receivers = list(active.exclude(pk=actor.member_id).order_by("pk"))
    if receivers:
        author = Member.objects.filter(pk=actor.member_id).first()
        context = {"comment": comment, "author": author, "about": record_name(comment)}
        notify(MENTIONED.key, context, members=receivers, about=("comment", comment.pk))


def _check_removable(comments: Sequence[Comment], actor: Actor) -> None:
    ids = [comment.pk for comment in comments]
    if Comment.objects.filter(removable(actor), pk__in=ids).count() != len(ids):
        raise NamedError(
            "CommentNotYours_403", "deleting a comment takes its author, or the right to delete its record", field="id"
        )


def _delete(comments: Sequence[Comment], actor: Actor, automation: bool) -> int:
    """Delete the locked comments, with their activities. Returns their number."""
    _check_removable(comments, actor)
    ids = [comment.pk for comment in comments]
    now = timezone.now()
    Comment.objects.filter(pk__in=ids).update(deleted_at=now, updated_at=now)
    LeadActivity.objects.filter(pk__in=ids, kind=LeadActivity.Kind.COMMENT).delete()
    payloads = {comment.pk: {kind_of(comment): record_of(comment)} for comment in comments}
    if ids:
        emit("comment.deleted", ids, payloads=payloads, actor_id=actor.member_id, automation=automation)
    return len(ids)
