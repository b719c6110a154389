"""Bodies and answers of forms."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.tags.serializers import NamedModelSnapshot
from outreach.connections.social_apps.serializers import SocialAppSnapshot
from outreach.site.forms.addresses import page_address, snippet
from outreach.site.forms.kinds import FIELD_TYPES, MAX_ANSWER_LENGTH
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.problems import form_problems
from outreach.site.forms.services import MAX_FIELDS

EMPTY: JsonObject = {"required": False, "allow_blank": True}


class FieldPart(Input):
    """A field of a form."""

    key = LineInput(max_length=100, help_text="A letter, then letters, digits, - and _; unique in the form.")
    label = TextInput(max_length=500, help_text="The question; of a consent the words that are agreed to.")  # type: ignore[assignment]
    type = serializers.ChoiceField(choices=list(FIELD_TYPES), default="text")
    required = BooleanInput(default=False)  # type: ignore[assignment]
    options = serializers.ListField(child=LineInput(max_length=200), default=list, max_length=100)
    help = TextInput(default="", allow_blank=True, max_length=500)
    value = TextInput(default="", allow_blank=True, max_length=MAX_ANSWER_LENGTH, help_text="Of a hidden field.")


class FormUpdate(Input):
    """Any of a form's values. `fields` and `mapping` are each replaced as a whole."""

    name = TextInput(required=False, max_length=200)
    source = serializers.ChoiceField(choices=Form.Source.values, required=False)  # type: ignore[assignment]
    app = ObjectIdInput(required=False, allow_null=True, help_text="The social app, of the source social-a.")
    pageId = LineInput(max_length=40, **EMPTY)
    formId = LineInput(max_length=40, **EMPTY)
    fields = serializers.ListField(child=FieldPart(), max_length=MAX_FIELDS, required=False)  # type: ignore[assignment]
    mapping = ObjectInput(required=False, help_text="Key of a field -> key of GET /form/targets.")
    title = TextInput(max_length=200, **EMPTY)
    text = TextInput(max_length=5000, **EMPTY)
    button = LineInput(max_length=60, **EMPTY)
    thanks = TextInput(max_length=2000, **EMPTY)
    redirectUrl = LineInput(max_length=1000, help_text="Its site has to be one of allowedOrigins.", **EMPTY)
    colour = LineInput(required=False, max_length=7, help_text="Such as #2f5bea.")
    allowedOrigins = serializers.ListField(
        child=LineInput(max_length=300), required=False, max_length=50, help_text="The sites that may show the form."
    )
    countryCode = LineInput(max_length=5, help_text="The dial prefix of numbers that have none.", **EMPTY)
    leadSource = LineInput(max_length=100, help_text="The source of its leads.", **EMPTY)
    duplicates = serializers.ChoiceField(
        choices=Form.Duplicates.values,
        required=False,
        help_text="create: a lead each time, and a known contact takes what it lacks; update: a known contact takes"
        " all, and its open lead is updated.",
    )
    team = ObjectIdInput(required=False, allow_null=True, help_text="Its members get the leads by the team's rules.")
    category = ObjectIdInput(required=False, allow_null=True)
    tags = IdList(required=False, max_length=100)
    keepDays = IntegerInput(required=False, min_value=1, max_value=3650)


class FormCreate(FormUpdate):
    name = TextInput(max_length=200, help_text="Unique in the company, whatever the case of its letters.")


class FormDelete(SelectionInput):
    """Forms to delete."""


