"""The colours for tags and the like: a few that are distinguishable in light and dark."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _

COLORS = {
    "#2f5bea": _("Blue"),
    "#0e7490": _("Teal"),
    "#15803d": _("Green"),
    "#ca8a04": _("Yellow"),
    "#ea580c": _("Orange"),
    "#dc2626": _("Red"),
    "#db2777": _("Pink"),
    "#7c3aed": _("Purple"),
    "#6b7280": _("Grey"),
}
"""Colour -> its name."""
