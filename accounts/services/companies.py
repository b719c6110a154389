"""Companies and their owners."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Company, Member, User
from core.companies import furnish_company
from core.tenancy import company_scope


@transaction.atomic
def create_company(*, name: str, owner: User, **profile: Any) -> tuple[Company, Member]:
    """A company with its owner, and with what the apps give to each new one."""
    company = Company.objects.create(name=name, email=profile.pop("email", owner.email), **profile)
    with company_scope(company.pk):
        member = Member.objects.create(
            user=owner, status=Member.Status.OWNER, name=owner.name, email=owner.email, accepted_at=timezone.now()
        )
        furnish_company()
    return company, member
