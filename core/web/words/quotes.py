"""The words of quotes, on the pages of quotes and of leads."""

from __future__ import annotations

from core.text.translation import gettext_lazy

STATUSES = {
    "draft": (gettext_lazy("Draft"), ""),
    "sent": (gettext_lazy("Sent"), "info"),
    "viewed": (gettext_lazy("Opened"), "info"),
    "accepted": (gettext_lazy("Accepted"), "ok"),
    "declined": (gettext_lazy("Declined"), "bad"),
    "expired": (gettext_lazy("Expired"), "warn"),
}
"""Status -> its label, and the tone of its badge."""
