"""The default texts of a widget."""

from __future__ import annotations

TEXTS = {
    "title": "Chat with us",
    "open": "Open the chat",
    "close": "Close the chat",
    "log": "Messages",
    "placeholder": "Write a message",
    "send": "Send",
    "sending": "Sending",
    "failed": "This was not sent.",
    "retry": "Try again",
    "you": "You",
    "bot": "Chatbot",
    "agent": "Team",
    "queued": "Somebody answers here soon.",
    "begin": "Start the chat",
    "required": "required",
    "offlineTitle": "We are away right now",
    "offlineText": "Leave a message, and we answer by email.",
    "offlineSent": "Thank you. We answer as soon as we are back.",
    "message": "Message",
    "name": "Name",
    "email": "Email",
    "phone": "Phone",
    "new": "new messages",
    "error": "The chat cannot be reached right now. Try again in a moment.",
}
"""Key -> text in English."""

TYPES = ("text", "email", "phone")
"""Types of answers."""
KNOWN = {"name": "text", "email": "email", "phone": "phone"}
"""Keys of fields that identify a person -> their type."""
