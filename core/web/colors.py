"""The field for a colour of tags and the like."""

from __future__ import annotations

from core.text.colors import COLORS
from core.web.forms import Field, Option


def color_field(current: str = "") -> Field:
    """Return a field for a colour. A current colour outside of the choices stays available."""
    options = [Option(value, label) for value, label in COLORS.items()]
    if current and current not in COLORS:
        options.append(Option(current, f"As it is ({current})"))
    return Field("color", "Colour", "select", options=options, placeholder="None")
