"""Bodies and answers of leads (contract 4.4; contacts are the model)."""

from __future__ import annotations

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import Model, OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, FormInput, IdList, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.errors import ValidationFailed
from core.fields import JSONField
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT
from crm.contacts.serializers import ALIAS, category_of
from crm.leads.kind import LEAD
from crm.leads.models import LeadProduct, LeadTag
from crm.leads.places import read_close
from crm.leads.relations import Relations
from crm.organizations.serializers import ORGANIZATION_READS, OrganizationSnapshot, organization_snapshot
from crm.pipelines.models import Stage
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

FORM_DATA = f"system values ({', '.join(LEAD.system_columns)}) and custom values by the uniqueFieldID of their field"
OF_CONTACT = FORM_DATA + "; values of the contact too: " + ", ".join(CONTACT.system_columns)


class LeadRelations(AutomationInput):
    """Records that leads refer to."""

    productServices = IdList(required=False, allow_null=True, max_length=100, help_text="ids of products and services")
    team = ObjectIdInput(
        required=False, allow_null=True, help_text="team id; a new lead without one is the default team's"
    )
    teamMember = ObjectIdInput(
        required=False, allow_null=True, help_text="member id; a new lead without one is assigned as teamSettings say"
    )
    organization = ObjectIdInput(required=False, allow_null=True, help_text="id of the organization it is about")
    owner = ObjectIdInput(required=False, allow_null=True, help_text="another name of teamMember")
    tags = IdList(required=False, allow_null=True, max_length=1000, help_text="tag ids")
    pipeline = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="pipeline id: without a stage, the lead comes to its first stage of the same kind; the default one"
        " unless given",
    )
    stage = ObjectIdInput(
        required=False, allow_null=True, help_text="stage id, which decides about pipeline and status as well"
    )
    lostReason = ObjectIdInput(
        required=False, allow_null=True, help_text="id of a reason for lost leads; a lead that is not lost has none"
    )
    expectedCloseAt = TextInput(
        required=False, allow_null=True, max_length=40, help_text="a day, or a time in ISO 8601"
    )


BESIDE = (
    *("productServices", "team", "teamMember", "owner", "organization", "tags"),
    *("pipeline", "stage", "lostReason", "expectedCloseAt"),
)


class LeadBody(LeadRelations):
    """A lead's own relations, and those of its contact."""

    contact = ObjectIdInput(required=False, allow_null=True, help_text="contact id")
    category = ObjectIdInput(required=False, allow_null=True, help_text="contact category id, for the lead's contact")
    contactCategory = ObjectIdInput(required=False, allow_null=True, help_text=ALIAS)
    contactcategories = ObjectIdInput(required=False, allow_null=True, help_text=ALIAS)


class LeadForm(FormInput, LeadBody):
    """The values of a lead, and of its contact."""

    system = LEAD.system_columns
    beside = (*BESIDE, "category", "contactCategory", "contactcategories")


class LeadCreate(LeadForm):
    formData = ObjectInput(
        default=dict, help_text=OF_CONTACT + ", by which it is found or made unless `contact` names it"
    )
    existingError = BooleanInput(
        default=True,
        help_text="false: overwrite the values of an existing contact, and update the open lead of the same contact and"
        " product",
    )
    skipInvalid = BooleanInput(default=False, help_text=SKIP_ONE)
    dropInvalidValues = BooleanInput(default=False, help_text=DROP)


class LeadUpdate(UnchangedInput, LeadForm):
    contact = ObjectIdInput(required=False, help_text="contact id")
    formData = ObjectInput(default=dict, help_text=OF_CONTACT + ", which are written to it; null empties a value")


class LeadBulkCreate(LeadBody):
    formData = serializers.ListField(
        child=serializers.JSONField(),
        default=list,
        help_text=f"up to 500 objects: {OF_CONTACT}. Each may have its own contact, productServices, team, teamMember,"
        " organization, tags and category, which stand for those of the body",
    )
    existingError = BooleanInput(
        default=True,
        help_text="false: overwrite the values of existing contacts, and update the open leads of the same contacts and"
        " products",
    )
    skipInvalid = BooleanInput(default=None, allow_null=True, help_text=SKIP)
    dropInvalidValues = BooleanInput(default=False, help_text=f"{DROP}, and tell them in errors")


class LeadBulkUpdate(SelectionInput, FormInput, LeadRelations):
    system = LEAD.system_columns
    beside = BESIDE

    formData = ObjectInput(default=dict, help_text=FORM_DATA + "; null empties a value")
    updateType = serializers.ChoiceField(
        choices=UPDATE_TYPES,
        default="set",
        help_text="set: give these values; append, remove: items of tags, productServices and fields with several"
        " values; clear: empty the fields named",
    )


class LeadBulkDelete(SelectionInput, AutomationInput):
    """Leads to delete."""


RELATIONS = (
    *("contact", "product_services", "team", "team_member", "organization", "tags"),
    *("pipeline", "stage", "lost_reason"),
)


