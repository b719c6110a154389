"""A chat app at the demo's stand-in for the vendor, its template, a chatbot, and some conversations."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from accounts.models import Member
from config.local.chat_standin import SECRET, TOKEN
from core.types import JsonObject
from crm.models import Contact
from outreach.chat.chatbots.services import create_chatbot, publish
from outreach.connections.chat_apps.hooks import hook_url
from outreach.models import (
    AnswerTime,
    CannedAnswer,
    ChatApp,
    ChatTemplate,
    ChatWidget,
    Conversation,
    ConversationMessage,
)

PHONE_NUMBER_ID = "100200300"
BOT: list[JsonObject] = [
    {"text": "Hello, this is the roastery. How can we help: beans, machines or an order?", "order": 1},
    {"text": "Thank you. What is your order number, if you have one?", "order": 2},
    {"text": "A colleague will be with you in a moment.", "order": 3},
]
KEYWORDS = [
    {"keyword": "order", "weight": 3, "rank": 0},
    {"keyword": "delivery", "weight": 3, "rank": 0},
    {"keyword": "hello", "weight": 1, "rank": 0},
]
HANDOVER: JsonObject = {
    "mode": "any",
    "rules": [
        {"type": "contains_text", "text": "human"},
        {"type": "time_based", "minutes": 30},
        {"type": "flow_finished"},
    ],
}
TALKS = (
    (
        "queued",
        [("in", "Hello, do you deliver on Saturdays?"), ("bot", BOT[0]["text"]), ("in", "For Saturday")],
    ),
    ("bot", [("in", "Good morning!"), ("bot", BOT[0]["text"])]),
    (
        "human",
        [
            ("in", "Our new grinder is very loud."),
            ("member", "We're sorry. We'll send you a replacement tomorrow."),
            ("in", "Thanks"),
        ],
    ),
    ("closed", [("in", "Is the autumn menu out yet?"), ("member", "Yes, since Monday. Would you like a sample?")]),
)
WORDS = [
    {"type": "BODY", "text": "Hello {{1}}, your order is on its way.", "example": {"body_text": [["Ann"]]}},
    {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Thanks"}]},
]


WEBSITE = "The roastery's website"
"""The widget of the demo's page /demo/website."""


def _own_origins() -> list[str]:
    """Return where the demo's page may be opened: browsers on this machine know the service by two names."""
    own = settings.BASE_URL
    swapped = own.replace("//127.0.0.1", "//localhost"), own.replace("//localhost", "//127.0.0.1")
    return list(dict.fromkeys([own, *swapped]))


def _complete_handover(handover: JsonObject) -> JsonObject:
    """Return a handover with all that the API stores of its rules."""
    plain = {"enabled": True, "text": "", "messageCount": 0, "minutes": 0}
    return {**handover, "rules": [{**plain, **rule} for rule in handover["rules"]]}


def create_chats(member: Member) -> None:
    """Create the app with its conversations."""
    now = timezone.now()
    app = ChatApp.objects.create(
        name="Roastery",
        phone_number_id=PHONE_NUMBER_ID,
        waba_id="400500600",
        access_token=TOKEN,
        app_id="700800900",
        app_secret=SECRET,
        display_number="+49 30 901820",
        quality_rating="GREEN",
        verified=True,
        created_by=member,
        updated_by=member,
    )
    ChatTemplate.objects.create(
        app=app,
        name="on_its_way",
        language="en",
        components=WORDS,
        variables={"1": "contact.firstName"},
        status=ChatTemplate.Status.APPROVED,
        vendor_id="1",
        created_by=member,
    )
    bot = create_chatbot(
        member_id=member.pk,
        name="Porter",
        kind="router",  # whoever writes something else gets it too
        conversations=BOT,
        keywords=KEYWORDS,
        handover=_complete_handover(HANDOVER),
    )
    publish(id=bot.pk, member_id=member.pk)
    ChatWidget.objects.create(
        name=WEBSITE,
        allowed_origins=_own_origins(),
        greeting="Hello! Any questions about beans, machines or your order?",
        pre_chat=[{"key": "name", "label": "", "type": "text", "required": True}],
        chatbot=bot,
        created_by=member,
        updated_by=member,
    )
    AnswerTime.objects.create(first_minutes=60, next_minutes=240, created_by=member, updated_by=member)
    CannedAnswer.objects.create(
        name="Hours", shortcut="hours", text="We're open from 9 am to 6 pm, Monday to Saturday.", created_by=member
    )
    people = Contact.objects.exclude(contact_number=None).order_by("-pk")[: len(TALKS)]
    for place, (contact, (state, texts)) in enumerate(zip(people, TALKS, strict=False)):
        began = now - timedelta(hours=3 * place + 1)
        conversation = Conversation.objects.create(
            chat_app=app,
            contact=contact,
            address=contact.contact_number or "",
            name=contact.name,
            state=state,
            chatbot=bot if state == "bot" else None,
            assignee=member if state == "human" else None,
            unread=1 if state == "queued" else 0,
            last_text=texts[-1][1],
            last_inbound_at=began,
            last_message_at=began,
            queued_at=began if state == "queued" else None,
            waiting_since=began if state == "queued" else None,
            answer_due_at=began + timedelta(hours=1) if state == "queued" else None,
        )
        ConversationMessage.objects.bulk_create(
            ConversationMessage(
                conversation=conversation,
                direction="in" if who == "in" else "out",
                author="contact" if who == "in" else who,
                member=member if who == "member" else None,
                text=text,
                happened_at=began + timedelta(minutes=number),
            )
            for number, (who, text) in enumerate(texts)
        )


def open_chats(file: Path, port: int) -> None:
    """Write the port of the simulated chat vendor, and the webhook of the demo's app for its events."""
    app = ChatApp.objects.filter(phone_number_id=PHONE_NUMBER_ID).order_by("pk").first()
    hook = hook_url(app.pk, app.hook_salt) if app is not None else ""
    file.write_text(json.dumps({"port": port, "hook": hook, "phoneNumberId": PHONE_NUMBER_ID}))
