"""Bodies and answers of chat templates."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, LineInput, ObjectIdInput, ObjectInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.serializers import ChatAppSnapshot

COMPONENTS = (
    "HEADER (format TEXT, IMAGE, VIDEO or DOCUMENT), BODY, FOOTER and BUTTONS as the chat vendor has them, with"
    " {{1}}, {{2}} … and an example of each."
)
VARIABLES = (
    'Variable -> the field that fills it: {"1": "contact.firstName", "header.1": "company.name", "button.0": …};'
    ' "header.link": the address of a picture or file.'
)


class ComponentList(serializers.ListField):
    """The components of a template; the service checks each."""

    def __init__(self, **options: object) -> None:
        super().__init__(child=ObjectInput(), max_length=4, **options)  # type: ignore[arg-type]


class ChatTemplateChange(Input):
    """Any of a template's values."""

    app = ObjectIdInput(required=False, help_text="id of the chat app; it stays")
    name = LineInput(required=False, max_length=512, help_text="Small letters, digits and underscores.")
    language = LineInput(required=False, max_length=15, help_text="Such as en or en_US.")
    category = serializers.ChoiceField(choices=ChatTemplate.Category.values, required=False)
    components = ComponentList(required=False, help_text=COMPONENTS)
    variables = ObjectInput(required=False, help_text=VARIABLES)


class ChatTemplateCreate(ChatTemplateChange):
    """A template to write."""

    app = ObjectIdInput(help_text="id of the chat app whose account it belongs to")
    name = LineInput(max_length=512, help_text="Small letters, digits and underscores.")
    language = LineInput(max_length=15, default="en", help_text="Such as en or en_US.")
    category = serializers.ChoiceField(choices=ChatTemplate.Category.values, default="UTILITY")
    components = ComponentList(help_text=COMPONENTS)


class ChatTemplateDelete(SelectionInput):
    """Templates to delete."""


class HandleInput(Input):
    """A file for the header of a template."""

    app = ObjectIdInput()
    file = ObjectIdInput(help_text="id of a picture, video or document of the company")


class HandleOut(Output):
    """The vendor's handle of the file."""

    handle = Computed(serializers.CharField(help_text="Give it as example.header_handle of the HEADER."))


class ChatTemplateOut(Output):
    """A chat template."""

    _id = IdField()
    app = ChatAppSnapshot()
    name = serializers.CharField()
    language = serializers.CharField()
    category = serializers.ChoiceField(choices=ChatTemplate.Category.values)
    components = serializers.ListField(child=serializers.DictField())
    variables = serializers.DictField(help_text=VARIABLES)
    status = serializers.ChoiceField(choices=ChatTemplate.Status.values, help_text="Only an APPROVED one is sent.")
    rejectedReason = serializers.CharField()
    vendorId = serializers.CharField(help_text="What the vendor calls it; empty: it was not asked yet.")
    quality = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ChatPreviewInput(Input):
    """Words of a template that nobody has saved."""

    components = ComponentList(help_text=COMPONENTS)
    variables = ObjectInput(default=dict, help_text=VARIABLES)
    contactId = ObjectIdInput(
        required=False, allow_null=True, help_text="Whose values it gets; without it the variables stay."
    )


class SyncInput(Input):
    app = ObjectIdInput(help_text="id of the chat app whose templates are asked for")


class SyncOut(Output):
    known = Computed(serializers.IntegerField(help_text="How many templates the vendor has of the app's account."))


class PreviewButton(Output):
    type = Computed(serializers.CharField())
    text = Computed(serializers.CharField())


class ChatTemplatePreview(Output):
    """The message of a template to a contact."""

    text = Computed(serializers.CharField())
    media = Computed(serializers.CharField(help_text="IMAGE, VIDEO or DOCUMENT where the header is one; else empty."))
    header = Computed(serializers.CharField())
    body = Computed(serializers.CharField())
    footer = Computed(serializers.CharField())
    buttons = Computed(PreviewButton(many=True))
    missing = Computed(
        serializers.ListField(child=serializers.CharField(), help_text="Variables without a value: it would not go.")
    )
