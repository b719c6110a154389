"""Secrets in responses: a server may echo what it received, and its response is stored and shown."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

HIDDEN = "\u2022\u2022\u2022"
OPAQUE = r".*(password|secret|token|credentials?|authorization)|.*(api|private|access|secret)_?key"
SECRET = re.compile(rf"^(key|{OPAQUE})$", re.IGNORECASE)
"""Names whose values are never shown, in case a serializer has one that it does not declare in `conceals`."""
UNNAMED = re.compile(rf"^({OPAQUE})$", re.IGNORECASE)
"""The same without `key`, by which many objects are distinguished."""
MIN_LENGTH = 4
"""Minimum number of characters of a secret to search for: a shorter one would match everywhere."""


class Redactor:
    """Replaces secrets by dots, as they are, in base64, percent-encoded, or escaped in JSON."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = set()
        for secret in secrets:
            coded = base64.b64encode(secret.encode()).decode()
            escaped = secret.replace("\\", "\\\\").replace('"', '\\"')
            forms |= {secret, coded, coded.rstrip("="), quote(secret, safe=""), escaped}
        self._found = sorted((form for form in forms if len(form) >= MIN_LENGTH), key=len, reverse=True)

    def text(self, text: str) -> str:
        for secret in self._found:
            text = text.replace(secret, HIDDEN)
        return text

    def value(self, value: Any) -> Any:
        """Return JSON without the secrets, which may be keys too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, Mapping):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        return value

    def body(self, body: bytes) -> bytes:
        """Return a body of which texts are kept alone."""
        return self.text(body.decode(errors="replace")).encode() if self._found else body
