"""Makers of rows of accounts."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.utils import timezone

from accounts.api_keys.services import add_key
from accounts.models import (
    ApiKey,
    Company,
    CompanySettings,
    InviteLog,
    LoginLog,
    Mail,
    Member,
    Notification,
    PartnerProgram,
    ReferProgram,
    Referral,
    RefreshToken,
    Reward,
    RewardTransition,
    Role,
    ServerLog,
    StaffVisit,
    StaffVisitPage,
    User,
)
from core.ids import new_id
from tests.accounts.programs.helpers import bring, make_partner, make_referrer, rewarded
from tests.guards.backoffice_rows.shared import HASHES, SECRET, Makers, in_other_company
from tests.kit.factories import CompanyFactory, MemberFactory, RoleFactory, UserFactory


def make_token(n: int) -> RefreshToken:
    return RefreshToken.objects.create(
        user=UserFactory(),
        token_hash=HASHES[:56] + f"{n:08d}",
        family=new_id(),
        session_version=1,
        expires_at=timezone.now(),
    )


def make_visit(n: int) -> StaffVisit:
    return StaffVisit.objects.create(
        staff=UserFactory(is_staff=True), reason=f"Ticket {n}: no rows", expires_at=timezone.now()
    )


ROWS: Makers = {
    Group: lambda n: Group.objects.create(name=f"Group {n}"),
    User: lambda n: UserFactory(password=SECRET),
    Company: lambda n: CompanyFactory(),
    InviteLog: lambda n: InviteLog.objects.create(
        member=MemberFactory(), email=f"new{n}@example.org", action=InviteLog.Action.INVITED
    ),
    Role: lambda n: RoleFactory(permission={"contact": {"GET": True}}),
    Member: lambda n: MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory()),
    ApiKey: lambda n: add_key(f"{SECRET}{n:04d}", member_id=MemberFactory().pk),
    RefreshToken: make_token,
    Mail: lambda n: Mail.objects.create(
        kind="invite", to=f"guest{n}@example.org", subject=f"Join {n}", text=SECRET, html=SECRET
    ),
    ServerLog: lambda n: ServerLog.objects.create(
        auth_path="key",
        method="GET",
        route="/contact",
        path=f"/contact/{n}",
        status=200,
        duration_ms=n,
        user=UserFactory(),
        member=MemberFactory(),
    ),
    Notification: lambda n: Notification.objects.create(
        member=MemberFactory(), kind="import.finished", text=f"Import {n} is done"
    ),
    LoginLog: lambda n: LoginLog.objects.create(
        user=UserFactory(), email=f"user{n}@example.org", status=LoginLog.Status.FAILED
    ),
    StaffVisit: make_visit,
    StaffVisitPage: lambda n: StaffVisitPage.objects.create(visit=make_visit(n), path=f"/contact/{n}"),
    PartnerProgram: lambda n: make_partner(),
    ReferProgram: lambda n: make_referrer(),
    CompanySettings: lambda n: in_other_company(lambda: CompanySettings.objects.create(app_name=f"App {n}")),
    Referral: lambda n: bring(make_referrer().code),
    Reward: lambda n: rewarded(),
    RewardTransition: lambda n: RewardTransition.objects.get(reward=rewarded()),
}
