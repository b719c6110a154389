"""Bodies and answers of the referral program."""

from __future__ import annotations

from rest_framework import serializers

from accounts.programs.models import ReferProgram
from accounts.programs.partner_serializers import Balance, ReferralCounts
from accounts.programs.referrals import link_of
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values


class ReferProgramInput(Input):
    status = TextInput(allow_blank=True, max_length=100, help_text=f"one of {', '.join(ReferProgram.Status.values)}")


class ReferProgramOut(Output):
    """A user's part in the referral program; inactive, with nulls, for who has never joined."""

    _id = IdField(allow_null=True)
    status = serializers.ChoiceField(choices=ReferProgram.Status.values)
    code = serializers.CharField(allow_null=True, help_text="made once; works while status is active")
    link = Computed(serializers.URLField(allow_null=True, help_text="the address to hand on, while the code works"))
    rewardPercent = Computed(serializers.FloatField(help_text="your share of the first payment of whom you brought"))
    counts = Computed(ReferralCounts())
    balances = Computed(Balance(many=True))
    createdAt = serializers.DateTimeField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "link": link_of(data["code"]) if data["status"] == ReferProgram.Status.ACTIVE else None}

    @classmethod
    def default_data(cls) -> JsonObject:
        """Return the answer for a user who has never joined."""
        return {
            **dict.fromkeys(("_id", "code", "link", "createdAt", "updatedAt")),
            "status": ReferProgram.Status.INACTIVE,
        }


class ReferringUser(Output):
    """The caller, with their part in the referral program."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()
    referProgram = Computed(ReferProgramOut())
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
