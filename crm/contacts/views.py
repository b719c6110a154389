"""Endpoints of contacts (contract 4.3)."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.lists import LIST_PARAMETERS, ListQuery
from crm.bulk_jobs.serializers import BulkJobOut, bulk_response
from crm.contacts.bulk import delete_contacts, update_many
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.kind import CONTACT
from crm.contacts.selectors import live_contacts
from crm.contacts.serializers import (
    ContactBulkCreate,
    ContactBulkDelete,
    ContactBulkOut,
    ContactBulkUpdate,
    ContactCreate,
    ContactOut,
    ContactUpdate,
    category_of,
)
from crm.contacts.services import create_contact, create_contacts, update_contact
from crm.records.results import UNSET
from crm.records.serializers import BulkUpdated
from crm.records.views import VALUE_ERRORS, RecordViewSet, bulk_answer

TAG_ERRORS = ("TagNotFound_400", "ContactCategoryNotFound_400")
CREATE_ERRORS = (
    "ContactAlreadyExists_400",
    "ContactDataRequired_400",
    "ContactNotFound_404",
    *VALUE_ERRORS,
    *TAG_ERRORS,
)


def creation_options(data: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the creation of one contact and of many share."""
    category = category_of(data)
    return {
        "tag_ids": data.get("tags") or [],
        "category_id": None if category is UNSET else category,
        "existing_error": data["existing_error"],
        "skip_invalid": data["skip_invalid"],
        "automation": data["automation"] == "run",
    }


class ContactViewSet(RecordViewSet):
    module = "contact"
    kind = CONTACT
    listing = Listing(
        "List contacts",
        live_contacts,
        CONTACT_FIELDS,
        ContactOut,
        description="Custom fields are filtered, searched and sorted by under their uniqueFieldID or _id.",
    )

    @endpoint(
        "Create a contact",
        input=ContactCreate,
        output=ContactOut,
        success="ContactCreated_200",
        errors=CREATE_ERRORS,
        takes="contact",
        description="email, countryCode and number are required unless the company has changed that. Values that"
        " skipInvalid left out are named in `warning`. Emits contact.created (contact.updated when existingError is"
        " false and the contact exists).",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        saved = create_contact(actor_id=self.actor.member_id, form_data=data["form_data"], **creation_options(data))
        return self.created(saved, lost="ContactNotFound_404", noun="the contact")

    @endpoint(
        "Update many contacts",
        input=ContactBulkUpdate,
        output=BulkUpdated,
        accepted=BulkJobOut,
        bulk=True,
        success="ContactsUpdated_200",
        errors=("CannotUpdateUniqueKey_400", "ContactNotFound_400", "InvalidPayload_400", *VALUE_ERRORS, *TAG_ERRORS),
        description="Applies one change set to the selected contacts, all or none. Emits contact.updated for each that"
        " is different then.",
    )
    def bulk_update(self, request: Request, data: dict[str, Any]) -> Any:
        outcome = update_many(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            form_data=data["form_data"],
            update_type=data["update_type"],
            tag_ids=data.get("tags"),
            category_id=category_of(data),
            automation=data["automation"] == "run",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    @endpoint(
        "Delete contacts",
        input=ContactBulkDelete,
        output=Deleted,
        accepted=BulkJobOut,
        bulk=True,
        success="ContactsDeleted_200",
        errors=("ContactNotFound_400",),
        description="They are flagged isDeleted and no longer found. Emits contact.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: dict[str, Any]) -> Any:
        outcome = delete_contacts(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] == "run"
        )
        return bulk_response(self, outcome, {"deletedCount": outcome.matched})

    @endpoint(
        "Read a contact",
        output=ContactOut,
        parameters=tuple(LIST_PARAMETERS),
        errors=("ContactNotFound_400",),
        description="Parameters of the list contract are checked and change nothing.",
    )
    def retrieve(self, request: Request, id: str) -> Any:
        ListQuery.parse(request.query_params, CONTACT_FIELDS)
        return self.read(id)

    @endpoint(
        "Update a contact",
        input=ContactUpdate,
        output=ContactOut,
        success="ContactUpdated_200",
        errors=(
            "CannotUpdateUniqueKey_400",
            "ContactAlreadyExists_400",
            "ContactNotFound_400",
            *VALUE_ERRORS,
            *TAG_ERRORS,
        ),
        description="What is not given stays. null or empty text empties a value, tags replace the contact's tags, a"
        " category of null takes it away. Emits contact.updated, with what changed in its payload.",
    )
    def update(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        update_contact(
            id=id,
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            tag_ids=data.get("tags"),
            category_id=category_of(data),
            automation=data["automation"] == "run",
        )
        return self.read(id)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Create up to 500 contacts",
        input=ContactBulkCreate,
        output=ContactBulkOut,
        success="ContactsProcessed_200",
        errors=(*CREATE_ERRORS, "InvalidPayload_400"),
        takes="contact",
        description="Each item succeeds or fails on its own; the answer is 200 either way: items that became no contact"
        " are in `failed`, single values in the way or left out are in `errors`. Emits contact.created for each new"
        " contact.",
    )
    def bulk(self, request: Request, data: dict[str, Any]) -> Any:
        result = create_contacts(actor_id=self.actor.member_id, items=data["form_data"], **creation_options(data))
        return bulk_answer(result, live_contacts(), ContactOut)
