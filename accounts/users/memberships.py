"""What domains below `members` know about memberships: the relation User.memberships and its statuses."""

from __future__ import annotations

from django.db import models


class MembershipStatus(models.TextChoices):
    """The status of a Member."""

    OWNER = "owner"
    INVITED = "invited"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    BLOCKED = "blocked"
    REMOVED = "removed"


SEATED = (MembershipStatus.OWNER, MembershipStatus.ACCEPTED, MembershipStatus.BLOCKED)
"""Memberships that take a seat; the company sees its user's logins."""
