"""The body of a run that finds its recipients itself."""

from __future__ import annotations

from django.utils.functional import lazy
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.input import BooleanInput, Input, IntegerInput, ObjectInput, TextInput
from core.api.output import Computed
from outreach.connections.ai.serializers import PROMPT_LENGTH, LanguageInput
from outreach.connections.mail_vendors.registry import CHANNELS
from outreach.prospecting.lead_generation.serializers import CountInput, SoughtInput
from outreach.prospecting.lead_generation.services import MAX_LEADS
from outreach.runs.genie.cadence.steps import CadenceFields
from outreach.runs.genie.channels import MAX_CHANNELS
from outreach.runs.genie.serializers import LANGUAGE, PreviewCost, RunChange, TrackingFields, ai_type_help
from outreach.runs.genie.writing.samples import MAX_COUNTED

RUN_TYPES = ("lead",)


@extend_schema_field(
    {
        "type": "object",
        "propertyNames": {"enum": ["smtp", *CHANNELS]},
        "additionalProperties": {"type": "array", "maxItems": MAX_CHANNELS, "items": {"type": "string"}},
    }
)
class ChannelsInput(ObjectInput):
    """App -> ids of its senders (read_channels)."""


class GeneratedRunCreate(TrackingFields, CadenceFields, RunChange):
    """A run that finds its recipients itself."""

    prompt = SoughtInput(
        help_text="Whom to find, and what for, in plain language. Without outreachPrompt the messages are about the"
        " latter, such as 'invite them to our open day' behind 'marketing managers in Berlin'. Without that they are"
        " about what the company does; no words of the search get into them."
    )
    outreachPrompt = TextInput(
        default="",
        allow_blank=True,
        max_length=PROMPT_LENGTH,
        help_text="What the messages say; empty: what the prompt says of it.",
    )
    tone = TextInput(default="", allow_blank=True, max_length=100)
    language = LanguageInput(default="", allow_blank=True, help_text=LANGUAGE)
    aiType = TextInput(default=None, allow_null=True, max_length=32, help_text=lazy(ai_type_help, str)())
    type = serializers.ChoiceField(choices=RUN_TYPES, default="lead", help_text="What is made of those who are found.")
    enrichmentEnabled = BooleanInput(
        default=False, help_text="The enrichment app is asked about the recipients before anything is written."
    )
    count = CountInput()
    industry = TextInput(default="", allow_blank=True, max_length=200, help_text="Counts twice what the prompt does.")
    additionalFilters = ObjectInput(
        default=dict,
        help_text="Conditions on contacts: fields and values, or a tree; lead sources get them as they are.",
    )
    userEnquiryEnabled = BooleanInput(default=True, help_text="Whether a message may ask the recipient a question.")
    campaign = BooleanInput(default=False, help_text="Messages are marked as bulk mail (Precedence: bulk).")
    whitelistedCustom = BooleanInput(
        default=False, help_text="Only people with addresses of customWhitelistedDomains; false: those don't count."
    )
    customWhitelistedDomains = serializers.ListField(
        child=serializers.RegexField(
            r"^@?[\w-]+(\.[\w-]+)+\Z", max_length=253, error_messages={"invalid": "enter a domain such as example.com"}
        ),
        default=list,
        max_length=100,
    )
    customChannelSelection = BooleanInput(default=False, help_text="Only the apps of customChannels may send.")
    customChannels = ChannelsInput(default=dict, help_text='App -> ids of senders, such as {"smtp": [id]}.')
    draft = BooleanInput(default=False, help_text="true: messages wait for approval.")
    name = TextInput(default="", allow_blank=True, max_length=200)
    automation = serializers.ChoiceField(
        choices=("run", "skip"), default="run", help_text="Whether workflows start on the events."
    )


class SearchPreview(Input):
    """A run that finds its recipients itself and is not started: its expected cost."""

    prompt = TextInput(default="", allow_blank=True, max_length=PROMPT_LENGTH)
    outreachPrompt = TextInput(default="", allow_blank=True, max_length=PROMPT_LENGTH)
    tone = TextInput(default="", allow_blank=True, max_length=100)
    aiType = TextInput(default=None, allow_null=True, max_length=32, help_text=lazy(ai_type_help, str)())
    count = IntegerInput(default=25, min_value=1, max_value=MAX_LEADS)
    customChannelSelection = BooleanInput(default=False)
    customChannels = ChannelsInput(default=dict)


class SearchPreviewOut(PreviewCost):
    """The cost of a run if it finds the requested number of people."""

    about = Computed(
        serializers.CharField(
            help_text="What the messages are about: outreachPrompt, else what prompt says of it beside whom to find;"
            " empty: what the company does."
        )
    )
    count = Computed(serializers.IntegerField(help_text="The most leads that are made, at once."))
    ownContacts = Computed(
        serializers.IntegerField(
            allow_null=True,
            help_text=f"Contacts without a lead, among whom is looked first, counted up to {MAX_COUNTED}; null by"
            " session without contact.GET.",
        )
    )
    sources = Computed(
        serializers.ListField(
            child=serializers.CharField(),
            help_text="Names of the lead sources that are asked then; whom they know becomes a contact. By session none"
            " without contact.POST.",
        )
    )
