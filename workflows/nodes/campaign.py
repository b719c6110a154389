"""The node that adds contacts to a campaign."""

from __future__ import annotations

from pydantic import Field, field_validator

from core.errors import ApiError
from outreach.runs.campaigns.enrolment import join_campaign
from outreach.runs.campaigns.models import Campaign
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.recipients import HANDLES, outcome_of, recipients
from workflows.nodes.records import fail_by
from workflows.nodes.references import checked_ids

Status = Campaign.Status
OVER = (Status.COMPLETED, Status.CANCELLED, Status.FAILED)


class CampaignConfig(NodeConfig):
    main = ("campaign",)

    campaign: str = Field(json_schema_extra={"x-widget": "campaign", "x-source": "/campaign"})
    to: str = Field(
        default="",
        max_length=500,
        description="A contact's id, or the email address of one; empty: the run's contact.",
        json_schema_extra={"x-widget": "expression"},
    )

    @field_validator("campaign")
    @classmethod
    def _id(cls, id: str) -> str:
        return checked_ids([id])[0]


def _campaign(batch: NodeBatch) -> None:
    pairs = recipients(batch)
    if not pairs:
        return
    contacts = {contact.pk: contact for _, contact in pairs}
    # The first of several runs of a contact is the one that its message belongs to.
    runs = {contact.pk: item.run.id for item, contact in reversed(pairs)}
    try:
        done = join_campaign(id=batch.config.campaign, contacts=list(contacts.values()), workflow_runs=runs)
    except ApiError as error:
        for item, _ in pairs:
            fail_by(item, error)
        return
    for item, contact in pairs:
        status, reason, id = done[contact.pk]
        item.outcome = (
            outcome_of(id, status, reason) if id else Outcome(output={"id": None, "status": "", "reason": ""})
        )


def _problems(config: CampaignConfig) -> list[tuple[str, str, str]]:
    campaign = Campaign.objects.filter(pk=config.campaign, is_deleted=False).first()
    if campaign is None:
        return [("campaignMissing", "campaign", "there is no such campaign in this company")]
    if campaign.status in OVER:
        return [("campaignOver", "campaign", f"the campaign is {campaign.status}; nobody joins it any more")]
    return []


CAMPAIGN = NodeType(
    "campaign",
    "messages",
    "Campaign",
    "Adds the contact of the run to a campaign that has not begun, or is under way.",
    CampaignConfig,
    _campaign,
    handles=lambda config: HANDLES,
    # Its handles and errors show whether there is a contact with the address.
    needs=lambda config: ("campaign.PUT", "contact.GET") if config.to else ("campaign.PUT",),
    icon="campaign",
    templates=("to",),
    check=_problems,
    writes=True,
    outputs={"id": "id", "status": "text", "reason": "text"},
    effect=effects.of_campaign,
)
TYPES = (CAMPAIGN,)
