"""Questions, and their answers, by the API and a worker."""

from __future__ import annotations

import json
from typing import Any

from tests.kit.cast import Caller
from tests.outreach.helpers import work


def asked(caller: Caller, question: str, **values: Any) -> dict[str, Any]:
    """Ask in a new conversation, and have it answered. Returns the question as its GET shows it."""
    made = caller.post("/ai-crm-chat", {"question": question, **values})
    assert made.status == 201, made.body
    assert made.data["messages"][0]["status"] == "queued"
    work("crm-chat")
    found: dict[str, Any] = caller.get(f"/ai-crm-chat/{made.data['_id']}").data["messages"][0]
    return found


def step(path: str, **values: Any) -> dict[str, Any]:
    """Return a step as models say it."""
    known = {"search": "", "filters": "", "sortBy": "", "sortOrder": "desc", "rows": 5, "groupBy": ""}
    return {"list": path, **known, **values}


def reply(*steps: dict[str, Any], answer: str = "") -> str:
    """Return what a model says."""
    return json.dumps({"steps": list(steps), "answer": answer})
