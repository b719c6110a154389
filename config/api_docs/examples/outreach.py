"""Examples of outreach, campaigns, templates, forms and received mail."""

from __future__ import annotations

from core.types import JsonObject

MAIL = {"subject": "Hello {{contact.name}}", "body": "Dear {{contact.name}}, shall we talk on Monday?"}
RUN = {"prompt": "Invite them to our open day", "tone": "friendly", "smtp": "SMTP_ID"}
BODIES: JsonObject = {
    "POST genie": {"prompt": "dentists in Leeds", "outreachPrompt": "Offer our software", "count": 10, "draft": True},
    "PUT genie/{schedulerId}": {"tokenCap": 100000},
    "POST genie/from-contacts": {"contactIds": ["CONTACT_ID"], **RUN, "draft": True},
    "POST genie/audience-preview": {"tags": ["TAG_ID"]},
    "POST genie/draft-preview": {"contactIds": ["CONTACT_ID"], **RUN},
    "POST genie/search-preview": {"prompt": "dentists in Leeds", "outreachPrompt": "Offer our software", "count": 10},
    "POST genie/{schedulerId}/retry-failed": {"unknown": False},
    "PUT genie/send-jobs/{sendJobId}": {"subject": "Shall we talk?"},
    "POST genie/send-jobs/{sendJobId}/regenerate": {"hint": "shorter"},
    "PUT genie/settings": {"windowDays": [1, 2, 3, 4, 5], "windowStart": "09:00:00", "windowEnd": "17:00:00"},
    "POST campaign": {
        "name": "Open day",
        "templateId": "EMAIL_TEMPLATE_ID",
        "smtp": "SMTP_ID",
        "tags": ["TAG_ID"],
        "trackClicks": True,
    },
    "PUT campaign/{id}": {"name": "Open day in May"},
    "POST campaign/audience-preview": {"tags": ["TAG_ID"]},
    "POST campaign/{id}/winner": {"variant": "A"},
    "POST campaign/test/{type}": {"to": ["YOUR_EMAIL"], **MAIL, "smtp": "SMTP_ID"},
    "POST template/email": {"name": "Invitation", **MAIL},
    "PUT template/email/{id}": {"subject": "Our open day"},
    "POST template/email/preview": {**MAIL, "contactId": "CONTACT_ID"},
    "POST template/email/ready": {"ready": "welcome"},
    "POST template/email/check": MAIL,
    "POST template/email/{id}/restore": {"version": 1},
    "POST message": {
        "to": {"kind": "contact", "id": "CONTACT_ID"},
        "subject": "Our call",
        "text": "Dear {{contact.firstName}},\n\nis Tuesday at ten fine?",
        "draft": True,
    },
    "POST message/preview": {
        "to": {"kind": "contact", "id": "CONTACT_ID"},
        "subject": "Our call",
        "text": "Dear {{contact.firstName}},\n\nis Tuesday at ten fine?",
    },
    "PUT message/{id}": {"text": "Is Wednesday fine?", "draft": True},
    "PUT inbox/{id}": {"isRead": True},
    "POST domain-tracking": {"name": "links.example.com"},
    "POST form": {
        "name": "Ask for an offer",
        "fields": [
            {"key": "name", "label": "Name", "type": "text", "required": True},
            {"key": "email", "label": "Email", "type": "email", "required": True},
            {"key": "phone", "label": "Phone", "type": "phone", "required": True},
        ],
        "mapping": {"name": "name", "email": "email", "phone": "number"},
    },
    "PUT form/{id}": {"button": "Ask"},
    "PUT form/lead/{id}": {"status": "new"},
}
