"""Removes an app's key from the responses of its server, which may repeat it in many forms."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from urllib.parse import quote, quote_plus

MIN_LENGTH = 8
"""Shorter keys are only removed as a whole, since their parts would be found in any text."""
_MARK = "…"
_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai)-[\w*.…-]{6,}|\bAIza[\w*…-]{6,}|\bBearer\s+[\w.~+/=*…-]{6,}", re.IGNORECASE
)


def without_key(text: str, key: str) -> str:
    """Return the text without the key: unchanged, as in JSON, addresses, pages and base64, and in parts.

    The text after its first eight characters is removed up to a space, and the text before its last eight back to one.
    Text that resembles a key is removed too.
    """
    if key:
        for form in sorted(_forms(key), key=len, reverse=True):
            text = re.sub(re.escape(form), _MARK, text, flags=re.IGNORECASE)
    if len(key) >= MIN_LENGTH:
        for form in _forms(key):
            begins, ends = re.escape(form[:MIN_LENGTH]), re.escape(form[-MIN_LENGTH:])
            text = re.sub(rf"{begins}[^\s,;]*|[^\s,;]*{ends}", _MARK, text, flags=re.IGNORECASE)
    return _LIKE_A_KEY.sub(_MARK, text)


def holds_key(text: str, key: str) -> bool:
    """Return whether the text has the key in any of its forms."""
    return len(key) >= MIN_LENGTH and any(form in text for form in _forms(key))


def _forms(key: str) -> set[str]:
    if len(key) < MIN_LENGTH:
        return {key}
    written = json.dumps(key)[1:-1]
    encoded = b64encode(key.encode()).decode()
    addresses = {quote(key, safe=""), quote(key), quote_plus(key), quote(quote(key, safe=""), safe="")}
    return {key, written, written.replace("/", "\\/"), html.escape(key), encoded, encoded.rstrip("="), *addresses}
