"""Endpoints of leads (contract 4.4; contacts are the model)."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.fields import FIELDS
from core.api.listing import Listing
from core.errors import DuplicateField
from core.lists import LIST_PARAMETERS, ListQuery
from core.types import JsonObject
from crm.bulk_jobs.serializers import bulk_response
from crm.bulk_jobs.views import restore_action
from crm.contacts.rights import ContactRights
from crm.leads.board import read_board
from crm.leads.board_serializers import PIPELINE, BoardOut
from crm.leads.bulk import delete_leads, update_many
from crm.leads.duplicates import DUPLICATE, REPEATED
from crm.leads.filters import LEAD_FIELDS
from crm.leads.kind import LEAD
from crm.leads.selectors import live_leads
from crm.leads.serializers import (
    LeadBulkCreate,
    LeadBulkDelete,
    LeadBulkOut,
    LeadBulkUpdate,
    LeadCreate,
    LeadOut,
    LeadUpdate,
    relations_of,
)
from crm.leads.services import create_lead, create_leads, update_lead
from crm.records.serializers import BulkDeleted, BulkUpdated, drops_invalid
from crm.records.summary import SELECTING, AmountGroupOut, Summary
from crm.records.views import VALUE_ERRORS, RecordViewSet, bulk_answer, listed_records, response_metadata

RELATION_ERRORS = (
    "ProductServiceNotFound_400",
    "OrganizationNotFound_400",
    "TeamNotFound_400",
    "MemberNotFound_404",
    "MemberNotAccepted_400",
    "TagNotFound_400",
    "PipelineNotFound_404",
    "StageNotFound_404",
    "LostReasonNotFound_404",
    "LostReasonRequired_400",
)
CONTACT_ERRORS = ("ContactNotFound_400", "ContactAlreadyExists_400", "ContactCategoryNotFound_400")
CREATE_ERRORS = (
    *(
        "ContactDataRequired_400",
        "ValidationError_400",
        "LeadNotFound_404",
        "DefaultTeamNotFound_500",
        "PlanLimitExceeded_403",
    ),
    *(*VALUE_ERRORS, *RELATION_ERRORS, *CONTACT_ERRORS),
)
CREATE = (
    "The contact is named by `contact`, or found by the company's unique key among the values in formData, or else made"
    " of them. An existing contact takes the values that it lacks, with existingError false all of them (`bulkJob`"
    " undoes that). By session a new contact takes contact.POST, and without contact.PUT an existing one stays as it"
    " is; `warning` names what it did not take.\n\n"
    "A lead of the same contact and product (or of none, both) that is still open makes an open lead a duplicate: the"
    " setting duplicateLeads says whether it is made with a warning, refused or made; existingError false updates the"
    " open lead instead. status must be an option of the system field status; won and lost, and options whose"
    ' description begins with "closed", are not open. Without team the lead is the default team\'s; without teamMember'
    " it is assigned as teamSettings say. Values that dropInvalidValues left out are named in `warning`. Emits"
    " lead.created (lead.updated for a duplicate that is updated, whose message is LeadUpdated_200)."
)

SUMMARY = Summary(
    {
        "status": "status",
        "source": "source",
        "team": "team_id",
        "teamMember": "team_member_id",
        "owner": "team_member_id",
        "pipeline": "pipeline_id",
        "stage": "stage_id",
        "lostReason": "lost_reason_id",
    },
    amount="value",
    weight="stage__probability",
)


def creation_options(data: JsonObject) -> JsonObject:
    """Return the arguments that the creation of one lead and of many share."""
    return {
        "relations": relations_of(data, new=True),
        "existing_error": data["existing_error"],
        "automation": data["automation"] != "skip",
    }


class LeadViewSet(RecordViewSet):
    module = "lead"
    kind = LEAD
    listing = Listing(
        "List leads",
        listed_records(LEAD),
        LEAD_FIELDS,
        LeadOut,
        description="Custom fields are filtered, searched and sorted by under their uniqueFieldID or _id. Deleted leads"
        " are shown only where the filters name isDeleted. Sorted by"
        " productServices.name, a lead stands where the first of its products' names does.",
    )

    @endpoint(
        "Create a lead",
        input=LeadCreate,
        output=LeadOut,
        success="LeadCreated_201",
        other_successes=("LeadUpdated_200",),
        undoable=True,
        errors=CREATE_ERRORS,
        description=CREATE,
        quota_module="lead",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        saved = create_lead(
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            drop_invalid=drops_invalid(data, one=True),
            rights=ContactRights.of(self.actor),
            **creation_options(data),
        )
        return self.created(saved, lost="LeadNotFound_404", noun="the lead", updated="LeadUpdated_200")

    @endpoint(
        "Update many leads",
        input=LeadBulkUpdate,
        output=BulkUpdated,
        undoable=True,
        bulk=True,
        success="LeadsUpdated_200",
        errors=("LeadNotFound_400", "InvalidPayload_400", *VALUE_ERRORS, *RELATION_ERRORS),
        description="Applies one change set to the selected leads, all or none; their contacts stay as they are. The"
        " setting duplicateLeads holds for leads that open again or get another product. Emits lead.updated for each"
        " that is different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        outcome = update_many(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            form_data=data["form_data"],
            update_type=data["update_type"],
            relations=relations_of(data),
            automation=data["automation"] != "skip",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    @endpoint(
        "Delete leads",
        input=LeadBulkDelete,
        output=BulkDeleted,
        undoable=True,
        bulk=True,
        success="LeadsDeleted_200",
        errors=("LeadNotFound_400",),
        description="They are flagged isDeleted and no longer found; their contacts stay. Emits lead.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        outcome = delete_leads(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return bulk_response(self, outcome, {"deletedCount": outcome.matched})

    @endpoint(
        "Read a lead",
        output=LeadOut,
        parameters=tuple(LIST_PARAMETERS),
        errors=("LeadNotFound_400",),
        description="Parameters of the list contract are checked and change nothing.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        ListQuery.parse(request.query_params, LEAD_FIELDS, extra=(FIELDS.name,))
        return self.read(id)

    @endpoint(
        "Update a lead",
        input=LeadUpdate,
        output=LeadOut,
        success="LeadUpdated_200",
        undoable=True,
        errors=(
            *("LeadNotFound_400", "CannotUpdateUniqueKey_400", "InvalidPayload_400", "RecordChanged_409"),
            *(*VALUE_ERRORS, *RELATION_ERRORS, *CONTACT_ERRORS),
        ),
        description="What is not given stays. null or empty text empties a value, tags and productServices replace the"
        " lead's, a team or teamMember of null takes it away. Values of the contact, and a category, are written to the"
        " lead's contact, by session with the permission contact.PUT; without it the contact stays as it is, and"
        " `warning` names them. The setting duplicateLeads holds for a lead that opens again, or gets another contact"
        " or product. Emits lead.updated, with what changed in its payload (status from and to, when it moved).",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        saved = update_lead(
            id=id,
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            relations=relations_of(data),
            automation=data["automation"] != "skip",
            rights=ContactRights.of(self.actor),
            unchanged_since=data.get("unchanged_since"),
        )
        self.page_notes = {"warnings": saved.codes}
        return self.success(self.read(id), **response_metadata(saved.notes, saved.job))

    @action(detail=False)
    @endpoint(
        "Count leads by status",
        output=AmountGroupOut,
        many=True,
        list_parameters=SELECTING,
        parameters=(SUMMARY.parameter,),
        description="Or by source, team, member, pipeline, stage or reason, with the sum of their values, as it is and"
        f" weighted by the probability of their stages. {SUMMARY.description}",
    )
    def summary(self, request: Request) -> object:
        return self.summarized(SUMMARY)

    @action(detail=False)
    @endpoint(
        "Read the board of a pipeline",
        output=BoardOut,
        parameters=(PIPELINE, *(parameter for parameter in LIST_PARAMETERS if parameter.name in SELECTING)),
        errors=("PipelineNotFound_404",),
        description="Its stages with the numbers of their leads that the list has with the same search and filters.",
    )
    def board(self, request: Request) -> object:
        params = request.query_params
        query = ListQuery.parse(params, LEAD_FIELDS, extra=(PIPELINE.name,))
        rows = self.listing.rows(self.list_request()).filter(query.where)
        return read_board(rows, params.get(PIPELINE.name, ""))

    @action(detail=False, methods=["post"])
    @endpoint(
        "Create up to 500 leads",
        input=LeadBulkCreate,
        output=LeadBulkOut,
        quota_module="lead",
        success="LeadsProcessed_200",
        undoable=True,
        errors=(*CREATE_ERRORS, "InvalidPayload_400"),
        description="As POST /lead, each item on its own unless skipInvalid is false; the answer is 200 either way:"
        f" items that became no lead are in `failed` (a duplicate by the name {DUPLICATE}), single values in the way or"
        " left out are in `errors`.",
    )
    def bulk(self, request: Request, data: JsonObject) -> object:
        result = create_leads(
            actor_id=self.actor.member_id,
            items=data["form_data"],
            drop_invalid=drops_invalid(data),
            all_or_none=data["skip_invalid"] is False,
            rights=ContactRights.of(self.actor),
            **creation_options(data),
        )
        answer = bulk_answer(result, live_leads(), LeadOut, {DUPLICATE: DuplicateField(REPEATED).message})
        return self.processed(answer, result)

    restore = restore_action(LEAD, success="LeadsRestored_200")
