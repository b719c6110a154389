"""Endpoints of merges of two or more contacts, leads or organizations into one, and of undoing them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Output
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from crm.contacts.serializers import ContactOut
from crm.leads.serializers import LeadOut
from crm.merging.filters import MERGE_FIELDS
from crm.merging.models import Merge
from crm.merging.serializers import (
    ContactMerge,
    ContactMergeOut,
    ContactMergeUndone,
    LeadMerge,
    LeadMergeOut,
    LeadMergeUndone,
    MergeOut,
    MergeUndo,
    OrganizationMerge,
    OrganizationMergeOut,
    OrganizationMergeUndone,
)
from crm.merging.services import UNDO_DAYS, merge_records
from crm.merging.undo import not_found, undo_merge
from crm.organizations.serializers import OrganizationOut
from crm.records.types import kind_of
from crm.records.views import VALUE_ERRORS, response_metadata

MERGE = (
    "The values of `winner` stay, unless `choices` takes one from another of the records or gives one; what the"
    " winner lacks comes\nfrom the others, in their order. Tags (and products) are united, and what refers to the"
    f" others goes along. These are deleted and point to\nthe winner. Undone within {UNDO_DAYS} days by POST :id/undo."
    " Takes the permissions to update and to delete too."
)
UNDO = (
    f"Within {UNDO_DAYS} days, the records are what they were before; what somebody has changed since stays, and is"
    " named in `kept`. A lead whose stage has been deleted comes to the first one of the same kind, which `warning`"
    " states.\nTakes the permissions to update and to delete too."
)
MERGE_ERRORS = ("InvalidPayload_400", *VALUE_ERRORS)
UNDO_ERRORS = ("NotFound_404", "BadRequest_400", "PlanLimitExceeded_403", "PlanSubscriptionLimitExceeded_403")
CONTACT_ERRORS = (
    "ContactNotFound_400",
    "ContactAlreadyExists_400",
    "CannotUpdateUniqueKey_400",
    "OrganizationNotFound_400",
)


def merges_of(panel: str) -> QuerySet[Merge]:
    """Return the merges of one type of record."""
    return Merge.objects.filter(panel=panel)


class MergeViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the merges of contacts, of leads and of organizations; the actions of each call it."""

    panel: ClassVar[str]
    record: ClassVar[type[Output]]
    """The output of the records."""

    def merge(self, data: JsonObject) -> Response:
        self._check_permissions()
        merged = merge_records(
            panel=self.panel,
            actor_id=self.actor.member_id,
            ids=data["ids"],
            winner=data["winner"],
            choices=data["choices"],
            fill_empty=data["fill_empty"],
            automation=data["automation"] != "skip",
        )
        if merged.warnings:
            self.page_notes = {"warnings": ["leadsRepeat"]}
        return self.success(self.read(merged.id), **response_metadata(merged.warnings))

    def read(self, id: str) -> JsonObject:
        """Return the merge with its winner, which is null once the winner is deleted."""
        merge = self._find(id)
        records = self._records([merge["winner"]])
        return {**merge, self.panel: records[0] if records else None}

    def revert(self, id: str, data: JsonObject) -> Response:
        self._find(id)
        self._check_permissions()
        undone = undo_merge(
            panel=self.panel, id=id, actor_id=self.actor.member_id, automation=data["automation"] != "skip"
        )
        kept = [{"resource": record.resource, "_id": record.id, "keys": record.names} for record in undone.kept]
        records = self._records([undone.winner, *undone.losers])
        notes = []
        if undone.placed:
            self.page_notes = {"warnings": ["leadsPlaced"]}
            notes = [f"{id}: its stage cannot be restored, so that it is in another one now" for id in undone.placed]
        return self.success({**self._find(id), "kept": kept, f"{self.panel}s": records}, **response_metadata(notes))

    def _find(self, id: str) -> JsonObject:
        merge = MergeOut.one(merges_of(self.panel).filter(pk=id))
        if merge is None:
            raise not_found()
        return merge

    def _check_permissions(self) -> None:
        """Refuse a session whose role lacks PUT or DELETE: a merge changes the winner and deletes the others."""
        for method in ("PUT", "DELETE"):
            if not (self.actor.is_unbounded or self.actor.may(self.module or "", method)):
                raise PermissionLacking(f"{self.module}.{method}")

    def _records(self, ids: Sequence[str]) -> list[JsonObject]:
        """Return the live ones of the records, in the order of the ids."""
        live = kind_of(self.panel).live().filter(pk__in=ids)
        rows = {
            row["_id"]: row
            for row in self.record.complete([self.record.render(row) for row in self.record.project(live)])
        }
        return [rows[id] for id in ids if id in rows]


