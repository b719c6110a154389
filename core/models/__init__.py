from core.messages.models import ResponseMessage
from core.models.base import BaseModel, CompanyManager, CompanyModel, CompanyQuerySet, CompanyRow, MaybeCompanyRow
from core.models.events import Event, EventDelivery
from core.models.jobs import Claimable, ClaimPolicy, CompanyWork, Job
from core.models.periodic import Chore

__all__ = [
    "BaseModel",
    "Chore",
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
]
