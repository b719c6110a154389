"""Endpoints of invites and of a user's own memberships (contract 4.11), and of the invite log (4.6)."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.auth.sessions.serializers import Session, session_answer
from accounts.auth.sessions.services import sign_in
from accounts.members.filters import INVITE_LOG_FIELDS, MEMBERSHIP_FIELDS
from accounts.members.invite_serializers import InviteAccept, InviteAnswer, InviteLogOut, InviteOut, InviteToken
from accounts.members.invites import accept_as_new_user, account_of, answer_invite, decline_invite, read_invite
from accounts.members.models import InviteLog, Member
from accounts.members.selectors import invites_of, memberships_of
from accounts.members.serializers import MembershipDetail, MembershipOut
from accounts.members.services import leave_company, not_found
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.tenancy import unscoped
from core.types import JsonObject

OWN = "a person's own memberships, in whatever company"
DEAD_LINK = "A link that was used, replaced, withdrawn or tampered with is a 400."


class OwnInviteViewSet(ResourceViewSet):
    private = True
    listing = Listing(
        "List one's open invites",
        lambda asked: invites_of(asked.actor.user_id),
        MEMBERSHIP_FIELDS,
        MembershipOut,
        unscoped=OWN,
        description="Those to one's verified address, of all companies.",
    )


class InviteAnswerViewSet(ResourceViewSet):
    private = True

    @endpoint(
        "Accept or reject an invite",
        input=InviteAnswer,
        output=MembershipOut,
        success="InviteAnswered_200",
        errors=("InvalidInviteStatus_400", "InviteExpired_400", "MemberNotFound_404", "MemberAlredyExists_400"),
    )
    def create(self, request: Request, id: str, data: JsonObject) -> object:
        answer_invite(user_id=self.actor.user_id, member_id=id, status=data.get("status"))
        with unscoped(reason=OWN):
            return MembershipOut.one(Member.objects.filter(pk=id))


class MembershipViewSet(ResourceViewSet):
    private = True
    listing = Listing(
        "List one's memberships",
        lambda asked: memberships_of(asked.actor.user_id),
        MEMBERSHIP_FIELDS,
        MembershipOut,
        unscoped=OWN,
        description="Of all companies, whatever their status.",
    )

    @endpoint("Read one's membership", output=MembershipDetail, errors=("MemberNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        with unscoped(reason=OWN):
            membership = MembershipDetail.one(memberships_of(self.actor.user_id).filter(pk=id))
        if membership is None:
            raise not_found()
        return membership

    @endpoint(
        "Leave a company",
        success="CompanyLeft_200",
        errors=("MemberNotFound_404", "BadRequest_400"),
        description="The membership is removed, whatever its role; the last owner stays.",
    )
    def destroy(self, request: Request, id: str) -> None:
        leave_company(user_id=self.actor.user_id, member_id=id)


class InviteViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Read the invite of a link",
        input=InviteToken,
        output=InviteOut,
        errors=("InviteExpired_400",),
        description=f"What the link in an invite's mail is for. {DEAD_LINK}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        member = read_invite(data["token"])
        with unscoped(reason="invites: the link says which company it is"):
            invite = InviteOut.one(Member.objects.filter(pk=member.pk))
        return invite and {**invite, "hasAccount": account_of(member) is not None}


class AcceptInviteViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Accept an invite as a new user",
        input=InviteAccept,
        output=Session,
        success="InviteAccepted_201",
        limited=True,
        errors=("InviteExpired_400", "MemberNotFound_404", "BadRequest_400"),
        description=f"Makes the account, verified by the mail, and answers a session as a login does. {DEAD_LINK}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        caller = caller_of(request)
        user = accept_as_new_user(
            token=data["token"], name=data.get("name", ""), password=data["password"], caller=caller
        )
        return session_answer(user, sign_in(user=user, caller=caller, reason="accepted an invite"))


class DeclineInviteViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Decline the invite of a link",
        input=InviteToken,
        success="InviteDeclined_200",
        errors=("InviteExpired_400", "MemberNotFound_404"),
        description=DEAD_LINK,
    )
    def create(self, request: Request, data: JsonObject) -> None:
        decline_invite(token=data["token"])


class InviteLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing(
        "List changes of memberships",
        InviteLog.objects.all,
        INVITE_LOG_FIELDS,
        InviteLogOut,
        description="From the invite on; filter by action, email, role.",
    )
