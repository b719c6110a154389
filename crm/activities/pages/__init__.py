"""The pages of follow-ups and calls."""

from __future__ import annotations

from crm.activities.pages.calls import Calls, EditCall, NewCall
from crm.activities.pages.follow_ups import EditFollowUp, FollowUps, NewFollowUp
from crm.activities.pages.task_record import PickTaskRecord

PAGES = [FollowUps, NewFollowUp, PickTaskRecord, EditFollowUp, Calls, NewCall, EditCall]
