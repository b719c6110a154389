"""The registrations of members."""

from __future__ import annotations

from datetime import timedelta

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.members.filters import MEMBERSHIP_FIELDS
from accounts.members.invite_views import (
    AcceptInviteViewSet,
    DeclineInviteViewSet,
    InviteAnswerViewSet,
    InviteLogViewSet,
    InviteViewSet,
    MembershipViewSet,
    OwnInviteViewSet,
)
from accounts.members.invites import expire_invites
from accounts.members.readers import Browsers
from accounts.members.selectors import colleagues, seats
from accounts.members.views import MemberViewSet
from accounts.settings.notices import Notice, register_notice
from core.access import count_usage
from core.api.routes import private, protected, public
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, register
from core.text.translation import gettext_lazy
from core.web.readers import set_source

protected.register("member", MemberViewSet)
protected.register("logs/invite", InviteLogViewSet)
private.register("invites", OwnInviteViewSet)
private.register("invite/<str:id>", InviteAnswerViewSet)
private.register("memberships", MembershipViewSet)
public.register("invite", InviteViewSet)
public.register("accept-invite", AcceptInviteViewSet)
public.register("decline-invite", DeclineInviteViewSet)
register(PeriodicTask("invites.expire", expire_invites, every=timedelta(minutes=5)))
count_usage("member", seats, error="PlanMaxUsers_400")
register_first_step(FirstStep("members", colleagues, 3))
register_notice(Notice("member.joined", gettext_lazy("Invite accepted"), "notice_member_joined"))
set_source(Browsers())
register_kind(
    Kind("member", "member", lambda actor: seats(), MEMBERSHIP_FIELDS.pick("name", "email"), "name", "email", 70)
)
