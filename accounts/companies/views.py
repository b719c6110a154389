"""Endpoints of a company's profile (contract 4.11)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.companies.models import Company
from accounts.companies.serializers import CompanyOut, CompanyUpdate
from accounts.companies.services import update_company
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet


class CompanyViewSet(ResourceViewSet):
    module = "company"
    singleton = True

    @endpoint("Read the company's profile", output=CompanyOut, needs_subscription=False)
    def retrieve(self, request: Request) -> Any:
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
    def update(self, request: Request, data: dict[str, Any]) -> Any:
        update_company(changes=data)
        return CompanyOut.one(Company.objects.filter(pk=self.actor.company_id))
