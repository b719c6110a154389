"""The registrations of activities."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.activities.call_views import CallLogViewSet
from crm.activities.follow_up_views import FollowUpViewSet
from crm.activities.follow_ups import REMINDER
from crm.activities.models import FollowUp
from crm.activities.overdue import OVERDUE, OVERDUE_NOTICE
from crm.activities.reminders import due_reminders, register_reminder, remind
from crm.activities.services import READERS, record
from crm.activities.views import LeadActivityViewSet

protected.register("lead-activity", LeadActivityViewSet)
protected.register("lead-activity/follow-up", FollowUpViewSet)
protected.register("calllog", CallLogViewSet)
register(EventConsumer("activities", record, kinds=READERS))
register(QueueWork("reminders", remind, due_rows=due_reminders, queue="send", task="crm.send_reminders"))
register_notice(OVERDUE)
register_reminder(FollowUp, REMINDER)
register_reminder(FollowUp, OVERDUE_NOTICE)