def relations_of(data: Values, *, new: bool = False) -> Relations:
    """Return the references in a body. For new leads null counts as not given."""
    references = {name: data[name] for name in RELATIONS if name in data}
    if "owner" in data and data["owner"] != references.setdefault("team_member", data["owner"]):
        raise ValidationFailed(
            "owner and teamMember differ", "differs from teamMember; send one of them", field="owner"
        )
    if "expected_close_at" in data:
        close = data["expected_close_at"]
        references["expected_close_at"] = read_close(close) if close else None
    if (category := category_of(data)) is not UNSET:
        references["category"] = category
    return Relations(**{name: value for name, value in references.items() if value is not None or not new})


class LeadContact(Output):
    """The contact of a lead."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)
    contactNumber = serializers.CharField(allow_null=True)
    isDeleted = serializers.BooleanField(help_text="the contact was deleted; restoring it clears this")


class StageSnapshot(Output):
    """The stage of a lead."""

    _id = IdField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Stage.Kind.values)
    probability = serializers.IntegerField(help_text="percent")


class ImportedFile(Output):
    """The file of an import, nested in a record that came from it."""

    _id = IdField()
    name = serializers.CharField()


class ImportSnapshot(Output):
    """An import, nested in a record that came from it."""

    _id = IdField()
    file = ImportedFile()


class LeadOut(Output):
    """A lead."""

    _id = IdField()
    contact = Computed(LeadContact())
    status = serializers.CharField(help_text="one of the options of the system field status")
    statusChangedAt = serializers.DateTimeField(allow_null=True)
    pipeline = Computed(NamedModelSnapshot(allow_null=True))
    stage = Computed(StageSnapshot(allow_null=True, help_text="null: the status is no option any more"))
    lostReason = Computed(NamedModelSnapshot(allow_null=True))
    expectedCloseAt = serializers.DateTimeField(allow_null=True)
    source = serializers.CharField()  # type: ignore[assignment]
    value = serializers.FloatField(allow_null=True, help_text="in the company's currency")
    notes = serializers.CharField()
    productServices = Computed(serializers.ListField(child=NamedModelSnapshot()))
    team = Computed(NamedModelSnapshot(allow_null=True))
    teamMember = Computed(MemberSnapshot(allow_null=True))
    organization = Computed(OrganizationSnapshot(allow_null=True))
    owner = Computed(MemberSnapshot(allow_null=True, help_text="as teamMember"))
    tags = Computed(serializers.ListField(child=NamedModelSnapshot()))
    formData = Computed(serializers.DictField(help_text=FORM_DATA))
    importId = Computed(ImportSnapshot(allow_null=True))
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    isDeleted = serializers.BooleanField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    fixed = True
    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        "custom",
        *(f"contact{part}" for part in ("_id", "__name", "__email", "__contact_number", "__is_deleted")),
        *("pipeline_id", "pipeline__name", "lost_reason_id", "lost_reason__name"),
        *("stage_id", "stage__name", "stage__kind", "stage__probability"),
        *("team_id", "team__name"),
        *ORGANIZATION_READS,
        *("import_job_id", "import_job__file_id", "import_job__file__name"),
        *(
            f"{member}{part}"
            for member in ("team_member", "created_by", "updated_by")
            for part in ("_id", "__name", "__email")
        ),
    )

    @classmethod
    def columns(cls) -> JsonObject:
        return {
            **super().columns(),
            "tags": _linked_records(LeadTag, "tag"),
            "productServices": _linked_records(LeadProduct, "product_service"),
        }

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["contact"] = {
            "_id": row["contact_id"],
            "name": row["contact__name"],
            "email": row["contact__email"],
            "contactNumber": row["contact__contact_number"],
            "isDeleted": row["contact__is_deleted"],
        }
        data["tags"] = data["tags"] or []
        data["productServices"] = data["productServices"] or []
        data["team"] = snapshot_of(row, "team")
        data["organization"] = organization_snapshot(row)
        data["pipeline"] = snapshot_of(row, "pipeline")
        data["lostReason"] = snapshot_of(row, "lost_reason")
        stage = {"_id": row["stage_id"], **{key: row[f"stage__{key}"] for key in ("name", "kind", "probability")}}
        data["stage"] = stage if row["stage_id"] else None
        data["formData"] = {key: data[key] for key in LEAD.system_columns} | row["custom"]
        file = {"_id": row["import_job__file_id"], "name": row["import_job__file__name"]}
        data["importId"] = {"_id": row["import_job_id"], "file": file} if row["import_job_id"] else None
        data["teamMember"] = member_of(row, "team_member")
        data["owner"] = data["teamMember"]
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


def _linked_records(links: type[Model], target: str) -> Subquery:
    """Return the records that a lead is linked to, each with id and name, sorted by name."""
    rows = links._default_manager.filter(lead=OuterRef("pk")).order_by().values("lead")
    item = JSONObject(_id=f"{target}_id", name=f"{target}__name")
    return Subquery(
        rows.annotate(listed=JSONBAgg(item, order_by=f"{target}__name")).values("listed"), output_field=JSONField()
    )


class LeadBulkOut(Output):
    """The results of the items."""

    created = Computed(serializers.ListField(child=LeadOut()))
    updated = Computed(
        serializers.ListField(
            child=LeadOut(), help_text="open leads of the same contact and product, with existingError false"
        )
    )
    failed = Computed(serializers.ListField(child=BulkFailure()))
    errors = Computed(serializers.ListField(child=BulkError()))  # type: ignore[assignment]
