"""The warning of nodes that nothing leads to."""

from __future__ import annotations

import pytest

from tests.kit.cast import Cast
from tests.workflows.helpers import edges, node

pytestmark = pytest.mark.django_db


def warned(cast: Cast, *lines: str) -> list[str]:
    """Save a workflow with these edges, whose mail is not filled in. Returns the nodes with the warning."""
    steps = [node("trigger", "trigger", {}), node("mail", "mail", {}), node("note", "note", {"notes": "x"})]
    steps.append(node("end", "note", {"notes": "y"}))
    body = {"name": "Steps", "triggerEventType": "contact.created", "nodes": steps, "edges": edges(*lines)}
    warnings = cast.key.post("/workflow", body).data["validation"]["warnings"]
    return [problem["nodeId"] for problem in warnings if problem["code"] == "unreachable"]


def test_steps_behind_one_that_is_not_filled_in_are_reached(cast: Cast) -> None:
    assert warned(cast, "trigger > mail", "mail:sent > note", "note > end") == []


def test_steps_that_no_way_leads_to_are_named(cast: Cast) -> None:
    assert warned(cast, "trigger > mail", "note > end") == ["note", "end"]
