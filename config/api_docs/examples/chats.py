"""Examples of conversations, chatbots and chats on websites."""

from __future__ import annotations

from core.types import JsonObject

HELLO = [{"type": "BODY", "text": "Hello {{1}}, how are you?", "example": {"body_text": [["Ann"]]}}]
BOT = {
    "name": "Opening hours",
    "conversations": [{"text": "Hello"}, {"text": "We are open from nine to five."}],
    "keywords": [{"keyword": "open", "weight": 2}],
}
WIDGET = {"name": "Website", "allowedOrigins": ["https://www.example.com"], "greeting": "How can we help?"}
BODIES: JsonObject = {
    "POST conversation": {
        "contact": "CONTACT_ID",
        "app": "CHAT_APP_ID",
        "template": "CHAT_TEMPLATE_ID",
        "values": {"1": "Ann"},
    },
    "POST conversation/{id}/assign": {"assignee": "MEMBER_ID"},
    "POST conversation/{id}/contact": {"contact": "CONTACT_ID"},
    "POST conversation/{id}/lead": {"lead": "LEAD_ID"},
    "POST conversation/{id}/messages": {"text": "Yes, we are open on Saturday."},
    "POST conversation/{id}/notes": {"text": "Asks each year."},
    "POST conversation/{id}/read": {"isRead": True},
    "POST conversation/{id}/snooze": {"until": "2030-05-06T09:00:00Z"},
    "POST canned-answer": {"name": "Opening hours", "shortcut": "hours", "text": "We are open from nine to five."},
    "PUT canned-answer/{id}": {"text": "We are open from nine to six."},
    "POST answer-time": {"team": "TEAM_ID", "firstMinutes": 30, "nextMinutes": 120},
    "PUT answer-time/{id}": {"firstMinutes": 15},
    "POST manual-chatbot": BOT,
    "PUT manual-chatbot/{id}": {"description": "answers when we are open"},
    "POST manual-chatbot/{id}/test": {"messages": [{"text": "When are you open?"}], "draft": True},
    "POST manual-chatbot/test": {**BOT, "messages": [{"text": "When are you open?"}]},
    "POST chat-widget": WIDGET,
    "PUT chat-widget/{id}": {"greeting": "Good day"},
    "POST chat-widget/preview": WIDGET,
    "POST template/chatapp": {
        "app": "CHAT_APP_ID",
        "name": "greeting",
        "language": "en",
        "category": "MARKETING",
        "components": HELLO,
        "variables": {"1": "contact.name"},
    },
    "PUT template/chatapp/{id}": {"category": "MARKETING"},
    "POST template/chatapp/handle": {"app": "CHAT_APP_ID", "file": "PICTURE_ID"},
    "POST template/chatapp/preview": {"components": HELLO, "variables": {"1": "contact.name"}},
    "POST template/chatapp/sync": {"app": "CHAT_APP_ID"},
}
