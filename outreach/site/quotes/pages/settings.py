"""The settings for quotes."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

FIELDSETS = (
    Fieldset(gettext_lazy("New quotes"), (("prefix", "validDays"), "terms")),
    Fieldset(gettext_lazy("Leads"), ("movesAccepted", ("acceptedStage", "declinedStage"))),
)


class QuoteRules(SettingsForm):
    path = "settings/quotes"
    name = "quote-settings"
    title = gettext_lazy("Quote settings")
    purpose = gettext_lazy("Numbers, validity and what acceptance does.")
    menu = MenuItem(
        gettext_lazy("Quotes"),
        SETTINGS,
        48,
        "file-text",
        gettext_lazy("Data"),
        keywords=gettext_lazy("proposals estimates numbers"),
    )
    module = "settings"
    resource = "quote/settings"

    def form(self, values: Values | None = None) -> Form:
        stages = self.stages()
        fields = [
            Field("prefix", _("Text before the number"), placeholder="Q-"),
            Field("validDays", _("Days valid"), "number"),
            Field("terms", _("Terms"), "textarea"),
            Field("movesAccepted", _("Move leads of accepted quotes"), "switch"),
            Field(
                "acceptedStage",
                _("When a quote is accepted, move the lead to"),
                "select",
                options=stages,
                placeholder=_("Won stage of its pipeline"),
            ),
            Field(
                "declinedStage",
                _("When a quote is declined, move the lead to"),
                "select",
                options=stages,
                placeholder=_("No other stage"),
            ),
        ]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def stages(self) -> list[Option]:
        """Return the stages of all pipelines, under the names of these."""
        answer = self.ask("GET", "pipeline", {"n": "50", "p": "1"}) if self.may("lead") else None
        pipelines = answer.data if answer is not None and answer.ok else ()
        return [
            Option(stage["_id"], stage["name"], pipeline["name"])
            for pipeline in pipelines
            for stage in pipeline["stages"]
        ]

    def body(self, values: Values) -> JsonObject:
        return {name: value or None if name.endswith("Stage") else value for name, value in values.items()}
