"""Endpoints of registration (contract section 5) and of a user's further companies (4.11)."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.companies.models import Company
from accounts.companies.serializers import CompanyOut
from accounts.registration.companies import open_company
from accounts.registration.serializers import CompanyCreate, CompanyCreated, Registered, Registration
from accounts.registration.services import register
from core.access import entitlement
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.tenancy import company_scope
from core.types import JsonObject

CLOSED = (
    "the company has no active subscription, since you have had your trial; it is opened by paying: choose a plan of"
    " GET /plans"
)


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
    def create(self, request: Request, data: JsonObject) -> object:
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
        description="You own it. Its subscription is a trial; where you have had a trial before, it has none that is"
        " active, and `warning` says how it is opened.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        company, member = open_company(user_id=self.actor.user_id, **data)
        company_data = CompanyOut.one(Company.objects.filter(pk=company.pk)) or {}
        data = {**company_data, "member": {"_id": member.pk, "status": member.status}}
        return self.success(data, **({} if _is_open(company) else {"warning": CLOSED}))


def _is_open(company: Company) -> bool:
    with company_scope(company.pk):
        try:
            entitlement(company.pk)
        except NamedError:
            return False
    return True
