"""The registrations of saved views."""

from __future__ import annotations

from accounts.members.services import members_removed
from crm.saved_views.services import forget_views

members_removed.connect(forget_views)
