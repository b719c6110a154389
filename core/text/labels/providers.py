"""Names of the apps and vendors that companies connect, for members' pages and the back office."""

from __future__ import annotations

from collections.abc import Mapping

from core.hooks import Hook
from core.text.translation import gettext_lazy

AI_NAMES = {
    "ai-a": "Google Gemini",
    "ai-b": gettext_lazy("OpenAI or compatible"),
    "ai-offline": gettext_lazy("Built-in writer"),
    "offline-composer": gettext_lazy("Built-in writer"),
}
"""Connected app, or key of a provider -> its name."""
PROVIDER_COLUMNS = frozenset(
    {"adapter", "ai_type", "aiType", "channel", "channels", "provider", "vendor", "video_provider", "videoProvider"}
)
"""Columns, and keys of JSON, that hold the key of an app or a vendor."""
provider_names: Hook[[], Mapping[str, str]] = Hook(
    __name__,
    "provider_names",
    "When a key is shown. Returns the names of the domain's apps or vendors by their keys, as settings have them now.",
)


def provider_name(column: str, key: str) -> str:
    """Return the name of the app or vendor in a column; empty for a key that no domain has named."""
    if column not in PROVIDER_COLUMNS:
        return ""
    return next((names[key] for names in (AI_NAMES, *provider_names.send()) if key in names), "")
