"""A record of each resource that can be changed, with many values."""

from __future__ import annotations

from django.utils import timezone

from crm.models import Bucket
from outreach.connections.mail_vendors.registry import DEFAULT_LETTERS, VENDORS
from outreach.models import ImapMailbox, InboundMessage, MailApp
from tests.crm.imports.helpers import csv_of, make, people
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory


def create_records(cast: Cast) -> None:
    """Create a record of each resource, most through the API."""
    api = cast.key
    tag = api.post("/tag", {"name": "Hot", "color": "#ff0000", "description": "wants to buy"}).data["_id"]
    category = api.post("/contact-category", {"name": "Press"}).data["_id"]
    options = [{"label": "Red", "value": "red"}, {"label": "Blue", "value": "blue"}]
    keys = [
        api.post("/custom-field", {"name": name, "fieldType": kind, **more}).data["_id"]
        for name, kind, more in (
            ("Colours", "multi-select", {"options": options, "helper": "all that apply"}),
            ("Size", "number", {}),
            ("Since", "date", {}),
        )
    ]
    values = dict(zip(keys, (["red", "blue"], 5, "2026-01-31"), strict=True))
    person = {"name": "Ann", "email": "ann@example.com", "countryCode": "+49", "number": "15112345678"}
    contact = api.post("/contact", {"formData": {**person, **values}, "tags": [tag], "category": category}).data["_id"]
    product = api.post("/product-service", {"formData": {"name": "Tea", "price": 2.5, "currency": "EUR"}}).data["_id"]
    body = {"name": "Sales", "members": [cast.owner.pk], "availability": {cast.owner.pk: False}}
    team = api.post("/team", body).data["_id"]
    lead = api.post(
        "/lead",
        {
            "contact": contact,
            "productServices": [product],
            "team": team,
            "teamMember": cast.owner.pk,
            "tags": [tag],
            "formData": {"value": 12.5, "notes": "warm"},
        },
    ).data["_id"]
    stages = [{"name": "Asked"}, {"name": "Ordered", "kind": "won"}, {"name": "Declined", "kind": "lost"}]
    assert api.post("/pipeline", {"name": "Reselling", "stages": stages}).status == 201
    assert api.post("/lost-reason", {"name": "Timing"}).status == 201
    api.post("/segment", {"name": "Anns", "filters": {"name": "Ann"}})
    query = {"searchValue": "ann", "filters": {"name": "Ann"}, "sortBy": "name"}
    assert api.post("/saved-view", {"name": "Anns", "resource": "contact", "query": query}).status == 201
    tile = {"reportType": "leads", "range": "custom", "startDate": "2026-01-01", "endDate": "2026-01-31"}
    assert api.post("/dashboard", {"name": "Sales", "tiles": [tile, {"reportType": "contacts"}]}).status == 201
    api.post("/calllog", {"lead": lead, "duration": 60, "notes": "talked", "recording": "https://example.com/a.mp3"})
    api.post("/lead-activity/follow-up", {"lead": lead, "title": "Call", "dueAt": "2090-01-01T10:00:00Z"})
    task = {"title": "Ring", "dueAt": "2090-01-01T10:00:00Z", "record": {"kind": "contact", "id": contact}}
    assert api.post("/task", {**task, "recurrence": "weekly"}).status == 201
    comment = {"text": f"Hello @{cast.owner.email}", "record": {"kind": "lead", "id": lead}}
    assert api.post("/comment", comment).status == 201
    quote = {"lead": lead, "lines": [{"name": "Tea", "product": product, "quantity": 2, "unitPrice": 2.5, "tax": 7}]}
    assert api.post("/quote", quote).status == 201
    attendees = [{"member": cast.owner.pk}, {"contact": contact}, {"email": "x@example.com", "name": "X"}]
    meeting = {"title": "Demo", "startsAt": "2090-03-09T14:00:00Z", "durationMinutes": 60, "attendees": attendees}
    assert api.post("/meeting", {**meeting, "lead": lead}).status == 201
    call = {**meeting, "startsAt": "2090-03-10T14:00:00Z", "link": "https://meet.example.org/a"}
    assert api.post("/videocall", call).status == 201
    assert api.post("/booking-page", {"name": "Intro", "member": cast.owner.pk, "kind": "offline"}).status == 201
    api.post("/custom-section", {"name": "More", "description": "and more"})
    job = make(cast, csv_of(people(3)), tags=[tag], category=category)
    api.post("/lead/import", {"importType": "lead", "fileId": job["file"]["_id"], "category": category})
    assert api.post("/organization", {"formData": {"name": "Acme"}}).status == 201
    firms = {"importType": "organization", "fileId": job["file"]["_id"], "columnMapping": {"Name": "name"}}
    firms["tags"] = [tag]
    assert api.post("/organization/import", firms).status in (200, 201)
    api.put("/contact", {"selectAll": True, "formData": {keys[1]: 6}})
    api.post("/export", {"resource": "contact"})
    api.post("/apps/ai-offline", {"name": "Composer"})
    assert api.post("/webhook", {"url": "http://127.0.0.1:9/", "kinds": ["contact.*"]}).status == 201
    variables = [{"name": "Since", "required": True, "dateType": "dd/mm/yyyy"}]
    mail = {"name": "Hello", "subject": "Hello {{contact.name}}", "body": "Since {{Since}}", "variables": variables}
    assert api.post("/template/email", mail).status == 201
    number = {"phoneNumberId": "1001", "wabaId": "2002", "accessToken": "chat-token", "verified": False}
    chat_app = api.post("/apps/chatapp", number).data["_id"]
    assert api.post("/apps/messenger", {"botToken": "77:bot-token", "verified": False}).status == 201
    account = {"accountId": "3003", "accessToken": "social-token", "verified": False}
    assert api.post("/apps/social-b", account).status == 201
    words = [{"type": "BODY", "text": "Hello {{1}}, hello", "example": {"body_text": [["Ann"]]}}]
    chat = {"app": chat_app, "name": "hello", "components": words, "variables": {"1": "contact.name"}}
    assert api.post("/template/chatapp", chat).status == 201
    assert api.post("/canned-answer", {"name": "Hours", "text": "From nine to five."}).status == 201
    bot = {"name": "Porter", "conversations": [{"text": "Hello"}], "keywords": [{"keyword": "hello", "weight": 2}]}
    assert api.post("/manual-chatbot", {**bot, "handover": {"rules": [{"type": "flow_finished"}]}}).status == 201
    assert api.post("/apps/ai-a", {"name": "Model", "apiKey": "key"}).status == 201
    assert api.post("/apps/ai-b", {"name": "Model", "apiKey": "key"}).status == 201
    for kind in ("lead-source", "enrich"):
        app = {"name": "Data", "url": "http://127.0.0.1:9/", "apiKey": "key", "fieldPaths": {"email": "email"}}
        assert api.post(f"/apps/{kind}", app).status == 201
    assert api.post("/apps/ocr", {"name": "ocr-space", "key": "key"}).status == 201
    with cast.scope():
        smtp = SmtpFactory()
        ImapMailbox.objects.create(smtp=smtp, host="127.0.0.1", username="box", password="key", folders=["INBOX"])
        InboundMessage.objects.create(kind="reply", uid_validity=1, uid=1, digest="a", received_at=timezone.now())
        for letter, vendor in DEFAULT_LETTERS.items():
            known = {
                "from_email": "me@example.com",
                "from_name": "Me",
                "region": "eu-west-1" if vendor == "ses" else "",
            }
            ready = VENDORS[vendor].has_webhooks and not VENDORS[vendor].needs_signing_key
            MailApp.objects.create(
                letter=letter, vendor=vendor, api_key="key", secret_key="key", webhook_ready=ready, **known
            )
        # Where a bucket is on, PUT asks its storage.
        place = {"endpoint": "http://127.0.0.1:9", "region": "eu-west-1"}
        Bucket.objects.create(name="box-1", **place, accesskey="key", secretkey="key", is_active=False)
