"""Bodies and answers of contacts (contract 4.3)."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, FormInput, IdList, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.errors import NamedError
from core.fields import JSONField
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT
from crm.contacts.models import ContactTag
from crm.organizations.serializers import ORGANIZATION_READS, OrganizationSnapshot, organization_snapshot
from crm.records.results import UNSET
from crm.records.serializers import (
    DROP,
    SKIP,
    SKIP_ONE,
    AutomationInput,
    BulkError,
    BulkFailure,
    UnchangedInput,
    member_of,
    snapshot_of,
)
from crm.records.writes.bulk_change import UPDATE_TYPES
from crm.tags.serializers import NamedModelSnapshot
from crm.teams.owners import OWNER_HELP

FORM_DATA = f"system values ({', '.join(CONTACT.system_columns)}) and custom values by the uniqueFieldID of their field"
ALIAS = "another name for category"
CATEGORY_NAMES = ("category", "contact_category", "contactcategories")


class TagsInput(AutomationInput):
    """Tags, an organization, an owner, and a category under any of its names."""

    tags = IdList(required=False, allow_null=True, max_length=1000, help_text="tag ids")
    category = ObjectIdInput(required=False, allow_null=True, help_text="contact category id")
    contactCategory = ObjectIdInput(required=False, allow_null=True, help_text=ALIAS)
    contactcategories = ObjectIdInput(required=False, allow_null=True, help_text=ALIAS)
    organization = ObjectIdInput(required=False, allow_null=True, help_text="id of the organization they work at")
    owner = ObjectIdInput(required=False, allow_null=True, help_text=OWNER_HELP)


class ContactInput(FormInput, TagsInput):
    """The values of a contact."""

    system = CONTACT.system_columns
    beside = ("tags", "organization", "owner", "category", "contactCategory", "contactcategories")


class ContactCreate(ContactInput):
    formData = ObjectInput(default=dict, help_text=FORM_DATA)
    existingError = BooleanInput(default=True, help_text="false: update the contact that has the unique key already")
    skipInvalid = BooleanInput(default=False, help_text=SKIP_ONE)
    dropInvalidValues = BooleanInput(default=False, help_text=DROP)


class ContactChange(ContactInput):
    """New values of contacts."""

    formData = ObjectInput(default=dict, help_text=FORM_DATA + "; null empties a value")

    def to_internal_value(self, data: Any) -> JsonObject:
        if isinstance(data, dict) and "contactUniqueKey" in data:
            raise NamedError(
                "CannotUpdateUniqueKey_400",
                "says what makes all of the company's contacts unique",
                field="contactUniqueKey",
                operation="PUT /settings",
            )
        return super().to_internal_value(data)


class ContactUpdate(UnchangedInput, ContactChange):
    """New values of a contact."""


class ContactBulkCreate(TagsInput):
    formData = serializers.ListField(
        child=serializers.JSONField(),
        default=list,
        help_text=f"up to 500 objects: {FORM_DATA}. Each may have its own tags, organization, owner and category, which"
        " stand for those of the body",
    )
    existingError = BooleanInput(default=True, help_text="false: update the contacts that have the unique keys already")
    skipInvalid = BooleanInput(default=None, allow_null=True, help_text=SKIP)
    dropInvalidValues = BooleanInput(default=False, help_text=f"{DROP}, and tell them in errors")


class ContactBulkUpdate(SelectionInput, ContactChange):
    updateType = serializers.ChoiceField(
        choices=UPDATE_TYPES,
        default="set",
        help_text="set: give these values; append, remove: items of tags and of fields with several values; clear:"
        " empty the fields named",
    )


class ContactMatch(SelectionInput, AutomationInput):
    """Contacts to match with organizations."""

    field = TextInput(
        max_length=64,
        default="",
        allow_blank=True,
        help_text="uniqueFieldID of the text field with the name of the organization; found by its name when left out",
    )


class ContactBulkDelete(SelectionInput, AutomationInput):
    """Contacts to delete."""


def tags_of(data: Values) -> list[str] | None:
    """Return the tags that a change of contacts gives them: none for null, and None if the body does not say."""
    return list(data["tags"] or ()) if "tags" in data else None


def category_of(data: Values) -> Any:
    """Return the category of a body, whichever of its names it has; UNSET without one."""
    return next((data[name] for name in CATEGORY_NAMES if name in data), UNSET)


def organization_of(data: Values) -> Any:
    """Return the organization of a body; UNSET without one."""
    return data.get("organization", UNSET)


def owner_of(data: Values) -> Any:
    """Return the owner of a body; UNSET without one."""
    return data.get("owner", UNSET)


class ContactOut(Output):
    """A contact."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)
    countryCode = serializers.CharField(allow_null=True)
    number = serializers.CharField(allow_null=True, help_text="national significant number, digits only")
    contactNumber = serializers.CharField(allow_null=True, help_text="countryCode and number, as E.164")
    category = Computed(NamedModelSnapshot(allow_null=True))
    organization = Computed(OrganizationSnapshot(allow_null=True))
    owner = Computed(MemberSnapshot(allow_null=True))
    tags = Computed(serializers.ListField(child=NamedModelSnapshot()))
    formData = Computed(serializers.DictField(help_text=FORM_DATA))
    importId = IdField(source="import_job_id", allow_null=True)
    unsubscribed = Computed(serializers.BooleanField())
    unsubscribedAt = serializers.DateTimeField(allow_null=True)
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    isDeleted = serializers.BooleanField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    fixed = True
    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        "custom",
        "category_id",
        "category__name",
        *ORGANIZATION_READS,
        *(
            f"{member}{part}"
            for member in ("owner", "created_by", "updated_by")
            for part in ("_id", "__name", "__email")
        ),
    )

    @classmethod
    def columns(cls) -> JsonObject:
        tags = ContactTag.objects.filter(contact=OuterRef("pk")).order_by().values("contact")
        listed = tags.annotate(
            listed=JSONBAgg(JSONObject(_id="tag_id", name="tag__name"), order_by="tag__name")
        ).values("listed")
        return {**super().columns(), "tags": Subquery(listed, output_field=JSONField())}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["tags"] = data["tags"] or []
        data["category"] = snapshot_of(row, "category")
        data["organization"] = organization_snapshot(row)
        data["owner"] = member_of(row, "owner")
        data["formData"] = {key: data[key] for key in CONTACT.system_columns} | row["custom"]
        data["unsubscribed"] = data["unsubscribedAt"] is not None
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


class ContactBulkOut(Output):
    """The results of the items."""

    created = Computed(serializers.ListField(child=ContactOut()))
    updated = Computed(
        serializers.ListField(child=ContactOut(), help_text="existing contacts, with existingError false")
    )
    failed = Computed(serializers.ListField(child=BulkFailure()))
    errors = Computed(serializers.ListField(child=BulkError()))  # type: ignore[assignment]
