"""Mails to the operator's staff about work for them."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q

from accounts.mails.services import Letter, queue_mails
from accounts.users.models import User

MAX_RECIPIENTS = 50
"""Staff who are written to at most."""


def mail_staff(*, subject: str, text: str, path: str, permission: str) -> int:
    """Mail the staff who hold the permission, in the caller's transaction. `path` leads into the back office.

    Returns their number. `permission` is such as billing.view_dispute.
    """
    app, _, codename = permission.partition(".")
    permission_filter = {"content_type__app_label": app, "codename": codename}
    own = Q(**{f"user_permissions__{name}": value for name, value in permission_filter.items()})
    by_group = Q(**{f"groups__permissions__{name}": value for name, value in permission_filter.items()})
    users = User.objects.filter(Q(is_superuser=True) | own | by_group, is_staff=True, is_active=True)
    people = list(users.distinct().order_by("pk")[:MAX_RECIPIENTS])
    context = {"subject": subject, "text": text, "address": f"{settings.BASE_URL}{path}"}
    queue_mails("staff_alert", [Letter(user.email, {**context, "name": user.get_short_name()}) for user in people])
    return len(people)
