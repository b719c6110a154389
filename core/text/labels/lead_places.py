"""Labels of a lead's place in a pipeline, for its forms and imports."""

from __future__ import annotations

from core.text.translation import gettext_lazy

PLACE_LABELS = {
    "stage": gettext_lazy("Stage"),
    "expectedCloseAt": gettext_lazy("Expected close"),
    "lostReason": gettext_lazy("Reason for loss"),
}
"""Name of a field in the API -> its label."""
