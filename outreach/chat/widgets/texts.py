"""The default texts of a widget."""

from __future__ import annotations

from core.text.translation import gettext_lazy

TEXTS = {
    "title": gettext_lazy("Chat with us"),
    "open": gettext_lazy("Open the chat"),
    "close": gettext_lazy("Close the chat"),
    "log": gettext_lazy("Messages"),
    "placeholder": gettext_lazy("Write a message"),
    "send": gettext_lazy("Send"),
    "sending": gettext_lazy("Sending"),
    "failed": gettext_lazy("Not sent."),
    "retry": gettext_lazy("Try again"),
    "you": gettext_lazy("You"),
    "bot": gettext_lazy("Chatbot"),
    "agent": gettext_lazy("Team"),
    "queued": gettext_lazy("We'll reply here soon."),
    "begin": gettext_lazy("Start the chat"),
    "required": gettext_lazy("required"),
    "offlineTitle": gettext_lazy("We are away right now"),
    "offlineText": gettext_lazy("Leave a message. We'll reply by email."),
    "offlineSent": gettext_lazy("Thank you. We'll reply when we are back."),
    "message": gettext_lazy("Message"),
    "name": gettext_lazy("Name"),
    "email": gettext_lazy("Email"),
    "phone": gettext_lazy("Phone"),
    "new": gettext_lazy("new messages"),
    "error": gettext_lazy("The chat can't be reached right now. Try again in a moment."),
}
"""Key -> text in English."""

TYPES = ("text", "email", "phone")
"""Types of answers."""
KNOWN = {"name": "text", "email": "email", "phone": "phone"}
"""Keys of fields that identify a person -> their type."""
