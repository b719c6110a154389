"""Examples of what persons do for themselves, and of what needs no login."""

from __future__ import annotations

from core.types import JsonObject

PASSWORD = "correct horse battery"  # noqa: S105  an example
COMPANY = {
    "name": "Example Ltd",
    "email": "office@example.com",
    "contactNumber": "+447400123456",
    "timezone": "Europe/London",
}
PRIVATE: JsonObject = {
    "PUT change-password": {"currentPassword": "THE-PRESENT-PASSWORD", "newPassword": "a longer horse battery"},
    "POST company": COMPANY,
    "POST invite/{id}": {"status": "accepted"},
    "PUT notification/{id}": {"isRead": True},
    "POST partner-program/request": {"requestNote": "We advise 20 companies."},
    "PUT profile": {"name": "Ann Lee", "darkMode": True},
    "PUT refer-program": {"status": "active"},
}
ANSWERS = {"name": "Ann Lee", "email": "ann.lee@example.com"}
PUBLIC: JsonObject = {
    "POST register": {
        "name": "Bob Ray",
        "email": "bob.ray@example.com",
        "password": PASSWORD,
        "companyName": "Example Ltd",
    },
    "POST login": {"email": "ann.lee@example.com", "password": PASSWORD},
    "POST refresh": {"refreshToken": "REFRESH_TOKEN"},
    "POST logout": {"refreshToken": "REFRESH_TOKEN"},
    "POST verify-email": {"token": "TOKEN-OF-THE-MAIL"},
    "POST resend-verification": {"email": "ann.lee@example.com"},
    "POST forgot-password": {"email": "ann.lee@example.com"},
    "POST reset-password": {"token": "TOKEN-OF-THE-MAIL", "password": PASSWORD},
    "POST invite": {"token": "TOKEN-OF-THE-INVITE"},
    "POST accept-invite": {"token": "TOKEN-OF-THE-INVITE", "name": "Ann Lee", "password": PASSWORD},
    "POST decline-invite": {"token": "TOKEN-OF-THE-INVITE"},
    "POST book/{token}": {
        "startsAt": "START_OF_SLOT",
        "answers": {**ANSWERS, "phone": "+447400123456"},
        "timezone": "Europe/London",
    },
    "POST form/{token}": {"answers": {**ANSWERS, "phone": "+447400123456"}, "page": "https://www.example.com/offer"},
    "POST widget/{token}/start": {"answers": ANSWERS, "page": "https://www.example.com/"},
    "POST widget/{token}/messages": {"visitor": "VISITOR", "text": "Are you open today?", "key": "message-1"},
    "POST widget/{token}/offline": {"answers": ANSWERS, "text": "Please call me back."},
    "POST widget/{token}/poll": {"visitor": "VISITOR"},
    "POST widget/{token}/read": {"visitor": "VISITOR"},
    "POST workflow-hooks/{token}": {"email": "ann.lee@example.com"},
}
