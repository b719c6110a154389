"""Examples of contacts, leads, products, their organisation, imports and exports."""

from __future__ import annotations

from core.types import JsonObject

ANN = {"name": "Ann Lee", "email": "ann.lee@example.com", "countryCode": "+44", "number": "7400123456"}
BOB = {"name": "Bob Ray", "email": "bob.ray@example.com"}
COLUMNS = {"Name": "name", "Email": "email", "Country code": "countryCode", "Phone": "number"}
CELLS = [{"row": 2, "values": {"Email": "ann.lee@example.com", "Country code": "+44", "Phone": "7400123456"}}]
ONES = {"ids": ["CONTACT_ID"], "formData": {"name": "Ann Lee"}, "updateType": "set"}

CONTACTS: JsonObject = {
    "POST contact": {"formData": ANN, "tags": ["TAG_ID"], "category": "CONTACT_CATEGORY_ID"},
    "PUT contact": ONES,
    "PUT contact/{id}": {"formData": {"name": "Ann Lee-Ray"}, "tags": ["TAG_ID"]},
    "POST contact/bulk": {"formData": [ANN, BOB], "skipInvalid": True},
    "POST contact/{id}/erase": {"confirm": "carl.may@example.com"},
    "POST contact/duplicate/dismiss": {"ids": ["CONTACT_ID", "OTHER_CONTACT_ID"]},
    "POST contact/merge": {"ids": ["CONTACT_ID", "OTHER_CONTACT_ID"], "winner": "CONTACT_ID"},
    "POST contact/match-organizations": {"selectAll": True},
    "POST contact/restore": {"ids": ["DELETED_CONTACT_ID"]},
    "POST contact/scan": {"fileId": "PICTURE_ID"},
    "POST contact-category": {"name": "Customers", "description": "have bought", "color": "#2f6f4f"},
    "PUT contact-category/{id}": {"name": "Regular customers"},
    "POST tag": {"name": "Fair 2026", "description": "met at the fair", "color": "#d9480f"},
    "PUT tag/{id}": {"name": "Spring fair"},
    "POST segment": {
        "name": "Example people",
        "panel": "contact",
        "advancedFilters": {
            "operator": "and",
            "conditions": [{"field": "email", "operator": "contains", "value": "example.com"}],
        },
    },
    "PUT segment/{id}": {"name": "People at Example"},
    "POST saved-view": {
        "name": "By name",
        "resource": "contact",
        "query": {"sortBy": "name", "sortOrder": "asc"},
        "columns": ["name", "email"],
    },
    "PUT saved-view/{id}": {"columns": ["name", "email", "number"]},
    "POST custom-field": {
        "name": "Size of the company",
        "fieldType": "select",
        "options": [{"label": "Small", "value": "small"}, {"label": "Large", "value": "large"}],
    },
    "PUT custom-field/{id}": {"helper": "number of people"},
    "DELETE custom-field": {"ids": ["CUSTOM_FIELD_ID"]},
    "PUT custom-field/modify": {"fields": [{"_id": "CUSTOM_FIELD_ID", "helper": "number of people"}]},
    "PUT custom-field/reorder": {"ids": ["CUSTOM_FIELD_ID"]},
    "PUT custom-field/reset-system": {"panel": "contact"},
    "POST custom-section": {"name": "Contract", "panel": "contact"},
    "PUT custom-section/{id}": {"name": "Contracts"},
    "PUT custom-section/reorder": {"ids": ["CUSTOM_SECTION_ID"]},
}
ACME = {"name": "Acme Ltd", "domain": "acme.example"}
ORGANIZATIONS: JsonObject = {
    "POST organization": {"formData": ACME, "tags": ["TAG_ID"]},
    "PUT organization": {"ids": ["ORGANIZATION_ID"], "tags": ["TAG_ID"], "updateType": "append"},
    "PUT organization/{id}": {"formData": {"name": "Acme Limited"}},
    "POST organization/bulk": {"formData": [ACME, {"name": "Beta Inc"}], "skipInvalid": True},
    "POST organization/duplicate/dismiss": {"ids": ["ORGANIZATION_ID", "OTHER_ORGANIZATION_ID"]},
    "POST organization/merge": {"ids": ["ORGANIZATION_ID", "OTHER_ORGANIZATION_ID"], "winner": "ORGANIZATION_ID"},
    "POST organization/restore": {"ids": ["DELETED_ORGANIZATION_ID"]},
}
LEADS: JsonObject = {
    "POST lead": {
        "contact": "CONTACT_ID",
        "productServices": ["PRODUCT_SERVICE_ID"],
        "tags": ["TAG_ID"],
        "formData": {"status": "new", "value": 1200, "notes": "asked for an offer"},
    },
    "PUT lead": {"ids": ["LEAD_ID"], "formData": {"status": "won"}},
    "PUT lead/{id}": {"formData": {"status": "won", "value": 1500}},
    "POST lead/bulk": {"contact": "CONTACT_ID", "formData": [{"value": 100}, {"value": 200}]},
    "POST lead/duplicate/dismiss": {"ids": ["LEAD_ID", "OTHER_LEAD_ID"]},
    "POST lead/merge": {"ids": ["LEAD_ID", "OTHER_LEAD_ID"], "winner": "LEAD_ID"},
    "POST lead/restore": {"ids": ["DELETED_LEAD_ID"]},
    "POST lead/lead-gen-ai": {"prompt": "dentists in Leeds", "count": 10},
    "PUT lead/lead-gen-ai/{id}": {"status": "cancelled"},
    "POST pipeline": {
        "name": "Wholesale",
        "stages": [
            {"name": "Asked", "probability": 20},
            {"name": "Offer sent", "probability": 60},
            {"name": "Ordered", "kind": "won"},
            {"name": "Declined", "kind": "lost"},
        ],
    },
    "PUT pipeline/{id}": {"name": "Trade"},
    "POST lost-reason": {"name": "Price"},
    "PUT lost-reason/{id}": {"name": "Too expensive"},
    "POST lead-activity": {"lead": "LEAD_ID", "notes": "Wants a call on Monday"},
    "PATCH lead-activity/{id}/notes": {"notes": "Wants a call on Tuesday"},
    "POST lead-activity/follow-up": {"lead": "LEAD_ID", "title": "Call back", "dueAt": "2030-05-06T09:00:00Z"},
    "PATCH lead-activity/follow-up/{id}": {"status": "done"},
    "POST task": {
        "title": "Send the offer",
        "dueAt": "2030-05-06T09:00:00Z",
        "type": "email",
        "record": {"kind": "contact", "id": "CONTACT_ID"},
    },
    "PUT task": {"selectAll": True, "priority": "high"},
    "PUT task/{id}": {"status": "done"},
    "POST task/restore": {"ids": ["DELETED_TASK_ID"]},
    "POST comment": {
        "text": "Wants an offer by Friday",
        "record": {"kind": "contact", "id": "CONTACT_ID"},
        "mentions": ["MEMBER_ID"],
    },
    "PUT comment/{id}": {"text": "Wants an offer by Monday"},
    "POST comment/restore": {"ids": ["DELETED_COMMENT_ID"]},
    "POST quote": {
        "lead": "LEAD_ID",
        "title": "Website",
        "lines": [{"name": "Design", "quantity": 10, "unit": "hour", "unitPrice": 90, "discount": 5, "tax": 19}],
        "validUntil": "2030-05-31",
    },
    "PUT quote": {"ids": ["QUOTE_ID"], "owner": "MEMBER_ID"},
    "PUT quote/{id}": {"owner": "MEMBER_ID"},
    "POST quote/restore": {"ids": ["DELETED_QUOTE_ID"]},
    "POST quote/{id}/send": {"subject": "Your quote", "text": "Here is your quote: {{quote.link}}"},
    "POST quote/{id}/mark-sent": {},
    "POST quote/{id}/revise": {},
    "PUT quote/settings": {"prefix": "Q-", "validDays": 14},
    "POST calllog": {"lead": "LEAD_ID", "direction": "outbound", "outcome": "connected", "duration": 180},
    "PUT calllog/{id}": {"notes": "will decide next week"},
    "POST calllog/bulk": {"formData": [{"contact": "CONTACT_ID", "outcome": "no_answer"}], "skipInvalid": True},
    "POST product-service": {"formData": {"name": "Consulting", "type": "service", "price": 120, "currency": "EUR"}},
    "PUT product-service": {"ids": ["PRODUCT_SERVICE_ID"], "formData": {"unit": "hour"}},
    "PUT product-service/{id}": {"formData": {"price": 140}},
}
FILES: JsonObject = {
    "PUT file/{id}": {"name": "people.csv"},
    "POST file/recycle-bin/restore": {"ids": ["DELETED_FILE_ID"]},
    "DELETE file/recycle-bin": {"ids": ["DELETED_FILE_ID"]},
    "POST export": {"resource": "contact", "columns": ["name", "email"], "format": "csv"},
    "PUT export/{id}": {"status": "cancelled"},
    "PUT bulk-job/{id}": {"status": "cancelled"},
    "POST suppression": {"email": "no.mail@example.com", "reason": "manual"},
    "POST suppression/bulk": {"formData": [{"email": "no.mail@example.com", "reason": "manual"}]},
    "POST suppression/import": {"fileId": "FILE_ID", "emailColumn": "Email"},
    "POST suppression/import/check": {"fileId": "FILE_ID", "emailColumn": "Email"},
}


def _import(kind: str) -> JsonObject:
    return {
        f"POST {kind}/import": {
            "importType": kind,
            "fileId": "FILE_ID",
            "columnMapping": COLUMNS,
            "options": {"existing": "update", "country": "GB"},
            "tags": ["TAG_ID"],
        },
        f"PUT {kind}/import/{{id}}": {"tags": ["TAG_ID"], "options": {"existing": "skip"}, "pauseImport": True},
        f"POST {kind}/import/{{id}}/fields": {"columns": [{"column": "Shoe size", "fieldType": "number"}]},
        f"POST {kind}/import/{{id}}/mend": {"rows": CELLS},
    }


BODIES = {
    **CONTACTS,
    **ORGANIZATIONS,
    **LEADS,
    **FILES,
    **_import("contact"),
    **_import("lead"),
    **_import("organization"),
    "POST organization/import": {"importType": "organization", "fileId": "FILE_ID", "columnMapping": {"Name": "name"}},
}
