"""Texts of mail servers' replies, with and without the secrets that they repeat."""

from __future__ import annotations

import base64
import re

_UNPRINTABLE = re.compile(r"[^\x20-\x7e\u00a0-\U0010ffff]+")
MAX_LENGTH = 300
"""Characters of a text that people see."""


def plain_reply(reply: bytes) -> str:
    """Return a reply on one line, without controls. It may contain secrets, so it must not be stored."""
    return " ".join(_UNPRINTABLE.sub(" ", reply.decode("utf-8", "replace")).split())


def without_secrets(text: str, username: str, password: str) -> str:
    """Return a text without the password, as such or as sent to log in, cut to the length that people see."""
    if password:
        login = b"\0" + username.encode() + b"\0" + password.encode()
        for secret in (encode_login(login), encode_login(password.encode()), password):
            # A short password may also be a part of a common word.
            text = re.sub(
                rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 8 else re.escape(secret), "[hidden]", text
            )
    return text[:MAX_LENGTH]


def encode_login(data: bytes) -> str:
    """Return data in Base64, as it is sent to log in."""
    return base64.b64encode(data).decode("ascii")
