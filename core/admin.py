"""Back office pages of core; each domain has its own."""

from core.announcements import admin as announcements_admin
from core.events import admin as events_admin
from core.idempotency import admin as idempotency_admin
from core.jobs import admin as jobs_admin
from core.messages import admin as messages_admin

__all__ = ["announcements_admin", "events_admin", "idempotency_admin", "jobs_admin", "messages_admin"]
