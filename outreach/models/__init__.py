from outreach.models.apps import AiApp, Smtp
from outreach.models.lead_generation import LeadGeneration
from outreach.models.messages import SendJob, SendJobTransition, Suppression
from outreach.models.runs import GenieScheduler, GenieSettings

__all__ = ["AiApp", "GenieScheduler", "GenieSettings", "LeadGeneration", "SendJob", "SendJobTransition", "Smtp", "Suppression"]
