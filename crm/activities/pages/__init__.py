"""The pages of follow-ups and calls."""

from __future__ import annotations

from crm.activities.pages.calls import Calls, EditCall, NewCall
from crm.activities.pages.follow_ups import EditFollowUp, FollowUps, NewFollowUp

PAGES = [FollowUps, NewFollowUp, EditFollowUp, Calls, NewCall, EditCall]
