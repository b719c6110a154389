"""Endpoints of a company's profile (contract 4.11)."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from accounts.companies.first_steps import first_steps_done
from accounts.companies.models import Company
from accounts.companies.overview import read_overview
from accounts.companies.serializers import CompanyOut, CompanyUpdate, FirstStepsOut, OverviewOut
from accounts.companies.services import update_company
from core.access import may_read
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.lists.values import refuse
from core.types import JsonObject

DEFAULT_DAYS, MAX_DAYS = 14, 90
DAYS = OpenApiParameter(
    "days", int, description=f"today and the days before: {DEFAULT_DAYS} unless given, at most {MAX_DAYS}"
)


class CompanyViewSet(ResourceViewSet):
    module = "company"
    singleton = True

    @endpoint(
        "Read the company's profile",
        description="Name, address, time zone and contact details, and the value that no two contacts may share.",
        output=CompanyOut,
        needs_subscription=False,
    )
    def retrieve(self, request: Request) -> object:
        return CompanyOut.one(Company.objects.filter(pk=self.actor.company_id))

    @endpoint(
        "Change the company's profile",
        input=CompanyUpdate,
        output=CompanyOut,
        success="CompanyChanged_200",
        errors=("InvalidTimezone_400", "CountryNotFound_400", "StateNotFound_400"),
        needs_subscription=False,
        description="Changes what is given. A new country needs a state of its own, or an empty one.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        update_company(changes=data)
        return CompanyOut.one(Company.objects.filter(pk=self.actor.company_id))


class FirstStepsViewSet(ResourceViewSet):
    module = "company"
    singleton = True

    @endpoint(
        "Read the company's first steps",
        output=FirstStepsOut,
        description="What a new company does first, and whether it has: connect a sender, import contacts, invite"
        " somebody, start outreach.",
    )
    def retrieve(self, request: Request) -> object:
        return {"steps": first_steps_done()}


class OverviewViewSet(ResourceViewSet):
    module = "company"
    alternate_modules = ("contact", "lead", "genie", "apps")
    singleton = True

    @endpoint(
        "Read the company's numbers at a glance",
        output=OverviewOut,
        parameters=(DAYS,),
        errors=("InvalidRequest_400",),
        description="What came in over the last days, what was sent and answered on each of them, and what waits.",
    )
    def retrieve(self, request: Request) -> object:
        days = request.query_params.get("days", str(DEFAULT_DAYS))
        if not (days.isascii() and days.isdigit() and len(days) < 4 and 1 <= int(days) <= MAX_DAYS):
            raise refuse("days", f"needs to be a whole number from 1 to {MAX_DAYS}, got {shorten(days, 40)!r}")
        return read_overview(
            days=int(days), may_read=lambda module: may_read(self.actor, module), member_id=self.actor.member_id
        )
