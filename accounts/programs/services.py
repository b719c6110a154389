"""Partnerships, which the back office approves, and the referral program, which is open to everybody."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.mails.services import queue_mail
from accounts.programs.models import PartnerProgram, ReferProgram, Referral
from accounts.programs.referrals import link_of, make_code
from accounts.programs.rewards import claw_back_unpaid
from accounts.users.models import User
from core.errors import NamedError, ValidationFailed

Status = PartnerProgram.Status

DECISIONS: dict[str, tuple[str, ...]] = {
    Status.APPROVED: (Status.REQUESTED, Status.REJECTED, Status.REVOKED),
    Status.REJECTED: (Status.REQUESTED,),
    Status.REVOKED: (Status.APPROVED,),
}
"""Decision -> the statuses in which it is allowed."""

REFUSALS: dict[str, tuple[str, str]] = {
    Status.APPROVED: (
        "PartnerProgramAlreadyApproved_400",
        "you are a partner already; GET /partner-program shows your code",
    ),
    Status.REQUESTED: ("PartnerProgramAlreadyRequested_400", "your request waits for a decision"),
    Status.REVOKED: ("PartnerProgramRevoked_400", "your partnership was revoked and cannot be asked for again"),
}
"""Status -> why the user cannot request a partnership, as name and detail. After a rejection they can."""

ATTEMPTS = 5


@transaction.atomic
def request_partnership(*, user_id: str, request_note: str = "") -> PartnerProgram:
    """Request a partnership, for the first time or after a rejection.

    Raises PartnerProgramAlreadyApproved_400, PartnerProgramAlreadyRequested_400 or PartnerProgramRevoked_400.
    """
    now = timezone.now()
    fresh = PartnerProgram(user_id=user_id, request_note=request_note, requested_at=now)
    # Two requests at once create one row: the second meets the unique user,
    # and reads the first one's row below.
    PartnerProgram.objects.bulk_create([fresh], ignore_conflicts=True)
    program = PartnerProgram.objects.select_for_update().get(user_id=user_id)
    if program.pk == fresh.pk:
        return program
    if program.status in REFUSALS:
        name, detail = REFUSALS[program.status]
        raise NamedError(name, detail)
    program.status = Status.REQUESTED
    program.request_note = request_note
    program.requested_at = now
    program.decision_note = ""
    program.decided_at = None
    program.decided_by = None
    program.save()
    return program


@transaction.atomic
def approve_partnership(
    *, program_id: str, by: User, note: str = "", commission_percent: Decimal | None = None
) -> PartnerProgram:
    """Approve the partnership and mail the user. A former partner keeps the old code."""
    program = _decide(program_id, Status.APPROVED, by=by, note=note)
    if commission_percent is not None:
        program.commission_percent = commission_percent
    # A partner who comes back keeps the code, since links with it are out in the world.
    if program.code is None:
        program.code = _fresh_partner_code()
    program.save()
    percent = f"{program.commission_percent.normalize():f}"
    _mail_user(program, "partner_approved", code=program.code, link=link_of(program.code), percent=percent)
    return program


@transaction.atomic
def reject_partnership(*, program_id: str, by: User, note: str = "") -> PartnerProgram:
    """Reject the request and mail the user, who may request again."""
    program = _decide(program_id, Status.REJECTED, by=by, note=note)
    program.save()
    _mail_user(program, "partner_rejected")
    return program


@transaction.atomic
def revoke_partnership(*, program_id: str, by: User, note: str = "", claw_back: bool = False) -> PartnerProgram:
    """Revoke the partnership and mail the user. The code stops working and payments bring no new rewards.

    Existing rewards stay and mature as usual. `claw_back` claws back the unpaid ones.
    """
    program = _decide(program_id, Status.REVOKED, by=by, note=note)
    program.save()
    if claw_back:
        claw_back_unpaid(
            user_id=program.user_id,
            program=Referral.Program.PARTNER,
            by=by,
            note=note or "The partnership was revoked.",
        )
    _mail_user(program, "partner_revoked", clawed_back=claw_back)
    return program


def _decide(program_id: str, status: str, *, by: User, note: str) -> PartnerProgram:
    """Lock the partnership and return it in its new status, not saved yet.

    Raises ValidationFailed if the decision is not allowed.
    """
    program = PartnerProgram.objects.select_for_update(of=("self",)).select_related("user").get(pk=program_id)
    if program.status not in DECISIONS[status]:
        raise ValidationFailed(
            "the decision cannot be made", f"the partnership is {program.status} and cannot become {status}"
        )
    program.status = status
    program.decision_note = note
    program.decided_at = timezone.now()
    program.decided_by = by
    return program


def _fresh_partner_code() -> str:
    """Return an unused partner code; the unique constraint catches a race."""
    for _ in range(ATTEMPTS):
        code = make_code("P")
        if not PartnerProgram.objects.filter(code=code).exists():
            return code
    raise RuntimeError("no free partner code was found")


def _mail_user(program: PartnerProgram, kind: str, **context: Any) -> None:
    queue_mail(
        kind,
        to=program.user.email,
        context={"name": program.user.get_short_name(), "note": program.decision_note, **context},
    )


@transaction.atomic
def set_refer_program(*, user_id: str, status: str) -> ReferProgram | None:
    """Join or leave the referral program. Raises InvalidReferProgramStatus_400 for any other status.

    The first activation creates the code, which is kept. Returns None for a user who leaves without having joined.
    """
    if status not in ReferProgram.Status.values:
        raise NamedError(
            "InvalidReferProgramStatus_400", f"one of {', '.join(ReferProgram.Status.values)}", field="status"
        )
    for _ in range(ATTEMPTS):
        # Without a row there is nothing to lock; an insert that loses the race retries with the row.
        program = ReferProgram.objects.select_for_update().filter(user_id=user_id).first()
        if program is not None:
            program.status = status
            program.save(update_fields=["status", "updated_at"])
            return program
        if status == ReferProgram.Status.INACTIVE:
            return None
        # A conflict means that the code is taken, or that a concurrent request has joined; the loop tries again.
        ReferProgram.objects.bulk_create([ReferProgram(user_id=user_id, code=make_code("R"))], ignore_conflicts=True)
    raise RuntimeError("no free referral code was found")
