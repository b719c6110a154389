"""Endpoints of comments (an addition to the contract: docs/deviations/records.md)."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.comments.filters import COMMENT_FIELDS
from crm.comments.models import Comment
from crm.comments.rights import live_comments, readable_comments
from crm.comments.serializers import (
    CommentCreate,
    CommentDelete,
    CommentOut,
    CommentRestore,
    CommentUpdate,
    Restored,
)
from crm.comments.services import (
    create_comment,
    delete_comment,
    delete_comments,
    not_found,
    restore_comments,
    update_comment,
)
from crm.records.serializers import AutomationInput

RIGHTS = (
    "A role that sees the record (contact.GET, of an organization too, lead.GET, of a task lead-activity.GET) reads its"
    " comments and adds others."
)
DELETERS = "The author deletes a comment, and who may delete its record."
MENTION_ERRORS = ("InvalidInput_400", "MemberNotFound_404", "MentionAmbiguous_400", "MentionNotAllowed_400")


def _listed_comments(list_request: ListRequest) -> QuerySet[Comment]:
    """Return the comments that the caller may read; all of them for an export, which takes every right."""
    return live_comments() if list_request.caller is None else readable_comments(list_request.caller)


class CommentViewSet(ResourceViewSet):
    module = "contact"
    alternate_modules = ("lead", "lead-activity")
    listing = Listing(
        "List comments",
        _listed_comments,
        COMMENT_FIELDS,
        CommentOut,
        description=f'filters={{"contact": id}} finds those on a contact, and lead, organization and task the others.'
        f" Comments on deleted records are left out. {RIGHTS}",
        whole=("lead", "lead-activity"),
    )

    @endpoint(
        "Comment on a record",
        input=CommentCreate,
        output=CommentOut,
        permission="GET",
        success="CommentCreated_201",
        errors=(
            *("ContactNotFound_400", "LeadNotFound_400", "OrganizationNotFound_400", "TaskNotFound_404"),
            *MENTION_ERRORS,
        ),
        description=f"Mentioned members get a notice. They need the right to see the record. {RIGHTS} Emits"
        " comment.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        comment = create_comment(
            actor=self.actor,
            text=data["text"],
            kind=data["record"]["kind"],
            record_id=data["record"]["id"],
            mentions=data.get("mentions", ()),
            automation=data["automation"] != "skip",
        )
        return self._comment_data(comment.pk)

    @endpoint(
        "Delete comments",
        input=CommentDelete,
        output=Deleted,
        bulk=True,
        permission="GET",
        success="CommentsDeleted_200",
        errors=("CommentNotFound_404", "CommentNotYours_403"),
        description=f"All or none. {DELETERS} Emits comment.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_comments(actor=self.actor, selection=self.selection(), automation=data["automation"] != "skip")
        return {"deletedCount": deleted}

    @endpoint("Read a comment", output=CommentOut, errors=("CommentNotFound_404",), description=RIGHTS)
    def retrieve(self, request: Request, id: str) -> object:
        return self._comment_data(id)

    @endpoint(
        "Edit a comment",
        input=CommentUpdate,
        output=CommentOut,
        permission="GET",
        success="CommentUpdated_200",
        errors=("CommentNotFound_404", "CommentNotYours_403", *MENTION_ERRORS),
        description="Only its author may. Members whom it did not mention before get a notice. Emits comment.updated"
        " when anything is different.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        update_comment(
            actor=self.actor,
            id=id,
            text=data.get("text"),
            mentions=data.get("mentions"),
            automation=data["automation"] != "skip",
        )
        return self._comment_data(id)

    @endpoint(
        "Delete a comment",
        input=AutomationInput,
        permission="GET",
        success="CommentDeleted_200",
        errors=("CommentNotFound_404", "CommentNotYours_403"),
        description=f"{DELETERS} It can be restored for 30 days. Emits comment.deleted.",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> None:
        delete_comment(actor=self.actor, id=id, automation=data["automation"] != "skip")

    @action(detail=False, methods=["post"])
    @endpoint(
        "Restore deleted comments",
        input=CommentRestore,
        output=Restored,
        permission="GET",
        success="CommentsRestored_200",
        errors=("CommentNotFound_404", "CommentNotYours_403"),
        description="All or none, within 30 days. Who may delete a comment restores it. Nobody is notified again. Emits"
        " comment.restored for each.",
    )
    def restore(self, request: Request, data: JsonObject) -> object:
        restored = restore_comments(actor=self.actor, ids=data["ids"], automation=data["automation"] != "skip")
        return {"restoredCount": restored}

    def _comment_data(self, id: str) -> JsonObject:
        comment = CommentOut.one(readable_comments(self.actor).filter(pk=id))
        if comment is None:
            raise not_found()
        return comment
