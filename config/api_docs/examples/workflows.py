"""Examples of workflows, their runs and secrets."""

from __future__ import annotations

from core.types import JsonObject

GRAPH = {
    "triggerEventType": "contact.created",
    "nodes": [
        {"id": "trigger", "type": "trigger", "position": {"x": 0, "y": 0}, "data": {"config": {}}},
        {
            "id": "note",
            "type": "note",
            "position": {"x": 0, "y": 120},
            "data": {"config": {"notes": "Came in by the website", "panel": "contact"}},
        },
    ],
    "edges": [{"id": "first", "source": "trigger", "target": "note", "sourceHandle": "out"}],
}
BODIES: JsonObject = {
    "POST workflow": {"name": "Welcome", **GRAPH},
    "PUT workflow/{id}": {"name": "Welcome new contacts"},
    "POST workflow/{id}/enrol": {"ids": ["CONTACT_ID"]},
    "POST workflow/{id}/publish": {"dryRun": True},
    "POST workflow/{id}/test": {"subject": {"panel": "contact", "_id": "CONTACT_ID"}},
    "POST workflow/approvals/{id}/answer": {"approved": True, "comment": "fine"},
    "POST workflow/import": {"name": "Welcome", **GRAPH},
    "POST workflow/runs/{runId}/restart": {"version": "latest"},
    "POST workflow/runs/{runId}/resume": {"shift": True},
    "POST workflow/runs/redrive": {"ids": ["WORKFLOW_RUN_ID"], "version": "latest"},
    "POST workflow/secrets": {"name": "REGISTER_KEY", "host": "register.example.com", "value": "THE-KEY"},
}
