"""Messages of a restored copy that the original may have sent since."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from core.tenancy import company_scope, unscoped
from outreach.messaging.delivery.ledger import transition_all
from outreach.messaging.delivery.models import SendJob


def mark_due_unknown(until: datetime) -> int:
    """Make approved messages that were due by then `unknown`, for people to decide. Returns their number."""
    due = Q(status=SendJob.Status.APPROVED, due_at__lte=until)
    # Rows are changed company by company, below, as themselves; only the list of companies needs all of them.
    with unscoped(reason="release of a restored copy: companies with messages that are due"):
        # Without it the model's default order would join the columns of DISTINCT.
        companies = list(SendJob.objects.filter(due).order_by().values_list("company_id", flat=True).distinct())
    number = 0
    for company in companies:
        # One transaction for each company, so that a release that is cut off keeps what it has done.
        with company_scope(company), transaction.atomic():
            number += transition_all(SendJob.objects.filter(due), to=SendJob.Status.UNKNOWN, reason="restored")
    return number
