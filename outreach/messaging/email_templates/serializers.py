"""Bodies and answers of templates of mails."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject
from outreach.messaging.delivery.attachments import MAX_FILES
from outreach.messaging.email_templates.rendering import BUILT_IN, DATE_TYPES


class VariableInput(Input):
    name = TextInput(max_length=100, help_text="Key or name of a custom field of contacts.")
    required = BooleanInput(  # type: ignore[assignment]
        default=False, help_text="A message without its value is not sent."
    )
    dateType = serializers.ChoiceField(choices=list(DATE_TYPES), required=False, allow_null=True)

    def to_internal_value(self, data: Any) -> JsonObject:
        values = super().to_internal_value(data)
        return {"name": values["name"], "required": values["required"], "dateType": values.get("date_type")}


DESIGN = (
    "The blocks of the email, by the schema of GET /template/email/design; the body is made of them. null: the body is"
    " written."
)


class DesignInput(ObjectInput):
    """The design of an email, or null for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, "help_text": DESIGN, **options})


def with_text(attrs: JsonObject) -> JsonObject:
    """Return the values of an email, which has a body or a design."""
    if "body" not in attrs and attrs.get("design") is None:
        raise serializers.ValidationError({"body": [serializers.ErrorDetail("This field is required.", "required")]})
    return attrs


class TemplateCreate(Input):
    name = LineInput(max_length=200, help_text="unique in the company, whatever the case of its letters")
    category = LineInput(max_length=100, allow_blank=True, required=False)
    subject = LineInput(max_length=200)
    body = TextInput(
        max_length=200_000,
        trim_whitespace=False,
        required=False,
        help_text=f"MJML, HTML or plain text, with {{{{name}}}} of a variable, or {', '.join(BUILT_IN)}. A fallback:"
        ' {{contact.firstName | default: "there"}}. Required without a design.',
    )
    design = DesignInput()
    variables = serializers.ListField(child=VariableInput(), required=False, max_length=50)
    attachments = IdList(
        required=False, help_text=f"Ids of files that go with the mail: at most {MAX_FILES}, 10 MB together."
    )

    def validate(self, attrs: JsonObject) -> JsonObject:
        return with_text(attrs)


class TemplateUpdate(TemplateCreate):
    name = LineInput(
        max_length=200, required=False, help_text="unique in the company, whatever the case of its letters"
    )
    subject = LineInput(max_length=200, required=False)
    body = TextInput(max_length=200_000, trim_whitespace=False, required=False)

    def validate(self, attrs: JsonObject) -> JsonObject:
        return attrs


class PreviewInput(Input):
    subject = LineInput(max_length=200)
    body = TextInput(max_length=200_000, trim_whitespace=False, required=False, help_text="Or a design.")
    design = DesignInput()
    variables = serializers.ListField(child=VariableInput(), required=False, max_length=50, default=list)
    attachments = IdList(required=False, default=list, help_text="Ids of files.")
    contactId = ObjectIdInput(
        required=False, allow_null=True, help_text="Whose values it gets; without it the placeholders stay."
    )

    def validate(self, attrs: JsonObject) -> JsonObject:
        return with_text(attrs)


class TrialInput(Input):
    to = serializers.ListField(
        child=serializers.EmailField(), max_length=5, default=list, help_text="Addresses of members of the company."
    )
    templateId = ObjectIdInput(required=False, allow_null=True, help_text="Or subject and body or design.")
    subject = LineInput(max_length=200, required=False)
    body = TextInput(max_length=200_000, trim_whitespace=False, required=False)
    design = DesignInput()
    variables = serializers.ListField(child=VariableInput(), required=False, max_length=50, default=list)
    attachments = IdList(required=False, default=list, help_text="Beside subject and body: ids of files.")
    contactId = ObjectIdInput(
        required=False, allow_null=True, help_text="Whose values it gets; without it the placeholders stay."
    )
    smtp = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="The sender, of either kind; otherwise the first of the type that works.",
    )


class ReadyInput(Input):
    ready = TextInput(max_length=64, help_text="Key of a ready template, of GET /template/email/design.")


