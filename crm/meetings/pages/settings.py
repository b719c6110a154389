"""The tab of settings for the links of video calls."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm


class VideoCalls(SettingsForm):
    path = "settings/video-calls"
    name = "video-calls"
    title = tab = gettext_lazy("Video calls")
    menu = MenuItem(
        gettext_lazy("Video calls"),
        SETTINGS,
        40,
        "video",
        gettext_lazy("Connections"),
        gettext_lazy("meeting links zoom meet teams"),
    )
    purpose = gettext_lazy("Video call provider for meetings.")
    module = "settings"
    resource = "videocall/settings"

    def form(self, values: Values | None = None) -> Form:
        providers = (values or {}).get("providers", ())
        return Form(
            fields=[
                Field(
                    "linkTemplate",
                    _("Link template of your video server"),
                    placeholder="https://meet.example.org/{random}",
                    help_text=_("An https address with {random} or {meeting}, for one room per call."),
                ),
                Field(
                    "provider",
                    _("Video call provider"),
                    "select",
                    options=[Option(provider["key"], provider["name"]) for provider in providers],
                    placeholder=_("Nothing"),
                    help_text=_("Used unless a call or booking page sets another."),
                ),
            ],
            initial=values,
        )
