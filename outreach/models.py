from outreach.ai.models import AiApp
from outreach.delivery.models import GenieSettings, SendJob, SendJobTransition
from outreach.genie.models import GenieScheduler
from outreach.lead_generation.models import LeadGeneration
from outreach.senders.models import Smtp
from outreach.suppression.models import Suppression

__all__ = [
    "AiApp",
    "GenieScheduler",
    "GenieSettings",
    "LeadGeneration",
    "SendJob",
    "SendJobTransition",
    "Smtp",
    "Suppression",
]
