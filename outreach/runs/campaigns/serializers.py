"""Bodies and answers of campaigns."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import PROGRESS, SENDING, Computed, IdField, Output
from core.api.selection import SelectionInput
from core.errors import ValidationFailed, detail_of
from core.types import JsonObject, Values
from outreach.connections.chat_apps.serializers import ChatAppSnapshot
from outreach.connections.mail_vendors.serializers import MailAppSnapshot
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.messaging.delivery.serializers import SKIPPED, delay_input
from outreach.messaging.email_templates.serializers import WordsPreview
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import LINK_RESULTS, NO_RESULTS, NOBODY, results_of
from outreach.runs.campaigns.utm import UtmInput
from outreach.runs.campaigns.variant_serializers import BODY_LENGTH, VariablesInput, VariantInput, WinnerInput
from outreach.runs.campaigns.words import MAX_VARIANTS
from outreach.runs.genie.by_day import BY_DAY, BY_HOUR
from outreach.runs.genie.cadence.steps import MAX_INTERVAL_MS, MIN_INTERVAL_MS, WrittenCadenceInput, read_hours
from outreach.runs.genie.outcomes import CONVERTED_HELP
from outreach.runs.genie.serializers import MEASURED, OWN_VISITS, PROGRAM_VISITS, TRACKING, Selectors

TYPES = "smtp, mailvendor-a to -h, or chatapp"
MAX_PER_HOUR = 1_000_000


class CampaignUpdate(UtmInput):
    """Changes of a campaign. Content of one kind replaces that of another."""

    name = LineInput(
        max_length=200, required=False, help_text="unique in the company, whatever the case of its letters"
    )
    type = TextInput(max_length=40, required=False, help_text=TYPES)
    smtp = ObjectIdInput(required=False, allow_null=True, help_text="The sender, of a campaign by smtp.")
    mailApp = ObjectIdInput(required=False, allow_null=True, help_text="The sender, of one by a mail vendor.")
    templateId = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="Or subject and body, or variants. By chat a chat template, whose app sends it.",
    )
    variables = VariablesInput(
        required=False,
        help_text='By chat: {"1": "{{contact.firstName}}", "2": "SPRING"}. A variable that is left out is filled by the'
        " field that the template names.",
    )
    subject = LineInput(max_length=200, required=False, allow_blank=True)
    body = TextInput(
        max_length=BODY_LENGTH,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="MJML, HTML or plain text. A {{placeholder}} is a built-in one, or a contact's field by key or name.",
    )
    variants = serializers.ListField(child=VariantInput(), required=False, max_length=MAX_VARIANTS)
    outreachCadence = WrittenCadenceInput(
        required=False,
        help_text='Follow-ups: {"steps": [{"delay": {"amount": 3, "unit": "days"}, "template": id, or "body" and, if it'
        ' is to have one of its own, "subject", "stopOn": ["reply", "bounce", "won", "lost"], "window": …}]}. Each goes'
        " its delay after the message before it was sent, in the same thread.",
    )
    winner = WinnerInput(required=False, allow_null=True, help_text="null: all variants go to their shares.")
    contactIds = IdList(required=False, help_text="ids of contacts")
    leadIds = IdList(required=False, help_text="ids of leads")
    segments = IdList(required=False, allow_null=True, max_length=100, help_text="ids of segments")
    tags = IdList(required=False, allow_null=True, max_length=100, help_text="ids of tags")
    categories = IdList(required=False, allow_null=True, max_length=100, help_text="ids of contact categories")
    audience = serializers.ChoiceField(
        choices=Campaign.Audience.values,
        required=False,
        help_text="live: those who join before endsAt are written to as well, each once.",
    )
    scheduledAt = serializers.DateTimeField(required=False, allow_null=True, help_text="null: when it is started.")
    endsAt = serializers.DateTimeField(
        required=False, allow_null=True, help_text="Of a live or recurring one: nobody else is written to after it."
    )
    window = ObjectInput(
        required=False,
        allow_null=True,
        help_text='Sending hours, {"days": [1, 2], "start": "09:00", "end": "17:00"}; null: the company\'s.',
    )
    throttle = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MAX_PER_HOUR, help_text="Most messages in an hour."
    )
    recurring = BooleanInput(required=False, help_text="It begins anew every intervalMs.")
    intervalMs = IntegerInput(required=False, allow_null=True, min_value=MIN_INTERVAL_MS, max_value=MAX_INTERVAL_MS)
    writeAgain = BooleanInput(
        required=False, help_text="Of a recurring one: each time to all, not only to those whom it has not written to."
    )
    trackOpens = BooleanInput(
        required=False, help_text="Default true; it counts where GET /genie/settings says that opens are tracked."
    )
    trackClicks = BooleanInput(
        required=False, help_text="Default true; it counts where GET /genie/settings says that clicks are tracked."
    )
    manual = BooleanInput(required=False, help_text="Each message is a draft, which a member releases.")

    def validate(self, attrs: JsonObject) -> JsonObject:
        """Raise ValidationFailed for content of two kinds, and InvalidPayload_400 for invalid sending hours."""
        contents = {
            ("templateId",): attrs.get("template_id"),
            ("subject", "body"): attrs.get("subject") or attrs.get("body"),
            ("variants",): attrs.get("variants"),
        }
        names = [name for name, value in contents.items() if value]
        if len(names) > 1:
            details = detail_of(names[1], f"not beside {', '.join(names[0])}")
            raise ValidationFailed(details, "words are of one kind alone", field=names[1])
        if "window" in attrs:
            attrs["window"] = read_hours(attrs["window"], "window")
        return attrs


class CampaignCreate(CampaignUpdate):
    """A new campaign. What is left out can be given until it starts."""

    name = LineInput(max_length=200, help_text="unique in the company, whatever the case of its letters")
    type = TextInput(max_length=40, default="smtp", help_text=TYPES)


class CampaignSelectors(Selectors):
    """The audience and channel of a campaign."""

    type = TextInput(max_length=40, default="smtp", help_text=TYPES)


class CampaignPreview(WordsPreview):
    """The mail, or the message by chat, that a campaign makes."""

    chat = Computed(
        serializers.DictField(
            allow_null=True, help_text="By chat: media, header, body, footer and buttons, as a person sees them."
        )
    )


class CampaignDelete(SelectionInput):
    """Campaigns to delete."""


class WinnerChoice(Input):
    variant = LineInput(max_length=60, help_text="The name of the variant.")


class Release(Input):
    """Drafts to release."""

    ids = IdList(required=False, max_length=1000, help_text="ids of messages; left out: all drafts")
    delaySeconds = delay_input()


class CampaignOut(Output):
    """A campaign."""

    moving = (
        PROGRESS
        | SENDING
        | {
            "decidesAt",
            "replied",
            "funnel",
            "measured",
            "tracking",
            "programVisits",
            "ownVisits",
            "byDay",
            "byHour",
            "won",
        }
    )
    moving |= {"stepResults", "variantResults", "linkResults", "waitingForWinner"}
    reads: ClassVar[tuple[str, ...]] = ("chat_template_id",)

    _id = IdField()
    name = serializers.CharField()
    type = serializers.CharField()
    status = serializers.ChoiceField(choices=Campaign.Status.values)
    smtp = SmtpSnapshot()
    mailApp = MailAppSnapshot(source="mail_app")
    chatApp = ChatAppSnapshot(source="chat_app")
    templateId = IdField(source="template_id", allow_null=True, help_text="By chat that of the chat template.")
    variables = serializers.DictField(child=serializers.CharField(), help_text="By chat: what fills the template.")
    subject = serializers.CharField()
    winner = serializers.DictField(
        source="winner_rule", allow_null=True, help_text="metric, after and testShare; null: no winner is chosen."
    )
    won = serializers.DictField(
        source="winner",
        help_text="The winner: variant (its name), why (replied: the most replies, opened and clicked"
        " likewise; tie and no_data: the first of those that lead; chosen: by a member), at; empty: none so far.",
    )
    decidesAt = serializers.DateTimeField(allow_null=True, help_text="When the winner is chosen; null: not known yet.")
    audience = serializers.CharField(source="audience_mode", help_text="fixed or live")
    scheduledAt = serializers.DateTimeField(allow_null=True)
    endsAt = serializers.DateTimeField(allow_null=True)
    window = serializers.DictField(allow_null=True)
    throttle = serializers.IntegerField(allow_null=True)
    recurring = serializers.BooleanField()
    intervalMs = serializers.IntegerField(allow_null=True)
    writeAgain = serializers.BooleanField()
    manual = serializers.BooleanField()
    trackOpens = serializers.BooleanField(help_text="Where the company tracks opens.")
    trackClicks = serializers.BooleanField(help_text="Where the company tracks clicks.")
    error = serializers.CharField(help_text="Why it failed, or could not start.")
    total = Computed(serializers.IntegerField(allow_null=True, help_text="Recipients; null until they are counted."))
    sent = Computed(serializers.IntegerField(help_text="Messages that have gone."))
    replied = Computed(serializers.IntegerField(help_text="Recipients who have replied to its messages."))
    opened = Computed(serializers.IntegerField(help_text="Messages that people have opened, where that is tracked."))
    clicked = Computed(serializers.IntegerField(help_text="Messages of which people have clicked a link."))
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        template = row["chat_template_id"] or data["templateId"]
        return {**data, "winner": data["winner"] or None, "templateId": template}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        results = results_of([row["_id"] for row in rows])
        return [{**row, **results.get(row["_id"], {"total": None, **NO_RESULTS})} for row in rows]


class CampaignDetail(CampaignOut):
    """A campaign with its content, its people, and the outcomes of its messages."""

    reads = (*CampaignOut.reads, "audience")

    body = serializers.CharField()
    variants = serializers.ListField(
        child=serializers.DictField(), help_text="name, share, templateId, subject and body of each; empty: one text."
    )
    contactIds = Computed(serializers.ListField(child=IdField()))
    leadIds = Computed(serializers.ListField(child=IdField()))
    segments = Computed(serializers.ListField(child=IdField(), allow_null=True))
    tags = Computed(serializers.ListField(child=IdField(), allow_null=True))
    categories = Computed(serializers.ListField(child=IdField(), allow_null=True))
    audienceNames = Computed(
        serializers.DictField(
            child=serializers.CharField(),
            help_text="Id -> name of its tags, segments and categories that are still there.",
        )
    )
    run = Computed(IdField(allow_null=True, help_text="The run that sends it, as messages name it; null: none yet."))
    bulkJob = Computed(IdField(allow_null=True, help_text="The last bulk job that changes its messages."))
    occurrence = Computed(serializers.IntegerField(help_text="How often it has begun; 0: not yet."))
    nextOccurrenceAt = Computed(serializers.DateTimeField(allow_null=True))
    counts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> number of messages.")
    )
    funnel = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True),
            help_text="audience (null until it is counted), then messages of all steps: planned, sent, delivered (null"
            " where no event tells of it, as by smtp), opened and clicked (null where they are not tracked), bounced,"
            " replied (messages that were replied to), notSent (for another reason); unsubscribed are recipients;"
            f" {CONVERTED_HELP}.",
        )
    )
    measured = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=MEASURED))
    tracking = Computed(serializers.DictField(child=serializers.BooleanField(), help_text=TRACKING))
    programVisits = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=PROGRAM_VISITS))
    ownVisits = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=OWN_VISITS))
    byDay = Computed(serializers.ListField(child=serializers.DictField(), help_text=BY_DAY))
    byHour = Computed(serializers.ListField(child=serializers.DictField(), help_text=BY_HOUR))
    outreachCadence = serializers.DictField(
        source="outreach_cadence", help_text="steps with delay, template or body, subject, stopOn, window; empty: none."
    )
    stepResults = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="Of each step, the first message being 1: step, planned, sent, delivered, opened, clicked,"
            " replied, unsubscribed (of those to whom no later step had gone by then), bounced, notSent.",
        )
    )
    variantResults = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="Of the first messages of each variant: name, planned, sent, delivered, opened, clicked,"
            " replied, unsubscribed, bounced, notSent, converted, and byDay as the campaign has it.",
        )
    )
    utmTags = serializers.BooleanField(help_text="Where the company has UTM tags switched on.")
    utmSource = serializers.CharField(help_text="Empty: the company's.")
    utmMedium = serializers.CharField(help_text="Empty: the company's.")
    utmCampaign = serializers.CharField(help_text="Empty: the campaign's name.")
    linkResults = Computed(serializers.ListField(child=serializers.DictField(), help_text=LINK_RESULTS))
    waitingForWinner = Computed(serializers.IntegerField(help_text="Messages that the winner is to write."))
    nextDueAt = Computed(serializers.DateTimeField(allow_null=True))
    nextDecision = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="About the message that is due first: state, reason, sentence, until, goesAt.",
        )
    )
    reasons = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="The commonest (status, reason) with sentence and count."
        )
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**super().finish(data, row), **NOBODY, **row["audience"]}


class CampaignChoices(Output):
    """Choices for a campaign."""

    tracking = Computed(
        serializers.DictField(
            child=serializers.BooleanField(), help_text="opens and clicks: whether the company tracks them."
        )
    )
    utmTags = Computed(serializers.BooleanField(help_text="Whether the company has UTM tags switched on."))
    senders = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            allow_null=True,
            help_text="_id, type, fromName, fromEmail (by chat the number) and stoppedAt of each.",
        )
    )
    templates = Computed(
        serializers.ListField(child=serializers.DictField(), allow_null=True, help_text="_id and name of each.")
    )
    chatTemplates = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            allow_null=True,
            help_text="_id, name and language of each chat template that is approved.",
        )
    )
    segments = Computed(serializers.ListField(child=serializers.DictField(), allow_null=True))
    tags = Computed(serializers.ListField(child=serializers.DictField(), allow_null=True))
    categories = Computed(serializers.ListField(child=serializers.DictField(), allow_null=True))


class CampaignCancelled(CampaignDetail):
    """A campaign after its cancellation."""

    cancelledCount = Computed(
        serializers.IntegerField(allow_null=True, help_text="Messages not to send; null while a job cancels them.")
    )


class Released(Output):
    """The result of a release."""

    changedCount = Computed(
        serializers.IntegerField(allow_null=True, help_text="Drafts that go; null while a job releases them.")
    )
    leftCount = Computed(serializers.IntegerField(help_text="Drafts that stay, since a name or address has changed."))
    skipped = Computed(serializers.ListField(child=serializers.DictField(), help_text=SKIPPED))
