"""Endpoints of contacts (contract 4.3)."""

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
from crm.contacts.bulk import delete_contacts, update_many
from crm.contacts.employment import match_contacts
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.kind import CONTACT
from crm.contacts.rights import ContactRights
from crm.contacts.selectors import live_contacts
from crm.contacts.serializers import (
    ContactBulkCreate,
    ContactBulkDelete,
    ContactBulkOut,
    ContactBulkUpdate,
    ContactCreate,
    ContactMatch,
    ContactOut,
    ContactUpdate,
    category_of,
    organization_of,
    owner_of,
    tags_of,
)
from crm.contacts.services import create_contact, create_contacts, update_contact
from crm.records.results import UNSET
from crm.records.serializers import BulkDeleted, BulkUpdated, drops_invalid
from crm.records.summary import SELECTING, GroupOut, Summary
from crm.records.views import VALUE_ERRORS, RecordViewSet, bulk_answer, listed_records

TAG_ERRORS = (
    *("TagNotFound_400", "ContactCategoryNotFound_400", "OrganizationNotFound_400"),
    *("MemberNotFound_404", "MemberNotAccepted_400"),
)
CREATE_ERRORS = (
    "ContactAlreadyExists_400",
    "ContactDataRequired_400",
    "ContactNotFound_404",
    *VALUE_ERRORS,
    *TAG_ERRORS,
)

SUMMARY = Summary({"category": "category_id", "importId": "import_job_id"})


def creation_options(data: JsonObject) -> JsonObject:
    """Return the arguments that the creation of one contact and of many share."""
    category = category_of(data)
    return {
        "tag_ids": data.get("tags") or [],
        "category_id": None if category is UNSET else category,
        "organization_id": data.get("organization"),
        "owner_id": data.get("owner"),
        "existing_error": data["existing_error"],
        "automation": data["automation"] != "skip",
    }


