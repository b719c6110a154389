"""Bodies and answers of outreach runs."""

from __future__ import annotations

from django.utils.functional import lazy
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.filter_tree import FilterTreeField
from core.api.input import BooleanInput, IdList, Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import PROGRESS, SENDING, Computed, IdField, Output
from core.errors import ValidationFailed
from core.types import JsonObject, Values
from outreach.connections.ai.serializers import PROMPT_LENGTH, LanguageInput, MoneyInput
from outreach.connections.ai.services import ai_types
from outreach.connections.mail_vendors.serializers import MailAppSnapshot
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.prospecting.lead_generation.serializers import SOURCE_ERRORS, source_errors
from outreach.runs.genie.audience import RECENT
from outreach.runs.genie.by_day import BY_DAY, BY_HOUR
from outreach.runs.genie.cadence.steps import CadenceField, CadenceFields, CadenceInput, without_content
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.outcomes import CONVERTED_HELP
from outreach.runs.genie.selectors import NO_RESULTS, phase, results

LANGUAGE = "A code such as de, or a name; left out: each contact's own where a field tells it, else the company's."


class Selectors(Input):
    """The five selectors of an audience, combined as a union."""

    contactIds = IdList(default=list, help_text="ids of contacts")
    leadIds = IdList(default=list, help_text="ids of leads")
    segments = IdList(default=None, allow_null=True, help_text="ids of segments")
    tags = IdList(default=None, allow_null=True, max_length=100, help_text="ids of tags")
    categories = IdList(default=None, allow_null=True, max_length=100, help_text="ids of contact categories")


def ai_type_help() -> str:
    """Return the help text with the AI types."""
    *others, last = ai_types()
    return f"{', '.join(others)} or {last}; left out: the company's default AI app."


class RunChange(Input):
    """The caps of a run."""

    tokenCap = IntegerInput(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=10**15,
        help_text="Most tokens that its AI app may use; null: the company's cap for runs, or in a change no cap.",
    )
    costCap = MoneyInput(required=False, allow_null=True, help_text="Most that its messages may cost.")


class TrackingFields(Input):
    """Tracking of a run's messages. Bodies that start runs inherit it."""

    trackOpens = BooleanInput(default=True, help_text="Where GET /genie/settings says that opens are tracked.")
    trackClicks = BooleanInput(default=True, help_text="Where GET /genie/settings says that clicks are tracked.")


class RunCreate(TrackingFields, CadenceFields, RunChange, Selectors):
    """A run against an existing audience."""

    prompt = TextInput(
        default="",
        allow_blank=True,
        max_length=PROMPT_LENGTH,
        help_text="The goal in plain language; without it the run is planned from the company's profile.",
    )
    tone = TextInput(default="", allow_blank=True, max_length=100)
    aiType = TextInput(required=False, max_length=32, help_text=lazy(ai_type_help, str)())
    enrichmentEnabled = BooleanInput(default=False)
    draft = BooleanInput(default=False, help_text="true: messages wait for approval.")
    language = LanguageInput(default="", allow_blank=True, help_text=LANGUAGE)
    smtp = ObjectIdInput(required=False, help_text="The sender; left out: the oldest that is active and tested.")
    mailApp = ObjectIdInput(required=False, help_text="The sender, where it is an app of a mail vendor.")
    name = TextInput(default="", allow_blank=True, max_length=200)
    automation = serializers.ChoiceField(
        choices=("run", "skip"), default="run", help_text="Whether workflows start on the event."
    )

    def validate(self, attrs: JsonObject) -> JsonObject:
        """Raise ValidationFailed for two senders."""
        if attrs.get("smtp") and attrs.get("mail_app"):
            raise ValidationFailed("a run has one sender", "choose one sender", field=("smtp", "mailApp"))
        return super().validate(attrs)


class AudienceOut(Output):
    """An audience, judged."""

    count = Computed(serializers.IntegerField(help_text="Live contacts that the selectors select, each once."))
    sendable = Computed(serializers.IntegerField(help_text="Those that can be written to."))
    writtenRecently = Computed(
        serializers.IntegerField(
            help_text=f"Those of them that a run of the last {RECENT.days} days has written to, or is about to."
        )
    )
    excluded = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Reason -> number of contacts.")
    )
    sample = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="Up to 10 contacts, each with the decision for it."
        )
    )


class DraftPreview(RunChange, Selectors):
    """A run that is not started: its audience and its subject."""

    prompt = TextInput(default="", allow_blank=True, max_length=PROMPT_LENGTH)
    tone = TextInput(default="", allow_blank=True, max_length=100)
    language = LanguageInput(default="", allow_blank=True, help_text=LANGUAGE)
    aiType = TextInput(default=None, allow_null=True, max_length=32, help_text=lazy(ai_type_help, str)())
    smtp = ObjectIdInput(default=None, allow_null=True, help_text="Left out: the one that a run would take.")
    outreachCadence = CadenceInput(default=dict, help_text="The follow-ups, which the price is for as well.")