class ContactMergeViewSet(MergeViewSet):
    module = "contact"
    panel = "contact"
    record = ContactOut
    listing = Listing("List merges of contacts", partial(merges_of, "contact"), MERGE_FIELDS, MergeOut)

    @endpoint(
        "Merge contacts",
        input=ContactMerge,
        output=ContactMergeOut,
        success="ContactsMerged_200",
        errors=(*MERGE_ERRORS, *CONTACT_ERRORS),
        description=f"{MERGE} countryCode and number go together. Whoever has unsubscribed stays so. The"
        " setting duplicateLeads holds for the leads of the contacts. Emits contact.merged.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.merge(data)

    @endpoint("Read a merge of contacts", output=ContactMergeOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Undo a merge of contacts",
        input=MergeUndo,
        output=ContactMergeUndone,
        success="MergeUndone_200",
        errors=(*UNDO_ERRORS, "ContactAlreadyExists_400"),
        description=f"{UNDO} Emits contact.unmerged.",
    )
    def undo(self, request: Request, id: str, data: JsonObject) -> object:
        return self.revert(id, data)


class LeadMergeViewSet(MergeViewSet):
    module = "lead"
    panel = "lead"
    record = LeadOut
    listing = Listing("List merges of leads", partial(merges_of, "lead"), MERGE_FIELDS, MergeOut)

    @endpoint(
        "Merge leads",
        input=LeadMerge,
        output=LeadMergeOut,
        success="LeadsMerged_200",
        errors=(*MERGE_ERRORS, "LeadNotFound_400", "OrganizationNotFound_400"),
        description=f"{MERGE} contact, team and teamMember are chosen by record. The setting duplicateLeads holds for"
        " the lead that stays. Emits lead.merged.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.merge(data)

    @endpoint("Read a merge of leads", output=LeadMergeOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Undo a merge of leads",
        input=MergeUndo,
        output=LeadMergeUndone,
        success="MergeUndone_200",
        errors=UNDO_ERRORS,
        description=f"{UNDO} Emits lead.unmerged.",
    )
    def undo(self, request: Request, id: str, data: JsonObject) -> object:
        return self.revert(id, data)


class OrganizationMergeViewSet(MergeViewSet):
    module = "contact"
    panel = "organization"
    record = OrganizationOut
    listing = Listing("List merges of organizations", partial(merges_of, "organization"), MERGE_FIELDS, MergeOut)

    @endpoint(
        "Merge organizations",
        input=OrganizationMerge,
        output=OrganizationMergeOut,
        success="OrganizationsMerged_200",
        errors=(*MERGE_ERRORS, "OrganizationNotFound_400"),
        description=f"{MERGE} owner is chosen by record. Contacts and leads go to the organization that stays. Emits"
        " organization.merged.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.merge(data)

    @endpoint("Read a merge of organizations", output=OrganizationMergeOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Undo a merge of organizations",
        input=MergeUndo,
        output=OrganizationMergeUndone,
        success="MergeUndone_200",
        errors=("NotFound_404", "BadRequest_400"),
        description=f"{UNDO} Emits organization.unmerged.",
    )
    def undo(self, request: Request, id: str, data: JsonObject) -> object:
        return self.revert(id, data)
