"""Addresses of members, memberships and invites."""

from __future__ import annotations

from accounts.members.invite_views import (
    AcceptInviteViewSet,
    DeclineInviteViewSet,
    InviteAnswerViewSet,
    InviteLogViewSet,
    InviteViewSet,
    MembershipViewSet,
    OwnInviteViewSet,
)
from accounts.members.views import MemberViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("member", MemberViewSet)
    router.register("logs/invite", InviteLogViewSet)


def register_private(router: ResourceRouter) -> None:
    router.register("invites", OwnInviteViewSet)
    router.register("invite/<str:id>", InviteAnswerViewSet)
    router.register("memberships", MembershipViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("invite", InviteViewSet)
    router.register("accept-invite", AcceptInviteViewSet)
    router.register("decline-invite", DeclineInviteViewSet)
