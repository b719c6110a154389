"""The pages of teams: who is in them, who takes new leads, and how leads are dealt out."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from crm.teams.serializers import TeamCreate

TEAMS = Records("team", "teams", "users-round", gettext_lazy("Teams share leads."))
WORKING = {"status": ["owner", "accepted"]}
MOVED_LEADS = ngettext_lazy(
    "%(count)s lead goes to the fallback team. This can't be undone.",
    "%(count)s leads go to the fallback team. This can't be undone.",
)
DISTRIBUTIONS = [
    Option("manual", gettext_lazy("By hand")),
    Option("roundRobin", gettext_lazy("Take turns (round robin)")),
    Option("leastLoaded", gettext_lazy("Fewest open leads")),
]


class TeamPage(Page):
    module = "team"
    menu = MenuItem(
        gettext_lazy("Teams"),
        SETTINGS,
        30,
        "users-round",
        gettext_lazy("People"),
        gettext_lazy("groups assignment routing round robin"),
    )
    kind = TEAMS


class Teams(RecordList, TeamPage):
    path = name = "teams"
    purpose = gettext_lazy("Groups of members and lead assignment.")
    title = gettext_lazy("Teams")
    template = "web/teams/list.html"
    adds = "team-new"
    add_label = gettext_lazy("New team")
    none = gettext_lazy("No teams yet")
    count = ngettext_lazy("%(count)s team", "%(count)s teams")
    rows = "web/teams/rows.html"
    hint = gettext_lazy("Name, description")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("members", gettext_lazy("Members")),
        Column("leadCount", gettext_lazy("Leads"), css="right num"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class TeamForm(RecordForm, TeamPage):
    """The form of a team. Members can be chosen by those who may see the members."""

    @cached_property
    def people(self) -> list[Option]:
        return self.options_of("member", fields="name,email", filters=WORKING)

    form_class = form_from_input(
        TeamCreate, {"name": gettext_lazy("Name"), "description": gettext_lazy("Description")}, focus="name"
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        if self.people:
            form.insert(Field("members", _("Members"), "checks", options=self.people))
            help = _("Members ticked in both columns get new leads.")
            everybody = [person.value for person in self.people]
            takes = Field(
                "takes", _("Assign new leads"), "checks", options=self.people, help_text=help, initial=everybody
            )
            form.insert(takes)
        return form

    def body(self, values: Values) -> JsonObject:
        payload = {name: value for name, value in values.items() if name != "takes"}
        members = payload.get("members", self.members())
        if "takes" in values or "members" in values:
            takes = values.get("takes", self.takes())
            payload["availability"] = {id: id in takes for id in members}
        return payload

    def members(self) -> list[str]:
        """Return the ids of the team's members."""
        return []

    def takes(self) -> list[str]:
        """Return the ids of those who get new leads."""
        return []


class NewTeam(NewRecord, TeamForm):
    path = "teams/new"
    name = "team-new"
    title = gettext_lazy("New team")
    action = title
    added = gettext_lazy("Team added")


class EditTeam(EditRecord, TeamForm):
    path = "teams/<str:id>"
    name = "team"
    tab_name = gettext_lazy("Team")
    saved = gettext_lazy("Team saved")
    deleted = gettext_lazy("Team deleted")
    record_kind = ("team", gettext_lazy("Teams"))

    @property
    def removable(self) -> bool:  # type: ignore[override]
        return not self.record["isDefault"]

    def members(self) -> list[str]:
        return [member["_id"] for member in self.record["members"]]

    def takes(self) -> list[str]:
        """Return who gets new leads. People outside of the team are ticked, so that they do once they join."""
        idle = {person["_id"] for person in self.record["members"] if not person["isAvailable"]}
        return [person.value for person in self.people if person.value not in idle]

    def values(self) -> Values:
        return {**self.record, "members": self.members(), "takes": self.takes()}

    def consequence(self) -> str:
        return MOVED_LEADS.of(self.record["leadCount"])


class LeadRuleForm(Form):
    distribution = Field(label=gettext_lazy("Assignment"), kind="radio", options=DISTRIBUTIONS)
    onlyAvailable = Field(label=gettext_lazy("Only to members who accept leads"), kind="switch")
    maxOpenLeads = Field(
        label=gettext_lazy("Maximum of open leads per person"),
        kind="number",
        help_text=gettext_lazy("Leave empty for no limit."),
    )


class LeadRule(Page):
    """The rule for the assignment of new leads to the members of their team."""

    path = "teams/rule"
    name = "team-rule"
    title = gettext_lazy("Lead assignment")
    module = "settings"
    menu = TeamPage.menu
    template = "web/teams/rule.html"

    def show(self) -> Values:
        rule = self.read("settings").data["teamSettings"]
        form = LeadRuleForm(initial=rule) if self.may("settings", "PUT") else None
        chosen = {distribution.value: distribution.label for distribution in DISTRIBUTIONS}[rule["distribution"]]
        return {"form": form, "rule": rule, "chosen": chosen}

    def do_save(self) -> HttpResponse:
        form = LeadRuleForm(initial=self.read("settings").data["teamSettings"]).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        answer = self.ask("PUT", "settings", None, {"teamSettings": form.values})
        return self.redirect_with_toast(_("Saved")) if answer.ok else self.invalid(form, answer)


PAGES = [Teams, NewTeam, EditTeam, LeadRule]