class FormOut(Output):
    """A form."""

    moving = frozenset({"error", "lastLeadAt", "updatedAt"})
    reads = ("token",)

    _id = IdField()
    name = serializers.CharField()
    source = serializers.ChoiceField(choices=Form.Source.values)  # type: ignore[assignment]
    status = serializers.ChoiceField(choices=Form.State.values, source="state")
    app = SocialAppSnapshot()
    pageId = serializers.CharField()
    formId = serializers.CharField()
    fields = serializers.ListField(child=serializers.DictField())  # type: ignore[assignment]
    mapping = serializers.DictField()
    title = serializers.CharField()
    text = serializers.CharField()
    button = serializers.CharField()
    thanks = serializers.CharField()
    redirectUrl = serializers.CharField()
    colour = serializers.CharField()
    allowedOrigins = serializers.ListField(child=serializers.CharField())
    countryCode = serializers.CharField()
    leadSource = serializers.CharField()
    duplicates = serializers.ChoiceField(choices=Form.Duplicates.values)
    team = NamedModelSnapshot()
    category = NamedModelSnapshot()
    tags = serializers.ListField(child=serializers.CharField(), help_text="Ids.")
    keepDays = serializers.IntegerField()
    lastLeadAt = serializers.DateTimeField(allow_null=True)
    url = Computed(serializers.CharField(help_text="Its public page; empty for one of the platform."))
    embed = Computed(serializers.CharField(help_text="What shows it on another site."))
    error = serializers.CharField(help_text="Why the platform could not be asked last time.")
    problems = Computed(
        serializers.ListField(
            child=serializers.CharField(), help_text="References to what was deleted since, such as a lead source."
        )
    )
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        own = data["source"] == Form.Source.OWN
        return {
            **data,
            "url": page_address(row["token"]) if own else "",
            "embed": snippet(row["token"], data["name"]) if own else "",
        }

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        return [{**row, "problems": problems} for row, problems in zip(rows, form_problems(rows), strict=True)]


class FormSnapshot(Output):
    """A form, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()


class MadeLeadSnapshot(Output):
    """The lead that came of it."""

    _id = IdField()
    status = serializers.CharField()


class FormLeadOut(Output):
    """A submission of a form."""

    _id = IdField()
    form = FormSnapshot()
    leadgenId = serializers.CharField(help_text="The platform's id, or the page's.")
    answers = serializers.DictField(help_text="Key of a field -> what was answered.")
    consents = serializers.ListField(child=serializers.DictField(), help_text="key, text and at of each.")
    origin = serializers.DictField(help_text="Page, referrer and utm values; the ad at the platform.")
    status = serializers.ChoiceField(choices=FormLead.State.values, source="state")
    reason = serializers.CharField(
        help_text="Why it failed: token (fetched once the app is connected again), gone, refused."
    )
    error = serializers.CharField(help_text="What went wrong, or which values were left out.")
    lead = MadeLeadSnapshot()
    submittedAt = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class FormLeadStatus(Input):
    """The new status of a lead."""

    status = TextInput(required=False, allow_blank=True, max_length=20, help_text="new: try again.")


class TargetOut(Output):
    """A field that answers can go to."""

    key = Computed(serializers.CharField())
    label = Computed(serializers.CharField())  # type: ignore[assignment]
    panel = Computed(serializers.ChoiceField(choices=("contact", "lead")))
    required = Computed(serializers.BooleanField())  # type: ignore[assignment]


class TargetsOut(Output):
    targets = Computed(TargetOut(many=True))


class PublicFormOut(Output):
    """A form as visitors see it."""

    title = Computed(serializers.CharField())
    text = Computed(serializers.CharField())
    button = Computed(serializers.CharField())
    colour = Computed(serializers.CharField())
    fields = Computed(serializers.ListField(child=serializers.DictField()))  # type: ignore[assignment]
    page = Computed(serializers.CharField(help_text="To send back as `page`: so it counts once."))


class PublicSubmit(Input):
    """A visitor's answers."""

    answers = ObjectInput(help_text="Key of a field -> answer; of multiSelect an array.")
    page = TextInput(
        default="", allow_blank=True, max_length=300, help_text="As GET has given it; without it each call counts."
    )
    url = TextInput(default="", allow_blank=True, max_length=1000, help_text="The page that the form stood on.")
    referrer = TextInput(default="", allow_blank=True, max_length=1000)
    utm = ObjectInput(default=dict, help_text="utm_source, utm_medium, utm_campaign, utm_term, utm_content.")


class SubmittedOut(Output):
    thanks = Computed(serializers.CharField())
    redirectUrl = Computed(serializers.CharField())
