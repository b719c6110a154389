"""The colours of tags and the like."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.text.colors import COLORS
from core.web.forms import Option


def color_options(current: str = "") -> list[Option]:
    """Return the colours to choose from. A current colour outside of them stays available."""
    options = [Option(value, label) for value, label in COLORS.items()]
    if current and current not in COLORS:
        options.append(Option(current, _("Current color (%(current)s)") % {"current": current}))
    return options
