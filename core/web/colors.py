"""The colours that people give to tags and the like: a few that are told apart in light and dark."""

from __future__ import annotations

from core.web.forms import Field, Option

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


def color_field(current: str = "") -> Field:
    """Return a field for a colour; one that is none of ours stays as it is."""
    options = [Option(value, label) for value, label in COLORS.items()]
    if current and current not in COLORS:
        options.append(Option(current, f"As it is ({current})"))
    return Field("color", "Colour", "select", options=options, placeholder="None")
