"""New companies with their owners."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone as clock

from accounts.companies.models import Company
from accounts.companies.services import check_timezone, phone_columns
from accounts.members.models import Member
from accounts.settings.services import update_settings
from accounts.users.models import User
from core.tenancy import company_scope
from core.tenancy.provisioning import company_opened, provision_company
from core.text.addresses import Phone


@transaction.atomic
def create_company(*, name: str, owner: User, currency: str = "", **profile: Any) -> tuple[Company, Member]:
    """Create a company with its owner and with everything that apps provide for new companies."""
    company = Company.objects.create(name=name, email=profile.pop("email", owner.email), **profile)
    with company_scope(company.pk):
        member = Member.objects.create(
            user=owner, status=Member.Status.OWNER, name=owner.name, email=owner.email, accepted_at=clock.now()
        )
        provision_company()
        if currency:
            update_settings(changes={"currency": currency})
        company_opened.send()
    return company, member


def open_company(
    *, user_id: str, name: str, email: str, contact_number: Phone, timezone: str
) -> tuple[Company, Member]:
    """Create a further company of a user, who owns it. Raises InvalidTimezone_400."""
    check_timezone(timezone)
    owner = User.objects.get(pk=user_id)
    return create_company(name=name, owner=owner, email=email, timezone=timezone, **phone_columns(contact_number))
