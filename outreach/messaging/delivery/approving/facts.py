"""Current facts for the evidence of a message, as its writer would get them."""

from __future__ import annotations

from outreach.connections.ai.briefs import ContactBriefs, company_brief
from outreach.connections.ai.evidence import facts_of
from outreach.connections.ai.providers import ComposeBrief
from outreach.messaging.delivery.models import SendJob


def facts_about(job: SendJob) -> dict[str, str]:
    """Return name of the fact -> value, for a message that comes with contact, sender and run joined."""
    (contact,) = ContactBriefs.load().briefs_for([job.contact])
    company = company_brief(job.sender.from_name if job.sender else "")
    prompt = job.run.request if job.run else ""
    return facts_of(
        ComposeBrief(
            contact=contact,
            company=company,
            prompt=prompt,
            hint=job.hint,
            step=job.step,
            occurrence=job.occurrence,
        )
    )
