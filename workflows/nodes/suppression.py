"""The node that adds contacts to the suppression list."""

from __future__ import annotations

from pydantic import Field

from crm.contacts.selectors import live_contacts
from outreach.messaging.suppression.services import normal, suppress
from workflows.expressions.filters import text_value
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome
from workflows.nodes.records import with_record

MAX_SOURCE = 200


class SuppressConfig(NodeConfig):
    source: str = Field(
        default="",
        max_length=MAX_SOURCE,
        description="Why, as the list shows it; empty: the workflow's name.",
        json_schema_extra={"x-widget": "expression"},
    )


def _suppress(batch: NodeBatch) -> None:
    pairs = with_record(batch, "contact")
    addresses = dict(live_contacts().filter(pk__in=[id for id, _ in pairs]).values_list("pk", "email"))
    for id, item in pairs:
        email = normal(addresses.get(id))
        if email is None:
            item.fail("missing", "the contact has no email address")
            continue
        source = text_value(batch.render("source", item)).strip() or item.run.workflow.name
        details = {"workflow": item.run.workflow_id, "run": item.run.id}
        added = suppress([email], source=source[:MAX_SOURCE], details=details, member_id=batch.actor_id)
        item.outcome = Outcome(output={"email": email, "added": bool(added)})


SUPPRESS = NodeType(
    "suppress",
    "messages",
    "Suppression list",
    "Adds the address of the run's contact to the suppression list, so that nothing is sent to it any more.",
    SuppressConfig,
    _suppress,
    needs=lambda config: ("genie.POST", "contact.GET"),
    icon="block",
    templates=("source",),
    outputs={"email": "text", "added": "boolean"},
    effect=effects.of_suppression,
)
TYPES = (SUPPRESS,)
