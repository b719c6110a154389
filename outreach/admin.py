"""Back office pages of outreach; each domain has its own."""

from outreach.ai import admin as ai
from outreach.delivery import admin as delivery
from outreach.genie import admin as genie
from outreach.lead_generation import admin as lead_generation
from outreach.senders import admin as senders
from outreach.suppression import admin as suppression

__all__ = ["ai", "delivery", "genie", "lead_generation", "senders", "suppression"]
