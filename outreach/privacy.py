"""The tables of outreach with personal data; each domain declares its own."""

from __future__ import annotations

from outreach.delivery import privacy as delivery
from outreach.lead_generation import privacy as lead_generation
from outreach.senders import privacy as senders
from outreach.suppression import privacy as suppression


def register_personal_data_tables() -> None:
    """Register the tables of all domains, when Django is ready."""
    for domain in (delivery, lead_generation, senders, suppression):
        domain.register_tables()
