"""Examples of a company's members, settings, keys, webhooks and dashboards."""

from __future__ import annotations

from core.types import JsonObject

TILE = {"title": "Leads by status", "reportType": "leads", "chart": "bar", "range": "last30"}
BODIES: JsonObject = {
    "POST api": {"type": "temporary", "durationMinutes": 60},
    "DELETE api": {"ids": ["API_ID"]},
    "PUT company": {"industry": "Software", "website": "https://www.example.com"},
    "PUT settings": {"currency": "EUR", "timezone": "Europe/London"},
    "PUT white-label-options": {"productName": "Example CRM", "accent": "#1d4ed8"},
    "POST white-label-options/preview": {"accent": "#1d4ed8", "accentDark": "#93c5fd"},
    "POST member": {"email": "new.member@example.com", "name": "Nora Member"},
    "PUT member/{id}": {"name": "Nora Lee"},
    "DELETE member/{id}": {"deleteKeys": True},
    "POST member/{id}/transfer-ownership": {"role": "ROLE_ID"},
    "POST role": {"name": "Reader", "permission": {"contact": {"GET": True}, "lead": {"GET": True}}},
    "PUT role/{id}": {"description": "may read contacts and leads"},
    "POST team": {"name": "Inside sales", "members": ["MEMBER_ID"]},
    "PUT team/{id}": {"addMembers": ["MEMBER_ID"]},
    "POST webhook": {"url": "https://hooks.example.com/crm", "kinds": ["contact.*", "lead.updated"]},
    "PUT webhook/{id}": {"status": "paused"},
    "POST webhook/{id}/replay": {"from": "2026-01-01T00:00:00Z", "kinds": ["contact.*"]},
    "POST dashboard": {"name": "Monday morning", "tiles": [TILE]},
    "PUT dashboard/{id}": {"description": "for Monday mornings"},
    "POST dashboard/{id}/tiles": TILE,
}