class ContactViewSet(RecordViewSet):
    module = "contact"
    kind = CONTACT
    listing = Listing(
        "List contacts",
        listed_records(CONTACT),
        CONTACT_FIELDS,
        ContactOut,
        description="Custom fields are filtered, searched and sorted by under their uniqueFieldID or _id. Deleted"
        " contacts are shown only where the filters name isDeleted.",
    )

    @endpoint(
        "Create a contact",
        input=ContactCreate,
        output=ContactOut,
        success="ContactCreated_200",
        other_successes=("ContactUpdated_200",),
        undoable=True,
        errors=CREATE_ERRORS,
        quota_module="contact",
        description="email, countryCode and number are required unless the company has changed that. Values that"
        " dropInvalidValues left out are named in `warning`. The contact takes over the leads of a deleted one with its"
        " unique key. Emits contact.created (contact.updated, and the message ContactUpdated_200, when existingError is"
        " false and the contact exists).",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        saved = create_contact(
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            drop_invalid=drops_invalid(data, one=True),
            may_read=ContactRights.of(self.actor).read,
            **creation_options(data),
        )
        return self.created(saved, lost="ContactNotFound_404", noun="the contact", updated="ContactUpdated_200")

    @endpoint(
        "Update many contacts",
        input=ContactBulkUpdate,
        output=BulkUpdated,
        undoable=True,
        bulk=True,
        success="ContactsUpdated_200",
        errors=("CannotUpdateUniqueKey_400", "ContactNotFound_400", "InvalidPayload_400", *VALUE_ERRORS, *TAG_ERRORS),
        description="Applies one change set to the selected contacts, all or none. What makes contacts unique (setting"
        " contactUniqueKey) cannot be changed for many. Emits contact.updated for each that is different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        outcome = update_many(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            form_data=data["form_data"],
            update_type=data["update_type"],
            tag_ids=tags_of(data),
            category_id=category_of(data),
            organization_id=organization_of(data),
            owner_id=owner_of(data),
            automation=data["automation"] != "skip",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    @endpoint(
        "Delete contacts",
        input=ContactBulkDelete,
        output=BulkDeleted,
        undoable=True,
        bulk=True,
        success="ContactsDeleted_200",
        errors=("ContactNotFound_400",),
        description="They are flagged isDeleted and no longer found. Emits contact.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        outcome = delete_contacts(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return bulk_response(self, outcome, {"deletedCount": outcome.matched})

    @endpoint(
        "Read a contact",
        output=ContactOut,
        parameters=tuple(LIST_PARAMETERS),
        errors=("ContactNotFound_400",),
        description="Parameters of the list contract are checked and change nothing.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        ListQuery.parse(request.query_params, CONTACT_FIELDS, extra=(FIELDS.name,))
        return self.read(id)

    @endpoint(
        "Update a contact",
        input=ContactUpdate,
        output=ContactOut,
        success="ContactUpdated_200",
        undoable=True,
        errors=(
            "CannotUpdateUniqueKey_400",
            "ContactAlreadyExists_400",
            "ContactNotFound_400",
            "RecordChanged_409",
            *VALUE_ERRORS,
            *TAG_ERRORS,
        ),
        description="What is not given stays. null or empty text empties a value, tags replace the contact's tags,"
        " and null takes them, the category, the organization or the owner away. What makes the contact unique (setting"
        " contactUniqueKey) can change to what no other contact has, and cannot be emptied. Emits contact.updated, with"
        " the changes in its payload.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        job = update_contact(
            id=id,
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            tag_ids=tags_of(data),
            category_id=category_of(data),
            organization_id=organization_of(data),
            owner_id=owner_of(data),
            automation=data["automation"] != "skip",
            unchanged_since=data.get("unchanged_since"),
            may_read=ContactRights.of(self.actor).read,
        )
        return undoable_response(self, self.read(id), job)

    @action(detail=False)
    @endpoint(
        "Count contacts by category",
        output=GroupOut,
        many=True,
        list_parameters=SELECTING,
        parameters=(SUMMARY.parameter,),
        description=f"Or by the import that they came from. {SUMMARY.description}",
    )
    def summary(self, request: Request) -> object:
        return self.summarized(SUMMARY)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Create up to 500 contacts",
        input=ContactBulkCreate,
        output=ContactBulkOut,
        success="ContactsProcessed_200",
        undoable=True,
        errors=(*CREATE_ERRORS, "InvalidPayload_400"),
        quota_module="contact",
        description="Each item succeeds or fails on its own, unless skipInvalid is false; the answer is 200 either way:"
        " items that became no contact are in `failed`, single values in the way or left out are in `errors`. Emits"
        " contact.created for each new contact.",
    )
    def bulk(self, request: Request, data: JsonObject) -> object:
        result = create_contacts(
            actor_id=self.actor.member_id,
            items=data["form_data"],
            drop_invalid=drops_invalid(data),
            all_or_none=data["skip_invalid"] is False,
            may_read=ContactRights.of(self.actor).read,
            **creation_options(data),
        )
        return self.processed(bulk_answer(result, live_contacts(), ContactOut), result)

    @action(detail=False, methods=["post"], url_path="match-organizations")
    @endpoint(
        "Match contacts with organizations",
        input=ContactMatch,
        output=BulkUpdated,
        undoable=True,
        bulk=True,
        success="OrganizationsMatched_200",
        permission="PUT",
        errors=("ContactNotFound_400", "InvalidCustomField_400"),
        description="Gives the selected contacts that have no organization the one that their text field Company names,"
        " ignoring case, punctuation and legal forms, or that of their colleagues at the same email domain. Missing"
        " organizations are made; undoing the change takes them away. Domains of free mail say nothing. The text fields"
        " stay as they are. Emits contact.updated for each that got one, and organization.created. Takes the"
        " permission to update.",
    )
    def match_organizations(self, request: Request, data: JsonObject) -> object:
        outcome = match_contacts(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            field=data["field"],
            automation=data["automation"] != "skip",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    restore = restore_action(CONTACT, success="ContactsRestored_200")
