"""The work of forgetting visitors of websites."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from outreach.chat.widgets.visitors import forget_old

register(PeriodicTask("outreach.old_widget_visitors", forget_old, every=timedelta(hours=1)))
