"""Back office pages of the kernel, a file for each group of records."""

from core.events import admin as events_admin
from core.jobs import admin as jobs_admin
from core.messages import admin as messages_admin

__all__ = ["events_admin", "jobs_admin", "messages_admin"]