class VersionRestore(Input):
    version = serializers.IntegerField(min_value=1)


class TemplateDelete(SelectionInput):
    """Templates to delete."""


class TemplateOut(Output):
    """A template of mails."""

    _id = IdField()
    name = serializers.CharField()
    category = serializers.CharField()
    subject = serializers.CharField()
    body = serializers.CharField()
    design = serializers.DictField(allow_null=True, help_text="The blocks that the body is made of.")
    variables = serializers.ListField(child=serializers.DictField(), help_text="name, required, dateType of each.")
    attachments = serializers.ListField(
        child=IdField(), help_text="Ids of the files that go with the mail; the preview has their names and sizes."
    )
    links = serializers.ListField(child=serializers.CharField(), help_text="The addresses that it links to.")
    version = serializers.IntegerField(help_text="Of its words, from 1.")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class AttachmentOut(Output):
    """A file that goes with a mail."""

    _id = IdField()
    name = Computed(serializers.CharField())
    size = Computed(serializers.IntegerField(help_text="Bytes."))
    mime = Computed(serializers.CharField())
    missing = Computed(
        serializers.BooleanField(help_text="It was deleted, or is in the recycle bin: no message goes with it.")
    )


class WordsPreview(Output):
    """The mail that results from an unsaved template."""

    subject = Computed(serializers.CharField())
    text = Computed(serializers.CharField())
    html = Computed(
        serializers.CharField(help_text="The page as it is sent; made from the text if the body is plain text.")
    )
    missing = Computed(
        serializers.ListField(
            child=serializers.CharField(), help_text="Required variables that the contact has no value of."
        )
    )
    links = Computed(serializers.ListField(child=serializers.CharField(), help_text="The addresses that it links to."))
    attachments = Computed(AttachmentOut(many=True))
    size = Computed(
        serializers.IntegerField(help_text="Bytes of the HTML. Some mail programs cut what is above 102 kB.")
    )


class TemplatePreview(WordsPreview):
    """The mail that a template makes."""

    _id = IdField()
    name = serializers.CharField()


class SpamSign(Output):
    """A sign of spam in an email."""

    code = Computed(serializers.CharField(help_text="Of the service's own check, or the name of SpamAssassin's rule."))
    text = Computed(serializers.CharField())
    advice = Computed(serializers.CharField())
    points = Computed(serializers.FloatField(allow_null=True, help_text="By SpamAssassin."))


class SpamCheck(Output):
    """The signs of spam in an email."""

    tool = Computed(serializers.CharField(help_text="spamassassin, or empty where it gives no points."))
    score = Computed(serializers.FloatField(allow_null=True, help_text="Points of SpamAssassin."))
    limit = Computed(serializers.FloatField(allow_null=True, help_text="Points from which it takes a mail for spam."))
    warnings = Computed(SpamSign(many=True))


class ReadyTemplate(Output):
    """A ready template."""

    key = Computed(serializers.CharField())
    name = Computed(serializers.CharField())
    about = Computed(serializers.CharField(help_text="Its purpose."))
    category = Computed(serializers.CharField())
    subject = Computed(serializers.CharField())
    design = Computed(serializers.DictField())


class DesignCatalogue(Output):
    """The parts of designs."""

    version = Computed(serializers.IntegerField(help_text="Of the schema."))
    schema = Computed(serializers.DictField(help_text="The JSON Schema of a design."))
    brand = Computed(
        serializers.DictField(
            help_text="What a design starts from: name, address, website, accent, background, logo and links."
        )
    )
    ready = Computed(ReadyTemplate(many=True))


class VersionOut(Output):
    """A version of a template: its subject, body and design from one change to the next."""

    _id = IdField()
    version = serializers.IntegerField(source="number")
    subject = serializers.CharField()
    body = serializers.CharField()
    design = serializers.DictField(allow_null=True, help_text="The blocks that the body is made of.")
    variables = serializers.ListField(child=serializers.DictField(), help_text="name, required, dateType of each.")
    attachments = serializers.ListField(child=IdField())
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
