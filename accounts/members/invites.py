"""Invites: sent, sent again, accepted, declined, expired. Each has exactly one outcome under any concurrency."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.auth.limits import REDEMPTIONS
from accounts.auth.links import InvalidLink, make_token, page_address, read_token
from accounts.auth.passwords.services import check_strength
from accounts.mails.services import queue_mail
from accounts.members.authority import check_members
from accounts.members.membership_log import Action, record
from accounts.members.models import Member
from accounts.members.notices import notify
from accounts.members.selectors import addressed_to
from accounts.members.services import lock_member, not_found
from accounts.roles.authority import find_role, forbid_escalation, lock_company, reload_actor
from accounts.users.memberships import SEATED
from accounts.users.models import User
from accounts.users.services import end_sessions
from core.access import Actor, reserve_quota
from core.access.attempts import Limit
from core.access.callers import Caller
from core.errors import NamedError
from core.ids import new_id
from core.tenancy import company_id, company_scope, unscoped

Status = Member.Status

PURPOSE = "invite"
LINK_LIFETIME = timedelta(days=365)
"""Time for which a link can be read at all; the membership has the expiry of the invite."""
PER_ADDRESS = Limit("invite", most=10, seconds=3600)
PER_COMPANY = Limit("invites", most=500, seconds=3600)
"""Invites are mailed in the service's name to people who have not asked for them."""
BATCH = 500


def invite_member(*, actor: Actor, email: str, name: str = "", role_id: str | None = None) -> Member:
    """Invite a person by mail. A removed, declined or expired membership of the address is used again.

    Raises MemberAlredyExists_400, RoleNotFound_404, DefaultRoleNotFound_404 and TooManyAttempts. Raises
    PlanMaxUsers_400 without a free seat, and UnauthorizedAction_403 for a role beyond the actor's own.
    """
    email = email.lower()
    # Before the transaction, so that a refused invite counts as well: the mail
    # is what strangers are protected from.
    _count(email)
    with transaction.atomic():
        # The actor's role may have been lowered between the authentication of the request and this lock.
        actor = reload_actor(actor)
        role = find_role(role_id)
        forbid_escalation(actor, role.permission, "the role permits", role.own_modules)
        member = _free_membership(email)
        reserve_quota("member")
        member.user = None
        member.role = role
        member.name = name or member.name
        _send(member, actor)
        record(Action.INVITED, [member], by=actor.member_id or None)
    return member


def _free_membership(email: str) -> Member:
    """Return the former membership of the address, or a new one. Raises MemberAlredyExists_400 while it has a seat."""
    former = Member.objects.select_for_update(no_key=True).filter(email=email).first()
    if former is not None and is_live(former):
        raise NamedError(
            "MemberAlredyExists_400",
            f"{email} is invited; send that invite again",
            field="email",
            operation=f"POST /member/{former.pk}/resend",
        )
    # A member may have changed their address since, so both the invited and the present one are compared.
    seated = Member.objects.filter(Q(email=email) | Q(user__email=email), status__in=SEATED).first()
    if seated is not None:
        raise NamedError(
            "MemberAlredyExists_400", f"enter another address; {email} is a member or invited", field="email"
        )
    return former or Member(email=email)


def resend_invite(*, actor: Actor, id: str) -> Member:
    """Mail an open or expired invite again, with a new link and a new expiry. The old link becomes invalid.

    Raises MemberNotFound_404, MemberNotInvited_400, PlanMaxUsers_400, UnauthorizedAction_403 and TooManyAttempts.
    """
    _count(id)
    with transaction.atomic():
        actor = reload_actor(actor)
        member = lock_member(id)
        if member.status not in (Status.INVITED, Status.EXPIRED):
            raise NamedError(
                "MemberNotInvited_400",
                f"the membership is {member.status}; only an open or expired invite is sent again",
            )
        if member.role is None:
            member.role = find_role(None)
        check_members(actor, [member])
        if not is_live(member):
            reserve_quota("member")
        _send(member, actor)
        record(Action.RESENT, [member], by=actor.member_id or None)
    return member


def _count(receiver: str) -> None:
    PER_COMPANY.count(company_id())
    PER_ADDRESS.count(f"{company_id()}:{receiver}")


def _send(member: Member, actor: Actor) -> None:
    now = timezone.now()
    member.status = Status.INVITED
    member.invited_at = now
    member.invited_by_id = actor.member_id or member.invited_by_id  # staff have no membership
    # A new nonce makes every earlier link invalid, since the link is signed over it.
    member.invite_nonce = new_id()
    member.invite_expires_at = now + settings.INVITE_LIFETIME
    member.accepted_at = None
    member.save()
    context = {
        "member": member,
        "company": member.company,
        "inviter": member.invited_by,
        "role": member.role,
        "link": link_of(member),
    }
    queue_mail("invite", to=member.email, context=context, company_id=member.company_id)


def link_of(member: Member) -> str:
    """Return the link of the invite."""
    return page_address("invite", make_token(PURPOSE, member.pk, member.invite_nonce))


def is_live(member: Member) -> bool:
    """Return whether the invite can be accepted now."""
    return member.status == Status.INVITED and (
        member.invite_expires_at is None or member.invite_expires_at > timezone.now()
    )


def read_invite(token: str) -> Member:
    """Return the open invite of a link, with its company, role and inviter. Raises InvalidLink, InviteExpired_400."""
    with unscoped(reason="invites: the link says which company it is"):
        member = read_token(PURPOSE, token, LINK_LIFETIME, _find)
    _check_open(member)
    return member


