"""The registry of node types: a new one is a module and a line here (docs/adding-a-node.md)."""

from __future__ import annotations

from workflows.nodes import (
    activities,
    ai,
    approval,
    campaign,
    chat,
    child,
    find,
    genie,
    http,
    links,
    listening,
    logic,
    mail,
    meetings,
    records,
    suppression,
    team,
    wait,
)
from workflows.nodes.base import NodeType

NODE_TYPES: dict[str, NodeType] = {
    one.type: one
    for one in (
        *logic.TYPES,
        wait.WAIT,
        *records.TYPES,
        *links.TYPES,
        *find.TYPES,
        *mail.TYPES,
        *genie.TYPES,
        *campaign.TYPES,
        *chat.TYPES,
        *suppression.TYPES,
        *team.TYPES,
        *activities.TYPES,
        approval.APPROVAL,
        listening.WAIT_FOR,
        *meetings.TYPES,
        child.WORKFLOW,
        http.HTTP,
        ai.AI,
    )
}
"""Type -> node type, in the order in which the editor offers them."""
