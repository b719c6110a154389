"""A file that goes with a mail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail, as its recipient gets it."""

    name: str
    content_type: str
    content: bytes
