"""The settings for quotes."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

FIELDSETS = (
    Fieldset(gettext_lazy("New quotes"), (("prefix", "validDays"), "terms")),
    Fieldset(gettext_lazy("Leads"), ("movesAccepted", ("acceptedStage", "declinedStage"))),
)


class QuoteSettingsForm(Form):
    fieldsets = FIELDSETS
    prefix = Field(label=gettext_lazy("Text before the number"), placeholder="Q-")
    validDays = Field(label=gettext_lazy("Days valid"), kind="number")
    terms = Field(label=gettext_lazy("Terms"), kind="textarea")
    movesAccepted = Field(label=gettext_lazy("Move leads of accepted quotes"), kind="switch")
    acceptedStage = Field(
        label=gettext_lazy("When a quote is accepted, move the lead to"),
        kind="select",
        placeholder=gettext_lazy("Won stage of its pipeline"),
    )
    declinedStage = Field(
        label=gettext_lazy("When a quote is declined, move the lead to"),
        kind="select",
        placeholder=gettext_lazy("No other stage"),
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
        gettext_lazy("offers proposals numbers"),
    )
    module = "settings"
    resource = "quote/settings"

    def form(self, values: Values | None = None) -> Form:
        form = QuoteSettingsForm(initial=values)
        stages = self.stages()
        for name in ("acceptedStage", "declinedStage"):
            form.fields[name].options = stages
        return form

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
