"""Hashes of the content, the files and the envelope of a message, so that approval covers exactly the seen message."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from core.types import Values

HALF = 32
"""Characters of a content hash for the content; as many after them are for the envelope."""


def content_hash(envelope: str, *texts: str, attachments: Sequence[Values] = ()) -> str:
    """Return the hash of subject, text, HTML and attachments, followed by that of the envelope."""
    # PostgreSQL stores no null characters, so that they part the words.
    files = [f"{file['sha256']} {file['name']}" for file in attachments]
    # Two halves, so that an edit can check the words alone and an approval both.
    return hash_of(*texts, *files) + hash_of(envelope)


def hash_of(*texts: str) -> str:
    """Return the hash of the texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:HALF]


def envelope_of(to_name: str, to_email: str | None, from_name: str | None, from_email: str | None) -> str:
    """Return the sender and recipient of a message in the form of SendJob.approved_envelope."""
    sender = f"{from_name} <{from_email}>" if from_email else ""
    return f"{to_name} <{to_email or ''}>\n{sender}"
