"""Examples of meetings, video calls and booking pages."""

from __future__ import annotations

from core.types import JsonObject

TIME = {"startsAt": "2030-05-06T14:00:00Z", "durationMinutes": 30}
CALL = {"title": "Demo", **TIME, "link": "https://meet.example.com/demo", "attendees": [{"contact": "CONTACT_ID"}]}
BODIES: JsonObject = {
    "POST meeting": {"title": "Demo", **TIME, "lead": "LEAD_ID", "attendees": [{"contact": "CONTACT_ID"}]},
    "PUT meeting/{id}": {"title": "Second demo"},
    "POST videocall": CALL,
    "PUT videocall/{id}": {"title": "Second demo"},
    "PUT videocall/settings": {"provider": "link-template", "linkTemplate": "https://meet.example.com/{meeting}"},
    "POST my-videocall": CALL,
    "PUT my-videocall/{id}": {"title": "Second demo"},
    "POST offline-meeting": {"title": "Visit", **TIME, "place": "1 High Street, Leeds"},
    "PUT offline-meeting/{id}": {"place": "2 High Street, Leeds"},
    "POST booking-page": {"name": "Introduction", "member": "MEMBER_ID", "kind": "offline", "durationMinutes": 30},
    "PUT booking-page/{id}": {"title": "Meet us"},
    "PUT my-calendar/hours": {"timezone": "Europe/London", "days": [{"day": 1, "from": "09:00", "to": "17:00"}]},
    "POST my-calendar/connection": {"code": "CODE-OF-THE-LOG-IN", "state": "STATE-OF-THE-LOG-IN"},
}
