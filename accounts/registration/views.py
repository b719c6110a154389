"""Endpoints of registration (contract section 5) and of a user's further companies (4.11)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.companies.models import Company
from accounts.companies.serializers import CompanyOut
from accounts.registration.companies import open_company
from accounts.registration.serializers import CompanyCreate, CompanyCreated, Registered, Registration
from accounts.registration.services import register
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet


class RegistrationViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Register",
        input=Registration,
        output=Registered,
        success="UserRegistered_201",
        errors=("InvalidTimezone_400",),
        limited=True,
        description="A user with a company of their own. The answer is the same for an address that has an account;"
        " its owner gets a mail.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        register(**data, caller=caller_of(request))
        return {"email": data["email"].lower()}


class NewCompanyViewSet(ResourceViewSet):
    private = True

    @endpoint(
        "Open a further company",
        input=CompanyCreate,
        output=CompanyCreated,
        success="CompanyCreated_200",
        errors=("InvalidTimezone_400",),
        description="You own it. Its subscription is a trial, or an expired one where you have had a trial before.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        company, member = open_company(user_id=self.actor.user_id, **data)
        shown = CompanyOut.one(Company.objects.filter(pk=company.pk)) or {}
        return {**shown, "member": {"_id": member.pk, "status": member.status}}