class PreviewCost(Output):
    """The time and cost of messages."""

    composer = Computed(serializers.DictField(help_text="aiType, name, and whether it callsAModel."))
    modelCalls = Computed(serializers.IntegerField(help_text="Calls of a model that the run would take at most."))
    price = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="Of a run that calls a model, estimated from its first recipients: tokensIn, tokensOut, cost"
            " (null: the app has no prices) and its currency, callTokens and callCost that a call reserves while it is"
            " under way, tokensLeft and costLeft of the caps this month (null: no cap), and whether it fits, with what"
            " the last call reserves. null: no model is called.",
        )
    )
    smtp = Computed(serializers.DictField(allow_null=True, help_text="The sender; null without one."))
    mailApp = Computed(serializers.DictField(allow_null=True, help_text="The sender that is a mail vendor's app."))
    messagesPerHour = Computed(serializers.IntegerField(allow_null=True, help_text="The sender's limit; null: none."))
    messagesPerDay = Computed(serializers.IntegerField(allow_null=True, help_text="The sender's limit; null: none."))
    beginsAt = Computed(serializers.DateTimeField(allow_null=True, help_text="In the sending hours."))
    endsAt = Computed(
        serializers.DateTimeField(
            allow_null=True,
            help_text="When the last one goes, if the sender sends nothing else; null: not known.",
        )
    )


class DraftPreviewOut(PreviewCost):
    """The result of a run before it starts."""

    count = Computed(serializers.IntegerField(help_text="Live contacts that the selectors select, each once."))
    sendable = Computed(serializers.IntegerField(help_text="Those that can be written to."))
    excluded = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Reason -> number of contacts.")
    )
    drafts = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="Up to 3: contact, subject, text, evidence and unproved as in messages, or error.",
        )
    )


class SearchSnapshot(Output):
    """The search for a run's recipients, with its progress."""

    _id = IdField()
    status = serializers.CharField(help_text="queued, running, completed, failed or cancelled")
    total = serializers.IntegerField(allow_null=True, help_text="Own contacts to look at; null until they are counted.")
    processed = serializers.IntegerField()
    created = serializers.IntegerField(help_text="Leads that were made.")
    judgeError = serializers.CharField(help_text="Why the AI app has not judged all who were found; empty: it has.")
    error = serializers.CharField()


MEASURED = "opened and clicked: sent messages of which these are measured, such as those sent with tracking."
TRACKING = "opened and clicked: whether these are measured of messages that are sent now."
PROGRAM_VISITS = "opened and clicked: messages that no recipient, but a program has opened, or clicked a link of."
OWN_VISITS = "opened and clicked: messages that no recipient, but a member has opened, or clicked a link of."


