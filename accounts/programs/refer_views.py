"""Endpoints of the referral program (contract 4.11). The tables have no company: each query names the user."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.request import Request

from accounts.programs.filters import REFERRED_FIELDS
from accounts.programs.models import ReferProgram, Referral
from accounts.programs.partner_serializers import ReferredUser
from accounts.programs.partner_views import program_figures
from accounts.programs.refer_serializers import ReferProgramInput, ReferProgramOut, ReferringUser
from accounts.programs.referrals import referred_users
from accounts.programs.services import set_refer_program
from accounts.users.models import User
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject


def membership_of(user_id: str) -> JsonObject:
    """Return the user's participation in the referral program in the API's form."""
    program = ReferProgramOut.one(ReferProgram.objects.filter(user_id=user_id)) or ReferProgramOut.default_data()
    return {
        **program,
        "rewardPercent": settings.REFER_REWARD_PERCENT,
        **program_figures(user_id, Referral.Program.REFER),
    }


def _referred_users(list_request: ListRequest) -> QuerySet[Any]:
    return referred_users(user_id=list_request.actor.user_id, program=Referral.Program.REFER)


REFERRALS = Listing("List the people you have brought", _referred_users, REFERRED_FIELDS, ReferredUser)


class ReferProgramViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "Read your part in the referral program",
        output=ReferringUser,
        description="data is you, with referProgram in it.",
    )
    def retrieve(self, request: Request) -> object:
        user = ReferringUser.one(User.objects.filter(pk=self.actor.user_id)) or {}
        return {**user, "referProgram": membership_of(self.actor.user_id)}

    @endpoint(
        "Join or leave the referral program",
        input=ReferProgramInput,
        output=ReferProgramOut,
        success="ReferProgramUpdated_200",
        errors=("InvalidReferProgramStatus_400",),
        description="The code is made the first time and kept. While inactive it brings nobody new; who came by it"
        " before still counts.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        set_refer_program(user_id=self.actor.user_id, status=data["status"])
        return membership_of(self.actor.user_id)

    referrals = list_action(REFERRALS, url_path="referrals", detail=False)
