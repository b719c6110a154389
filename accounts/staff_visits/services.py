"""Visits: a staff member sees a company as its own people do, for an hour, after giving a reason."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.members.notices import notify
from accounts.staff_visits.models import StaffVisit, StaffVisitPage
from accounts.users.models import User
from core.errors import ValidationFailed
from core.tenancy import company_scope

LENGTH = timedelta(hours=1)
MIN_REASON = 10
MAX_REASON = 500
NOTICE = "staff.visited"
PERMISSION = "accounts.add_staffvisit"
OVER = "This visit is over. Open the company again with a reason to go on."


@transaction.atomic
def open_visit(*, staff: User, company_id: str, reason: str) -> StaffVisit:
    """Open a visit, which ends an earlier one of the same person to the same company.

    Raises ValidationFailed for a reason that is too short or too long.
    """
    reason = " ".join(reason.split())
    if not MIN_REASON <= len(reason) <= MAX_REASON:
        raise ValidationFailed("reason", f"Say why in {MIN_REASON} to {MAX_REASON} characters.")
    now = timezone.now()
    with company_scope(company_id):
        _open(StaffVisit.objects.filter(staff=staff)).update(ended_at=now, updated_at=now)
        visit: StaffVisit = StaffVisit.objects.create(staff=staff, reason=reason, expires_at=now + LENGTH)
        notify(NOTICE, {"visit": visit, "company": visit.company, "staff_name": staff.get_full_name()})
    return visit


def note_page(*, visit: StaffVisit, path: str) -> None:
    """Record an opened page."""
    with company_scope(visit.company_id):
        StaffVisitPage.objects.create(visit=visit, path=path[:500])


def note_page_once(*, visit: StaffVisit, path: str) -> None:
    """Record an opened page, unless it is the one that was opened last: pages renew parts of themselves."""
    with company_scope(visit.company_id):
        last = StaffVisitPage.objects.filter(visit=visit).order_by("-id").values_list("path", flat=True).first()
    if last != path[:500]:
        note_page(visit=visit, path=path)


def open_visit_of(*, staff: User, company_id: str) -> StaffVisit | None:
    """Return the open visit of a staff member to a company, or None."""
    with company_scope(company_id):
        return _open(StaffVisit.objects.filter(staff=staff)).select_related("company", "staff").first()


def end_visit(*, visit: StaffVisit) -> bool:
    """End the visit now. Returns False if it has ended before."""
    now = timezone.now()
    with company_scope(visit.company_id):
        return bool(_open(StaffVisit.objects.filter(pk=visit.pk)).update(ended_at=now, updated_at=now))


def _open(visits: QuerySet[StaffVisit]) -> QuerySet[StaffVisit]:
    return visits.filter(ended_at__isnull=True, expires_at__gt=timezone.now())
