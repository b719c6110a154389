"""The fields of a campaign's tracking and UTM tags, as far as the company has these switched on."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.forms import Field
from outreach.runs.genie.pages.base import tracking_switches

UTM = ("utmTags", "utmSource", "utmMedium", "utmCampaign")


def tag_fields(choices: Values) -> list[Field]:
    """Return the switches of the company's tracking, and the fields of its UTM tags."""
    tracks = choices["tracking"]
    switches = tracking_switches({"trackOpens": tracks["opens"], "trackClicks": tracks["clicks"]})
    if not choices["utmTags"]:
        return switches
    default = _("Leave empty to use your company's.")
    return [
        *switches,
        Field("utmTags", _("Add UTM tags to links"), "switch", initial=True),
        Field("utmSource", _("UTM source"), help_text=default),
        Field("utmMedium", _("UTM medium"), help_text=default),
        Field("utmCampaign", _("UTM campaign"), help_text=_("Leave empty to use the name of the campaign.")),
    ]
