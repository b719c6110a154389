"""Endpoints of one's own profile (contract 4.11)."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.members.selectors import memberships_of
from accounts.profile.serializers import MembershipBrief, ProfileOut, ProfileUpdate
from accounts.profile.services import update_profile
from accounts.users.models import User
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.tenancy import unscoped
from core.types import JsonObject


def _profile(user_id: str) -> JsonObject:
    profile = ProfileOut.one(User.objects.filter(pk=user_id)) or {}
    with unscoped(reason="profile: one's own memberships of all companies"):
        rows = list(MembershipBrief.project(memberships_of(user_id).order_by("created_at", "id")))
    return {**profile, "memberships": [MembershipBrief.render(row) for row in rows]}


class ProfileViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "Read one's profile",
        description="Name, address and preferences of the user, and their memberships.",
        output=ProfileOut,
    )
    def retrieve(self, request: Request) -> object:
        return _profile(self.actor.user_id)

    @endpoint(
        "Change one's profile",
        description="Values that are left out stay; layout is replaced as a whole, and columns list by list.",
        input=ProfileUpdate,
        output=ProfileOut,
        success="ProfileChanged_200",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        update_profile(user_id=self.actor.user_id, changes=data)
        return _profile(self.actor.user_id)
