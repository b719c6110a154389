"""Bodies and answers of quotes."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, IntegerInput, LineInput, NumberInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.leads.snapshots import CONTACT_READS, MEMBER_READS, LeadSnapshot, lead_of
from crm.records.serializers import AutomationInput, member_of
from outreach.messaging.personal_mail.serializers import Recipient, SenderChoice
from outreach.site.quotes.lines import MAX_DESCRIPTION, MAX_LINES, totals_of
from outreach.site.quotes.models import MAX_PREFIX, Quote
from outreach.site.quotes.sending import LINK
from outreach.site.quotes.tokens import address_of

MAX_RESTORED = 1000
MAX_TEXT = 10_000
MAX_NUMBER = 10**12
VALID = "a day, whose end it is in the company's time zone, or a time in ISO 8601"
SUMS = ("subtotal", "discount", "net", "tax", "total")


class DecimalInput(NumberInput):
    """A number with a fixed number of decimals."""

    def __init__(self, places: int, **options: Any) -> None:
        self.places = places
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if not abs(value) <= MAX_NUMBER:
            raise serializers.ValidationError("enter a smaller number", code="invalid")
        # By its text: 0.1 as a binary fraction has more digits than anybody has entered.
        number = Decimal(str(value))
        return number.quantize(Decimal(1).scaleb(-self.places), ROUND_HALF_UP)


class QuoteLineBody(Input):
    """A line of a quote: a product, or a text."""

    product = ObjectIdInput(required=False, allow_null=True, help_text="fills in what the line leaves out")
    name = LineInput(max_length=300, required=False, allow_blank=True, help_text="required without a product")
    description = TextInput(max_length=MAX_DESCRIPTION, required=False, allow_blank=True)
    quantity = DecimalInput(3, required=False, min_value=0, max_value=10**9, help_text="1 unless given")
    unit = LineInput(max_length=40, required=False, allow_blank=True, help_text="such as hour or piece")
    unitPrice = DecimalInput(4, required=False, min_value=-(10**10), max_value=10**10, help_text="without tax")
    discount = DecimalInput(2, required=False, min_value=0, max_value=100, help_text="percent")
    tax = DecimalInput(2, required=False, min_value=0, max_value=100, help_text="percent")
    # So that lines of an answer can be sent back.
    amount = serializers.FloatField(read_only=True)


class QuoteUpdate(AutomationInput):
    """New values of a quote."""

    title = LineInput(max_length=200, required=False, help_text="its number unless given")
    currency = LineInput(max_length=3, required=False, help_text="ISO 4217 code; the company's unless given")
    lines = serializers.ListField(
        child=QuoteLineBody(),
        max_length=MAX_LINES,
        required=False,
        help_text="in their order; replace the present ones",
    )
    validUntil = TextInput(max_length=40, required=False, help_text=VALID)
    notes = TextInput(max_length=MAX_TEXT, required=False, allow_blank=True, help_text="above the lines")
    terms = TextInput(max_length=MAX_TEXT, required=False, allow_blank=True, help_text="below the lines")
    owner = ObjectIdInput(required=False, allow_null=True, help_text="member id; null: nobody")


class QuoteCreate(QuoteUpdate):
    """A draft of a quote."""

    lead = ObjectIdInput(help_text="its contact gets the quote; without lines the quote has the lead's products")


class QuoteBulkUpdate(SelectionInput, AutomationInput):
    """New values of many quotes."""

    validUntil = TextInput(max_length=40, required=False, help_text=f"of drafts: {VALID}")
    owner = ObjectIdInput(required=False, allow_null=True, help_text="member id; null: nobody")


class QuoteDelete(SelectionInput, AutomationInput):
    """Quotes to delete."""


class QuoteRestore(AutomationInput):
    """Deleted quotes to restore."""

    ids = IdList(max_length=MAX_RESTORED, help_text="_id of each quote")


class QuoteSend(AutomationInput):
    """The email of a quote."""

    to = Recipient(
        required=False, help_text="A contact, or a lead, whose contact gets it; the quote's lead by default."
    )
    smtp = ObjectIdInput(required=False, allow_null=True, help_text="The sender; null: the oldest that works.")
    mailApp = ObjectIdInput(required=False, allow_null=True, help_text="Or a sender at a mail vendor.")
    subject = LineInput(max_length=200, required=False, allow_blank=True, help_text="Empty: the usual one.")
    text = TextInput(
        max_length=MAX_TEXT,
        required=False,
        allow_blank=True,
        help_text=f"Empty: the usual one. {LINK} is the place of the link; without it the link stands at the end.",
    )
    key = LineInput(
        max_length=30,
        required=False,
        allow_blank=True,
        help_text="Any text of the program's own: a further request with it sends nothing. Without a key a quote goes"
        " once.",
    )


class QuoteMail(Output):
    """The usual email of a quote."""

    subject = Computed(serializers.CharField())
    senders = Computed(SenderChoice(many=True))
    text = Computed(serializers.CharField(help_text=f"{LINK} is the place of the link"))


class QuoteLineOut(Output):
    """A line of a quote."""

    product = IdField(allow_null=True)
    name = serializers.CharField()
    description = serializers.CharField()
    quantity = serializers.FloatField()
    unit = serializers.CharField()
    unitPrice = serializers.FloatField()
    discount = serializers.FloatField(help_text="percent")
    tax = serializers.FloatField(help_text="percent")
    amount = serializers.FloatField(help_text="after the discount, without tax")


class QuoteTaxOut(Output):
    """The tax of a rate."""

    rate = Computed(serializers.FloatField(help_text="percent"))
    amount = Computed(serializers.FloatField())


class QuoteOrganization(Output):
    """The organization of a quote's lead."""

    _id = IdField()
    name = serializers.CharField()


