"""Named messages: the text and the HTTP status of every answer that has a name (contract section 7)."""

from core.messages.services import UNKNOWN, forget, message_for

__all__ = ["UNKNOWN", "forget", "message_for"]
