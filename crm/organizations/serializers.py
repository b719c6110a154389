"""Bodies and answers of organizations."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, FormInput, IdList, ObjectIdInput, ObjectInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.fields import JSONField
from core.types import JsonObject, Values
from crm.organizations.kind import ORGANIZATION
from crm.organizations.models import OrganizationTag
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
)
from crm.records.writes.bulk_change import UPDATE_TYPES
from crm.tags.serializers import NamedModelSnapshot
from crm.teams.owners import OWNER_HELP

FORM_DATA = (
    f"system values ({', '.join(ORGANIZATION.system_columns)}) and custom values by the uniqueFieldID of their field"
)
BESIDE = ("tags", "owner")
ORGANIZATION_READS = ("organization_id", "organization__name", "organization__is_deleted")
"""Columns of a row that refers to an organization."""


class OrganizationReferences(AutomationInput):
    """Tags and an owner."""

    tags = IdList(required=False, allow_null=True, max_length=1000, help_text="tag ids")
    owner = ObjectIdInput(required=False, allow_null=True, help_text=OWNER_HELP)


class OrganizationInput(FormInput, OrganizationReferences):
    """The values of an organization."""

    system = ORGANIZATION.system_columns
    beside = BESIDE


class OrganizationCreate(OrganizationInput):
    formData = ObjectInput(default=dict, help_text=FORM_DATA)
    skipInvalid = BooleanInput(default=False, help_text=SKIP_ONE)
    dropInvalidValues = BooleanInput(default=False, help_text=DROP)
    reuse = BooleanInput(
        default=False, help_text="answer the oldest organization with this name, ignoring case, if there is one"
    )


class OrganizationChange(OrganizationInput):
    """New values of organizations."""

    formData = ObjectInput(default=dict, help_text=FORM_DATA + "; null empties a value")


class OrganizationUpdate(UnchangedInput, OrganizationChange):
    """New values of an organization."""


class OrganizationBulkCreate(OrganizationReferences):
    formData = serializers.ListField(
        child=serializers.JSONField(),
        default=list,
        help_text=f"up to 500 objects: {FORM_DATA}. Each may have its own tags and owner, which stand for those of the"
        " body",
    )
    skipInvalid = BooleanInput(default=None, allow_null=True, help_text=SKIP)
    dropInvalidValues = BooleanInput(default=False, help_text=f"{DROP}, and tell them in errors")


class OrganizationBulkUpdate(SelectionInput, OrganizationChange):
    updateType = serializers.ChoiceField(
        choices=UPDATE_TYPES,
        default="set",
        help_text="set: give these values; append, remove: items of tags and of fields with several values; clear:"
        " empty the fields named",
    )


class OrganizationBulkDelete(SelectionInput, AutomationInput):
    """Organizations to delete."""


def tags_of(data: Values) -> list[str] | None:
    """Return the tags of a body: none for null, and None if the body does not say."""
    return list(data["tags"] or ()) if "tags" in data else None


def owner_of(data: Values) -> Any:
    """Return the owner of a body; UNSET without one."""
    return data.get("owner", UNSET)


class OrganizationSnapshot(NamedModelSnapshot):
    """An organization that a record refers to."""

    isDeleted = serializers.BooleanField(source="is_deleted")


def organization_snapshot(row: Values) -> JsonObject | None:
    """Return the organization that a row refers to, from ORGANIZATION_READS."""
    id = row["organization_id"]
    if not id:
        return None
    return {"_id": id, "name": row["organization__name"], "isDeleted": row["organization__is_deleted"]}


class OrganizationOut(Output):
    """An organization: a firm or other body that contacts work at."""

    _id = IdField()
    name = serializers.CharField()
    domain = serializers.CharField(allow_null=True, help_text="lower case, IDNA, without www.")
    owner = Computed(MemberSnapshot(allow_null=True))
    tags = Computed(serializers.ListField(child=NamedModelSnapshot()))
    formData = Computed(serializers.DictField(help_text=FORM_DATA))
    importId = IdField(source="import_job_id", allow_null=True)
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    isDeleted = serializers.BooleanField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    fixed = True
    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        "custom",
        *(
            f"{member}{part}"
            for member in ("owner", "created_by", "updated_by")
            for part in ("_id", "__name", "__email")
        ),
    )

    @classmethod
    def columns(cls) -> JsonObject:
        tags = OrganizationTag.objects.filter(organization=OuterRef("pk")).order_by().values("organization")
        listed = tags.annotate(
            listed=JSONBAgg(JSONObject(_id="tag_id", name="tag__name"), order_by="tag__name")
        ).values("listed")
        return {**super().columns(), "tags": Subquery(listed, output_field=JSONField())}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["tags"] = data["tags"] or []
        data["formData"] = {key: data[key] for key in ORGANIZATION.system_columns} | row["custom"]
        data["owner"] = member_of(row, "owner")
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


class OrganizationBulkOut(Output):
    """The results of the items."""

    created = Computed(serializers.ListField(child=OrganizationOut()))
    updated = Computed(serializers.ListField(child=OrganizationOut(), help_text="always empty"))
    failed = Computed(serializers.ListField(child=BulkFailure()))
    errors = Computed(serializers.ListField(child=BulkError()))  # type: ignore[assignment]