class SalesQuoteOut(Output):
    """A version of a quote."""

    moving = frozenset({"status", "viewedAt", "answeredAt", "acceptedName", "declineReason", "updatedAt"})
    conceals = ("url",)

    _id = IdField()
    number = serializers.CharField(help_text="of all versions the same")
    version = serializers.IntegerField()
    replacedBy = Computed(IdField(allow_null=True, help_text="the next version"))
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=Quote.Status.choices)
    lead = Computed(LeadSnapshot())
    organization = Computed(QuoteOrganization(allow_null=True))
    owner = Computed(MemberSnapshot(allow_null=True))
    currency = serializers.CharField()
    lines = Computed(serializers.ListField(child=QuoteLineOut()))
    subtotal = serializers.FloatField(help_text="without discount and tax")
    discount = serializers.FloatField()
    net = serializers.FloatField()
    taxes = Computed(serializers.ListField(child=QuoteTaxOut()))
    tax = serializers.FloatField()
    total = serializers.FloatField(help_text="with tax")
    validUntil = serializers.DateTimeField(help_text="the last moment at which it can be accepted")
    notes = serializers.CharField()
    terms = serializers.CharField()
    url = Computed(serializers.CharField(help_text="the public page, which works from sending on"))
    sentAt = serializers.DateTimeField(allow_null=True)
    viewedAt = serializers.DateTimeField(allow_null=True)
    answeredAt = serializers.DateTimeField(allow_null=True)
    acceptedName = serializers.CharField(help_text="the name that the customer entered")
    declineReason = serializers.CharField()
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = (
        *("company_id", "lines", "replaced_by_id", "lead_id", "lead__status", "lead__organization_id"),
        "lead__organization__name",
        *(f"lead__contact{part}" for part in CONTACT_READS),
        *(f"{member}{part}" for member in ("owner", "created_by", "updated_by") for part in MEMBER_READS),
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        organization_id = row["lead__organization_id"]
        totals = totals_of(row["lines"], row["currency"])
        data["replacedBy"] = row["replaced_by_id"]
        data["lead"] = lead_of(row)
        data["organization"] = {"_id": organization_id, "name": row["lead__organization__name"]}
        if organization_id is None:
            data["organization"] = None
        data["lines"] = [_line(line) for line in row["lines"]]
        data["taxes"] = [{"rate": float(rate), "amount": float(tax)} for rate, tax in totals.taxes.items()]
        data["url"] = address_of(row["company_id"], data["_id"])
        for member in ("owner", "created_by", "updated_by"):
            name = {"created_by": "createdBy", "updated_by": "updatedBy"}.get(member, member)
            data[name] = member_of(row, member)
        return data


def _line(line: Values) -> JsonObject:
    numbers = ("quantity", "unitPrice", "discount", "tax", "amount")
    return {name: float(value) if name in numbers else value for name, value in line.items()}


class QuotesUpdated(Output):
    """The numbers of quotes that a change matched and altered."""

    matchedCount = Computed(serializers.IntegerField())
    updatedCount = Computed(serializers.IntegerField())


class QuotesRestored(Output):
    """The number of restored quotes."""

    restoredCount = Computed(serializers.IntegerField())


class QuoteSettingsUpdate(Input):
    """New settings for quotes."""

    prefix = LineInput(max_length=MAX_PREFIX, required=False, allow_blank=True, help_text="before each number")
    validDays = IntegerInput(min_value=1, max_value=3650, required=False, help_text="of new quotes")
    terms = TextInput(max_length=MAX_TEXT, required=False, allow_blank=True, help_text="of new quotes")
    movesAccepted = BooleanInput(required=False, help_text="an accepted quote moves its lead")
    acceptedStage = ObjectIdInput(
        required=False, allow_null=True, help_text="where to; null: the first won stage of the lead's pipeline"
    )
    declinedStage = ObjectIdInput(
        required=False, allow_null=True, help_text="where leads of declined quotes move; null: they stay"
    )


class QuoteSettingsOut(Output):
    """The settings for quotes."""

    prefix = serializers.CharField()
    nextNumber = serializers.CharField()
    validDays = serializers.IntegerField()
    terms = serializers.CharField()
    movesAccepted = serializers.BooleanField()
    acceptedStage = IdField(allow_null=True)
    declinedStage = IdField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True, help_text="null: never changed")
