from core.events.models import Event, EventDelivery
from core.jobs.models import Claimable, ClaimPolicy, CompanyWork, Job, TaskSchedule
from core.models.base import BaseModel, CompanyManager, CompanyModel, CompanyQuerySet, CompanyRow, MaybeCompanyRow
from core.models.messages import ResponseMessage

__all__ = [
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
    "Job",
    "MaybeCompanyRow",
    "ResponseMessage",
    "TaskSchedule",
]
