"""Endpoints of organizations."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.fields import FIELDS
from core.api.listing import Listing
from core.lists import LIST_PARAMETERS, ListQuery
from core.types import JsonObject
from crm.bulk_jobs.serializers import bulk_response, undoable_response
from crm.bulk_jobs.views import restore_action
from crm.organizations.filters import ORGANIZATION_FIELDS
from crm.organizations.kind import ORGANIZATION
from crm.organizations.selectors import live_organizations
from crm.organizations.serializers import (
    OrganizationBulkCreate,
    OrganizationBulkDelete,
    OrganizationBulkOut,
    OrganizationBulkUpdate,
    OrganizationCreate,
    OrganizationOut,
    OrganizationUpdate,
    owner_of,
    tags_of,
)
from crm.organizations.services import (
    create_organization,
    create_organizations,
    delete_organizations,
    update_many,
    update_organization,
)
from crm.records.serializers import BulkDeleted, BulkUpdated, drops_invalid
from crm.records.views import VALUE_ERRORS, RecordViewSet, bulk_answer, listed_records

REFERENCE_ERRORS = ("TagNotFound_400", "MemberNotFound_404", "MemberNotAccepted_400")
CREATE_ERRORS = ("OrganizationDataRequired_400", "OrganizationNotFound_404", *VALUE_ERRORS, *REFERENCE_ERRORS)


def creation_options(data: JsonObject) -> JsonObject:
    """Return the arguments that the creation of one organization and of many share."""
    return {
        "tag_ids": data.get("tags") or [],
        "owner_id": data.get("owner"),
        "automation": data["automation"] != "skip",
    }


class OrganizationViewSet(RecordViewSet):
    module = "contact"
    kind = ORGANIZATION
    listing = Listing(
        "List organizations",
        listed_records(ORGANIZATION),
        ORGANIZATION_FIELDS,
        OrganizationOut,
        description="Custom fields are filtered, searched and sorted by under their uniqueFieldID or _id. Deleted"
        " organizations are shown only where the filters name isDeleted.",
    )

    @endpoint(
        "Create an organization",
        input=OrganizationCreate,
        output=OrganizationOut,
        success="OrganizationCreated_201",
        errors=CREATE_ERRORS,
        description="name is required; several may have the same, unless `reuse` answers the existing one as it is."
        " Values that dropInvalidValues left out are named in `warning`. Emits organization.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        saved = create_organization(
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            drop_invalid=drops_invalid(data, one=True),
            reuse=data["reuse"],
            **creation_options(data),
        )
        return self.created(saved, lost="OrganizationNotFound_404", noun="the organization")

    @endpoint(
        "Update many organizations",
        input=OrganizationBulkUpdate,
        output=BulkUpdated,
        undoable=True,
        bulk=True,
        success="OrganizationsUpdated_200",
        errors=(
            *("CannotUpdateUniqueKey_400", "OrganizationNotFound_400", "InvalidPayload_400"),
            *(*VALUE_ERRORS, *REFERENCE_ERRORS),
        ),
        description="Applies one change set to the selected organizations, all or none; names are changed one at a"
        " time. Emits organization.updated for each that is different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        outcome = update_many(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            form_data=data["form_data"],
            update_type=data["update_type"],
            tag_ids=tags_of(data),
            owner_id=owner_of(data),
            automation=data["automation"] != "skip",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    @endpoint(
        "Delete organizations",
        input=OrganizationBulkDelete,
        output=BulkDeleted,
        undoable=True,
        bulk=True,
        success="OrganizationsDeleted_200",
        errors=("OrganizationNotFound_400",),
        description="They are flagged isDeleted and no longer found; contacts and leads keep them. Emits"
        " organization.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        outcome = delete_organizations(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return bulk_response(self, outcome, {"deletedCount": outcome.matched})

    @endpoint(
        "Read an organization",
        output=OrganizationOut,
        parameters=tuple(LIST_PARAMETERS),
        errors=("OrganizationNotFound_400",),
        description="Parameters of the list contract are checked and change nothing.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        ListQuery.parse(request.query_params, ORGANIZATION_FIELDS, extra=(FIELDS.name,))
        return self.read(id)

    @endpoint(
        "Update an organization",
        input=OrganizationUpdate,
        output=OrganizationOut,
        success="OrganizationUpdated_200",
        undoable=True,
        errors=(
            *("OrganizationNotFound_400", "OrganizationDataRequired_400", "RecordChanged_409"),
            *(*VALUE_ERRORS, *REFERENCE_ERRORS),
        ),
        description="What is not given stays. null or empty text empties a value, tags replace the organization's tags,"
        " and null takes them or the owner away. Emits organization.updated, with the changes in its payload.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        job = update_organization(
            id=id,
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            tag_ids=tags_of(data),
            owner_id=owner_of(data),
            automation=data["automation"] != "skip",
            unchanged_since=data.get("unchanged_since"),
        )
        return undoable_response(self, self.read(id), job)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Create up to 500 organizations",
        input=OrganizationBulkCreate,
        output=OrganizationBulkOut,
        success="OrganizationsProcessed_200",
        errors=(*CREATE_ERRORS, "InvalidPayload_400"),
        description="Each item succeeds or fails on its own, unless skipInvalid is false; the answer is 200 either way:"
        " items that became no organization are in `failed`, single values in the way or left out are in `errors`."
        " Emits organization.created for each new one.",
    )
    def bulk(self, request: Request, data: JsonObject) -> object:
        result = create_organizations(
            actor_id=self.actor.member_id,
            items=data["form_data"],
            drop_invalid=drops_invalid(data),
            all_or_none=data["skip_invalid"] is False,
            **creation_options(data),
        )
        return self.processed(bulk_answer(result, live_organizations(), OrganizationOut), result)

    restore = restore_action(ORGANIZATION, success="OrganizationsRestored_200", counted=False)