class RunOut(Output):
    """A run."""

    moving = (
        PROGRESS
        | SENDING
        | {
            "answered",
            "generation",
            "lapsedCount",
            "phase",
            "sourceErrors",
            "steps",
            "enrichment",
            "aiUse",
            "outcomes",
            "measured",
            "tracking",
            "programVisits",
            "ownVisits",
            "byDay",
            "byHour",
        }
    )
    reads = ("generation__sources",)

    _id = IdField()
    name = serializers.CharField()
    prompt = serializers.CharField()
    tone = serializers.CharField()
    language = serializers.CharField(help_text="ISO 639-1 code; empty: the contact's, else the company's.")
    aiType = serializers.CharField()
    type = serializers.CharField()
    draft = serializers.BooleanField()
    workflow = serializers.CharField(
        source="of_workflow", help_text="id of the workflow whose node adds to whom it goes; empty: none."
    )
    outreachCadence = CadenceField(help_text="The follow-ups: steps; empty: none.")
    recurring = serializers.BooleanField(help_text="Further occurrences begin.")
    intervalMs = serializers.IntegerField(allow_null=True, help_text="null: the run was not made to recur.")
    occurrence = serializers.IntegerField(
        help_text="How often it has begun; beginnings that found nobody to write to count too."
    )
    nextOccurrenceAt = serializers.DateTimeField(allow_null=True)
    outreachPrompt = serializers.CharField(help_text="What the messages say; empty: what the prompt says of it.")
    userEnquiryEnabled = serializers.BooleanField()
    campaign = serializers.BooleanField()
    customChannelSelection = serializers.BooleanField()
    customChannels = serializers.DictField(help_text="App -> ids of those that may send.")
    count = serializers.IntegerField(source="generation.count", allow_null=True, help_text="Leads that are wanted.")
    industry = serializers.CharField(source="generation.industry", allow_null=True)
    additionalFilters = FilterTreeField(source="generation.additional_filters", allow_null=True)
    whitelistedCustom = Computed(serializers.BooleanField())
    customWhitelistedDomains = serializers.ListField(
        child=serializers.CharField(), source="generation.domains", allow_null=True
    )
    generation = SearchSnapshot(help_text="The search that finds the recipients; null: they were named.")
    sourceErrors = Computed(
        serializers.ListField(child=serializers.DictField(), help_text=f"Of its present occurrence. {SOURCE_ERRORS}")
    )
    enrichmentEnabled = serializers.BooleanField()
    phase = Computed(
        serializers.ChoiceField(
            choices=GenieScheduler.Phase.values,
            help_text="waiting: a follow-up or the next occurrence comes later.",
        ),
        phase(),
    )
    status = serializers.CharField(help_text="Of the planning: queued, running, completed, failed or cancelled.")
    total = serializers.IntegerField(allow_null=True, help_text="Recipients; null until they are counted.")
    processed = serializers.IntegerField(help_text="Recipients planned so far.")
    sent = Computed(serializers.IntegerField(help_text="Messages that have gone."))
    answered = Computed(serializers.IntegerField(help_text="Recipients who have replied to its messages."))
    trackOpens = serializers.BooleanField(help_text="Where the company tracks opens.")
    trackClicks = serializers.BooleanField(help_text="Where the company tracks clicks.")
    opened = Computed(serializers.IntegerField(help_text="Messages that people have opened, where that is tracked."))
    clicked = Computed(serializers.IntegerField(help_text="Messages of which people have clicked a link."))
    error = serializers.CharField(help_text="Why the planning failed.")
    tokenCap = serializers.IntegerField(allow_null=True)
    costCap = serializers.FloatField(allow_null=True)
    smtp = SmtpSnapshot()
    mailApp = MailAppSnapshot(source="mail_app")
    bulkJob = IdField(
        source="message_job_id",
        allow_null=True,
        help_text="The last bulk job that changes its messages, with its progress (GET /bulk-job/:id).",
    )
    cancelledAt = serializers.DateTimeField(allow_null=True)
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True, help_text="Of the planning.")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        cadence, domains = without_content(data["outreachCadence"]), data["customWhitelistedDomains"]
        failed = source_errors(row["generation__sources"] or ())
        return {**data, "outreachCadence": cadence, "whitelistedCustom": bool(domains), "sourceErrors": failed}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        counts = results(row["_id"] for row in rows)
        return [{**row, **counts.get(row["_id"], NO_RESULTS)} for row in rows]


class RunDetail(RunOut):
    """A run with its messages counted."""

    audience = serializers.DictField(help_text="The five selectors.")
    audienceNames = Computed(
        serializers.DictField(
            child=serializers.CharField(),
            help_text="Id -> name of its tags, segments and categories that are still there.",
        )
    )
    counts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> number of messages.")
    )
    outcomes = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True),
            help_text="Messages: sent, delivered (null where no event tells of it, as by smtp), opened and clicked"
            " (null where they are not tracked), bounced, replied, notSent (for another reason); unsubscribed are"
            f" recipients; {CONVERTED_HELP}.",
        )
    )
    measured = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=MEASURED))
    tracking = Computed(serializers.DictField(child=serializers.BooleanField(), help_text=TRACKING))
    programVisits = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=PROGRAM_VISITS))
    ownVisits = Computed(serializers.DictField(child=serializers.IntegerField(), help_text=OWN_VISITS))
    byDay = Computed(serializers.ListField(child=serializers.DictField(), help_text=BY_DAY))
    byHour = Computed(serializers.ListField(child=serializers.DictField(), help_text=BY_HOUR))
    lapsedCount = Computed(
        serializers.IntegerField(
            help_text="Approved messages that wait for a new approval: theirs has ended, or the contact or the sender"
            " is another one since."
        )
    )
    steps = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="Its messages by step: step (1: the first message), counts (status -> number), followed (how many"
            " wait for their follow-up to be planned) and nextAt, when the first of these is.",
        )
    )
    enrichment = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="How far the enrichment of the recipients is: status, total, processed, proposed, until, error;"
            " null: none was begun.",
        )
    )
    aiUse = Computed(
        serializers.DictField(
            help_text="What its messages, and the judging of its recipients, have taken so far: tokens and cost."
        )
    )
    percent = Computed(serializers.FloatField(help_text="Recipients whose message has come to an end, of all."))
    nextDueAt = Computed(serializers.DateTimeField(allow_null=True))
    nextDecision = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="About the approved message that is due first: state, reason, sentence, until, goesAt.",
        )
    )
    reasons = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="The commonest (status, reason) with sentence and count."
        )
    )


class RunCancelled(RunOut):
    """A run after its cancellation."""

    cancelledCount = Computed(
        serializers.IntegerField(
            allow_null=True, help_text="Messages that will not go; null while a job counts and cancels them."
        )
    )