def _find(member_id: str) -> tuple[Member, str] | None:
    member = (
        Member.objects.select_related("company", "role", "invited_by")
        .filter(pk=member_id)
        .exclude(invite_nonce="")
        .first()
    )
    return (member, member.invite_nonce) if member else None


def _check_open(member: Member) -> None:
    if member.status == Status.EXPIRED or (member.status == Status.INVITED and not is_live(member)):
        raise NamedError("InviteExpired_400", "ask the company to send it again")
    if member.status != Status.INVITED:
        raise not_found()


def account_of(member: Member) -> User | None:
    """Return the verified account of the invited address.

    An unverified account belongs to no one until a mail has been read.
    """
    return User.objects.filter(email=member.email, email_verified_at__isnull=False).first()


@transaction.atomic
def accept_as_new_user(*, token: str, name: str, password: str, caller: Caller) -> User:
    """Create the invited person's account and accept the invite with it. Returns the user.

    The account is verified, since the link came by mail. Raises InvalidLink, InviteExpired_400, ValidationFailed for a
    weak password, BadRequest_400 if the address has an account, and TooManyAttempts.
    """
    REDEMPTIONS.count(caller.network)
    invite = read_invite(token)
    with company_scope(invite.company_id):
        lock_company()
        member = lock_member(invite.pk)
        if member.invite_nonce != invite.invite_nonce:
            raise InvalidLink("it was used already, or another one has been sent since")
        _check_open(member)
        user = _make_user(member.email, name or member.name, password)
        _accept(member, user)
    return user


def _make_user(email: str, name: str, password: str) -> User:
    """Create the person's account. An unverified account of the address is taken over and its sessions end."""
    exists = NamedError("BadRequest_400", "this address has an account; log in with it and accept the invite there")
    user = User.objects.select_for_update(no_key=True).filter(email=email).first()
    # An existing account is entered by its own password. The link proves only that a mail was read.
    if user is not None and (user.email_verified_at is not None or not user.is_active):
        raise exists
    fresh = user or User(email=email)
    fresh.name = name
    check_strength(password, fresh)
    if user is None:
        try:
            with transaction.atomic():
                return User.objects.create_user(email, password, name=name, email_verified_at=timezone.now())
        except IntegrityError:
            # The address was registered at the same time. The savepoint keeps the
            # transaction usable for the answer.
            raise exists from None
    user.email_verified_at = timezone.now()
    user.set_password(password)
    user.save()
    # Another person may have registered the address without being able to read its mails.
    end_sessions(user_id=user.pk)
    user.refresh_from_db()
    return user


@transaction.atomic
def decline_invite(*, token: str) -> None:
    """Decline the invite of a link. Raises InvalidLink, InviteExpired_400."""
    invite = read_invite(token)
    with company_scope(invite.company_id):
        lock_company()
        member = lock_member(invite.pk)
        if member.invite_nonce != invite.invite_nonce:
            raise InvalidLink("it was used already, or another one has been sent since")
        _check_open(member)
        _decline(member)


@transaction.atomic
def answer_invite(*, user_id: str, member_id: str, status: str | None) -> Member:
    """Accept or reject an invite to the user; `status` is accepted or rejected.

    Raises InvalidInviteStatus_400, MemberNotFound_404 if no open invite of the user has the id, and InviteExpired_400.
    """
    if status not in (Status.ACCEPTED, Status.REJECTED):
        raise NamedError("InvalidInviteStatus_400", "accepted or rejected", field="status")
    with unscoped(reason="invites: to one person, from whatever company"):
        inviting_company = (
            Member.objects.filter(addressed_to(user_id), pk=member_id).values_list("company_id", flat=True).first()
        )
    if inviting_company is None:
        raise not_found()
    with company_scope(inviting_company):
        lock_company()
        member = lock_member(member_id)
        _check_open(member)
        if status == Status.ACCEPTED:
            _accept(member, User.objects.get(pk=user_id))
        else:
            _decline(member)
    return member


def _accept(member: Member, user: User) -> None:
    others = Member.objects.filter(user=user).exclude(pk=member.pk)
    if others.filter(status__in=SEATED).exists():
        raise NamedError("MemberAlredyExists_400", "you are a member of this company already, under another address")
    others.update(user=None)
    member.user = user
    member.status = Status.ACCEPTED
    member.accepted_at = timezone.now()
    member.name = member.name or user.name
    member.role = member.role or find_role(None)
    _close(member)
    record(Action.ACCEPTED, [member], by=member.pk)
    notify(
        "member.joined", {"joined": member, "company": member.company, "role": member.role}, about=("member", member.pk)
    )


def _decline(member: Member) -> None:
    member.status = Status.REJECTED
    _close(member)
    record(Action.REJECTED, [member], by=member.pk)


def _close(member: Member) -> None:
    member.invite_nonce = ""
    member.invite_expires_at = None
    member.save()


def expire_invites() -> bool:
    """Mark at most BATCH expired invites. Returns whether there may be more."""
    invites = Member.objects.filter(status=Status.INVITED, invite_expires_at__lte=timezone.now()).order_by(
        "invite_expires_at"
    )
    # Skip an invite that another transaction answers or sends again right now.
    members = list(invites.select_for_update(skip_locked=True, no_key=True)[:BATCH])
    Member.objects.filter(pk__in=[member.pk for member in members]).update(
        status=Status.EXPIRED, updated_at=timezone.now()
    )
    for member in members:
        member.status = Status.EXPIRED
    record(Action.EXPIRED, members, by=None)
    return len(members) == BATCH
