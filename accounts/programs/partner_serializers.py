"""Bodies and responses of the partner program, and the parts shared with the referral program."""

from __future__ import annotations

from rest_framework import serializers

from accounts.programs.models import PartnerProgram, Reward
from accounts.programs.referrals import link_of
from accounts.programs.selectors import EARNINGS, NONE, REWARD_STATE
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values


class PartnerRequest(Input):
    requestNote = TextInput(default="", allow_blank=True, max_length=2000, help_text="why you want to be a partner")


class ReferralCounts(Output):
    """Number of people who came by the code."""

    referrals = serializers.IntegerField()
    rewarded = serializers.IntegerField(help_text="of whom there is a reward that stands")


class Balance(Output):
    """Rewards in one currency, as sums by state."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    pending = serializers.FloatField(help_text="to be earned when the payments behind it can no longer be returned")
    earned = serializers.FloatField(help_text="to be paid out")
    paid = serializers.FloatField()
    clawedBack = serializers.FloatField(help_text="taken back, since the payment behind it was returned")
    owed = serializers.FloatField(help_text="the part of clawedBack that had been paid out and has not been given back")
    payable = serializers.FloatField(help_text="earned less owed; may be negative")


class PartnerProgramOut(Output):
    """A partnership; with status none, and ids and dates null, for who has never asked."""

    _id = IdField(allow_null=True)
    status = serializers.ChoiceField(choices=[NONE, *PartnerProgram.Status.values])
    code = serializers.CharField(allow_null=True, help_text="made with the approval; works while status is approved")
    link = Computed(serializers.URLField(allow_null=True, help_text="the address to hand on, while the code works"))
    commissionPercent = serializers.FloatField(help_text="the partner's share of each payment")
    requestNote = serializers.CharField()
    decisionNote = serializers.CharField()
    requestedAt = serializers.DateTimeField(allow_null=True)
    decidedAt = serializers.DateTimeField(allow_null=True)
    counts = Computed(ReferralCounts())
    balances = Computed(Balance(many=True))
    createdAt = serializers.DateTimeField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "link": link_of(data["code"]) if data["status"] == PartnerProgram.Status.APPROVED else None}

    @classmethod
    def default_data(cls) -> JsonObject:
        """Return the answer for a user who has never requested a partnership."""
        percent = PartnerProgram._meta.get_field("commission_percent").get_default()
        empty = dict.fromkeys(("_id", "code", "link", "requestedAt", "decidedAt", "createdAt", "updatedAt"))
        return {**empty, "status": NONE, "commissionPercent": percent, "requestNote": "", "decisionNote": ""}


class Earning(Output):
    """Earnings from a person's payments in one currency."""

    currency = serializers.CharField()
    amount = serializers.FloatField()


class ReferredUser(Output):
    """A referred user, with the data that a referrer should see."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(help_text="masked: its first letter and its domain")
    rewardState = Computed(
        serializers.ChoiceField(choices=[NONE, *Reward.State.values], help_text="of the latest reward"), REWARD_STATE
    )
    earnings = Computed(Earning(many=True, help_text="rewards that stand, pending ones included"), EARNINGS)
    createdAt = serializers.DateTimeField(help_text="when they joined")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "email": mask(data["email"])}


def mask(email: str) -> str:
    """Hide all of the address but its first letter and its domain: a***@example.com."""
    name, _, domain = email.rpartition("@")
    return f"{name[:1] if len(name) > 2 else ''}***@{domain}"


class PartnerReferrals(PartnerProgramOut):
    """A partnership with a page of the people that it brought."""

    referrals = Computed(ReferredUser(many=True))
