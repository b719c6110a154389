from core.announcements.models import Announcement
from core.events.models import Event, EventDelivery, ObjectSequence
from core.hold.models import Hold
from core.idempotency.models import IdempotencyKey
from core.jobs.models import Claimable, ClaimPolicy, CompanyWork, Job, TaskSchedule
from core.messages.models import ResponseMessage
from core.tenancy.models import BaseModel, CompanyManager, CompanyModel, CompanyQuerySet, CompanyRow, MaybeCompanyRow

__all__ = [
    "Announcement",
    "BaseModel",
    "ClaimPolicy",
    "Claimable",
    "CompanyManager",
    "CompanyModel",
    "CompanyQuerySet",
    "CompanyRow",
    "CompanyWork",
    "Event",
    "EventDelivery",
    "Hold",
    "IdempotencyKey",
    "Job",
    "MaybeCompanyRow",
    "ObjectSequence",
    "ResponseMessage",
    "TaskSchedule",
]
