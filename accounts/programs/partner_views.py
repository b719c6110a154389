"""Endpoints of the partner program (contract 4.11). The tables have no company: each query names the user."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from accounts.programs.filters import REFERRED_FIELDS
from accounts.programs.models import PartnerProgram, Referral
from accounts.programs.partner_serializers import (
    Balance,
    PartnerProgramOut,
    PartnerReferrals,
    PartnerRequest,
    ReferredUser,
)
from accounts.programs.referrals import count_referrals, referred_users
from accounts.programs.rewards import balances
from accounts.programs.services import request_partnership
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, Within, list_action
from core.api.output import to_snake_case
from core.api.viewsets import ResourceViewSet
from core.internals.rest_framework import declared_fields
from core.types import JsonObject

# Without the address: search, sort or filters would reveal what the output masks.


def program_figures(user_id: str, program: str) -> JsonObject:
    """Return the fields counts and balances of a program."""
    rows = balances(user_id=user_id, program=program)
    return {
        "counts": count_referrals(user_id=user_id, program=program),
        "balances": [{name: row[to_snake_case(name)] for name in declared_fields(Balance)} for row in rows],
    }


def partnership(user_id: str) -> JsonObject:
    """Return the user's partnership in the API's form."""
    program = PartnerProgramOut.one(PartnerProgram.objects.filter(user_id=user_id)) or PartnerProgramOut.default_data()
    return {**program, **program_figures(user_id, Referral.Program.PARTNER)}


def _referred_users(list_request: ListRequest) -> QuerySet[Any]:
    return referred_users(user_id=list_request.actor.user_id, program=Referral.Program.PARTNER)


REFERRALS = Listing(
    "List the people your partner code has brought",
    _referred_users,
    REFERRED_FIELDS,
    ReferredUser,
    within=Within(PartnerReferrals, "referrals", lambda asked: partnership(asked.actor.user_id)),
    description="data is your partnership, and the page stands in its field referrals.",
)


class PartnerProgramViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "Read your partnership",
        output=PartnerProgramOut,
        description="Always an object; its status is none for who has never asked. Balances are per currency.",
    )
    def retrieve(self, request: Request) -> object:
        return partnership(self.actor.user_id)

    @action(detail=False, methods=["post"], url_path="request")
    @endpoint(
        "Ask to become a partner",
        input=PartnerRequest,
        output=PartnerProgramOut,
        success="PartnerProgramRequested_200",
        errors=("PartnerProgramAlreadyApproved_400", "PartnerProgramAlreadyRequested_400", "PartnerProgramRevoked_400"),
        description="Staff decide, and you are told by mail. After a rejection you may ask again.",
    )
    def request_partnership(self, request: Request, data: JsonObject) -> object:
        request_partnership(user_id=self.actor.user_id, **data)
        return partnership(self.actor.user_id)

    referrals = list_action(REFERRALS, url_path="referrals", detail=False)
