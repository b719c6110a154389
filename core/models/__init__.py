from core.models.base import BaseModel, CompanyManager, CompanyModel, CompanyQuerySet, CompanyRow
from core.models.events import Event, EventDelivery
from core.models.jobs import Claimable, ClaimPolicy, Job
from core.models.messages import ResponseMessage

__all__ = [
    "BaseModel",
    "ClaimPolicy",
    "Claimable",
    "CompanyManager",
    "CompanyModel",
    "CompanyQuerySet",
    "CompanyRow",
    "Event",
    "EventDelivery",
    "Job",
    "ResponseMessage",
]
