"""The colours for tags and the like: a few that are distinguishable in light and dark."""

from __future__ import annotations

COLORS = {
    "#2f5bea": "Blue",
    "#0e7490": "Teal",
    "#15803d": "Green",
    "#ca8a04": "Yellow",
    "#ea580c": "Orange",
    "#dc2626": "Red",
    "#db2777": "Pink",
    "#7c3aed": "Purple",
    "#6b7280": "Grey",
}
"""Colour -> its name."""
