"""The pages of roles: the list, and the permissions of a role as a table of modules and methods."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.prefills import find_named_record
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

ROLES = Records("role", "roles", "key-round", gettext_lazy("Roles define what members can view and change."))
ACTIONS = {
    "GET": gettext_lazy("view"),
    "POST": gettext_lazy("add"),
    "PUT": gettext_lazy("change"),
    "DELETE": gettext_lazy("delete"),
}
GROUPS = {
    "Contacts and leads": {
        "contact": gettext_lazy("Contacts"),
        "lead": gettext_lazy("Leads"),
        "lead-activity": gettext_lazy("Notes, calls and tasks"),
        "segment": gettext_lazy("Segments"),
        "tag": gettext_lazy("Tags"),
        "contact-category": gettext_lazy("Contact categories"),
        "product-service": gettext_lazy("Products and services"),
        "team": gettext_lazy("Teams"),
        "custom-field": gettext_lazy("Fields of contacts, leads, organizations and products"),
        "custom-section": gettext_lazy("Sections of fields"),
        "file": gettext_lazy("Files"),
        "report": gettext_lazy("Reports"),
    },
    "Outreach": {
        "genie": gettext_lazy("Outreach and its messages"),
        "template": gettext_lazy("Templates"),
        "campaign": gettext_lazy("Campaigns"),
        "chatapp": gettext_lazy("Chat messages"),
        "enrich": gettext_lazy("Data enrichment"),
        "lead-gen-ai": gettext_lazy("Find new people"),
        "ai-crm-chat": gettext_lazy("Assistant"),
        "workflow": gettext_lazy("Workflows"),
        "manual-chatbot": gettext_lazy("Chatbots"),
        "chat-widget": gettext_lazy("Website chat"),
        "domain-tracking": gettext_lazy("Tracking domains"),
    },
    "Calendar": {
        "meeting": gettext_lazy("Meetings"),
        "offline-meeting": gettext_lazy("Meetings in person"),
        "videocall": gettext_lazy("All video calls"),
        "my-videocall": gettext_lazy("Own video calls"),
        "calendar": gettext_lazy("All calendars"),
        "my-calendar": gettext_lazy("Own calendar"),
    },
    "Company": {
        "company": gettext_lazy("Company profile"),
        "member": gettext_lazy("Members"),
        "role": gettext_lazy("Roles"),
        "settings": gettext_lazy("Formats, rules and notices"),
        "apps": gettext_lazy("Senders and connected apps"),
        "api": gettext_lazy("API keys"),
        "logs": gettext_lazy("Log"),
        "plan": gettext_lazy("Plan and usage"),
        "white-label-options": gettext_lazy("Branding"),
    },
}
WORDS = {module: words for group in GROUPS.values() for module, words in group.items()}
SCOPES = (Option("all", gettext_lazy("All")), Option("own", gettext_lazy("Own only")))
SCOPE_FIELDS = {
    "scope_contact": gettext_lazy("Visible contacts and organizations"),
    "scope_lead": gettext_lazy("Visible leads"),
}
"""Field of the form -> its label. The rest of the name is the module."""
SCOPE_HINT = gettext_lazy("“Own only” hides the records of other members.")
NOTHING: Values = {"flags": [], **dict.fromkeys(SCOPE_FIELDS, "all")}
"""The values of a new role."""
MAX_NAMED = 5
"""Maximum number of changes named after saving; above it only their number is given."""
Permission = Mapping[str, Mapping[str, bool]]


def flags_of(permission: Permission) -> list[str]:
    """Return the allowed permissions, each as module.METHOD."""
    return [f"{module}.{method}" for module, flags in permission.items() for method, on in flags.items() if on]


def permission_of(flags: Collection[str]) -> dict[str, dict[str, bool]]:
    """Return the API's permission for flags. What no table has, the API refuses."""
    permission: dict[str, dict[str, bool]] = {}
    for flag in flags:
        module, _, method = flag.rpartition(".")
        permission.setdefault(module, {})[method] = True
    return permission


def flags_label(flags: Collection[str]) -> str:
    """Describe flags by module: Contacts (see, add)."""
    modules: dict[str, list[str]] = {}
    for flag in flags:
        module, _, method = flag.rpartition(".")
        modules.setdefault(WORDS.get(module, module), []).append(ACTIONS.get(method, method))
    if len(modules) > MAX_NAMED:
        return gettext("%(count)s of %(count_2)s areas") % {"count": len(flags), "count_2": len(modules)}
    return ", ".join(f"{words} ({', '.join(map(str, actions))})" for words, actions in modules.items())


def scope_values(role: Values) -> dict[str, str]:
    """Return the values of the fields of a role's record scope."""
    return {name: role["recordScope"][name.removeprefix("scope_")] for name in SCOPE_FIELDS}


def difference(before: Collection[str], after: Collection[str]) -> str:
    """Describe the permissions that a change adds and removes."""
    added = [flag for flag in after if flag not in before]
    removed_flags = [flag for flag in before if flag not in after]
    parts = [
        f"{label}: {flags_label(flags)}."
        for label, flags in ((gettext("Added"), added), (gettext("Removed"), removed_flags))
        if flags
    ]
    return " ".join(map(str, parts))


class RolePage(Page):
    module = "role"
    menu = MenuItem(
        gettext_lazy("Roles"), SETTINGS, 20, "shield", gettext_lazy("People"), gettext_lazy("permissions rights access")
    )
    kind = ROLES


class Roles(RecordList, RolePage):
    path = "settings/roles"
    name = "roles"
    title = gettext_lazy("Roles")
    purpose = gettext_lazy("Permissions to view, add, change and delete.")
    adds = "role-new"
    add_label = gettext_lazy("New role")
    none = gettext_lazy("No roles yet")
    count = ngettext_lazy("%(count)s role", "%(count)s roles")
    rows = "web/roles/rows.html"
    hint = gettext_lazy("Name, description")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("description", gettext_lazy("Description")),
        Column("allowed", gettext_lazy("Permissions"), css="right num"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )

    def show(self) -> Values:
        context = super().show()
        records = [{**role, "allowed": len(flags_of(role["permission"]))} for role in context["records"]]
        return {**context, "records": records, "of": len(WORDS) * len(ACTIONS)}


def hidden_modules(before: Collection[str], after: Collection[str]) -> list[str]:
    """Return the labels of modules that a change lets members work on without seeing them."""
    changed = {flag.partition(".")[0] for flag in set(before) ^ set(after)}
    return [
        label
        for module, label in WORDS.items()
        if module in changed
        and f"{module}.GET" not in after
        and any(f"{module}.{method}" in after for method in ACTIONS)
    ]


class PermissionForm(Form):
    """Name, description and permissions of a role."""

    def clean(self) -> JsonObject:
        values = super().clean() or {}
        before = self.initial.get("flags", [])
        hidden = hidden_modules(before, values.get("flags", before))
        if hidden:
            text = gettext("Tick “View” too, or clear the other boxes: %(modules)s.")
            self.add_error("flags", text % {"modules": ", ".join(hidden)})
        return values


class RoleForm(RecordForm, RolePage):
    template = "web/roles/form.html"

    def form(self, values: Values | None = None) -> Form:
        fields = [
            Field("name", gettext("Name"), required=True),
            Field("description", gettext("Description")),
            *(
                Field(name, label, "select", required=True, options=SCOPES, help_text=SCOPE_HINT)
                for name, label in SCOPE_FIELDS.items()
            ),
            Field("isDefault", gettext("Default role for invites"), "switch"),
            Field("flags", gettext("Permissions"), "checks", initial=[], merges=True),
        ]
        return PermissionForm(fields=fields, initial=values)

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        form = context.get("form")
        if form is not None:
            flags = form.values["flags"]
        else:
            flags = flags_of((context.get("record") or {}).get("permission", {}))
        return super().page({**context, "table": table(flags), "actions": ACTIONS}, template=template, status=status)

    def body(self, values: Values) -> JsonObject:
        fields = {name: value for name, value in values.items() if name != "flags" and name not in SCOPE_FIELDS}
        scope = {name.removeprefix("scope_"): values[name] for name in SCOPE_FIELDS if name in values}
        fields |= {"recordScope": scope} if scope else {}
        return fields | ({"permission": permission_of(values["flags"])} if "flags" in values else {})


def table(flags: Collection[str]) -> list[tuple[str, list[tuple[str, list[tuple[str, str, bool]]]]]]:
    """Return (group, [(module's label, [(flag, its label, whether it is allowed)])])."""
    return [
        (
            group,
            [
                (
                    label,
                    [
                        (f"{module}.{method}", f"{label}: {action}", f"{module}.{method}" in flags)
                        for method, action in ACTIONS.items()
                    ],
                )
                for module, label in modules.items()
            ],
        )
        for group, modules in GROUPS.items()
    ]


class NewRole(NewRecord, RoleForm):
    """A new role, from nothing or like another one (`?like=`)."""

    path = "settings/roles/new"
    name = "role-new"
    title = gettext_lazy("New role")
    added = gettext_lazy("Role added")

    def form(self, values: Values | None = None) -> Form:
        message = gettext("The copied role no longer exists.")
        role = find_named_record(self, "role", self.request.GET.get("like", ""), message)
        return super().form({"flags": flags_of(role["permission"]), **scope_values(role)} if role else NOTHING)


class EditRole(EditRecord, RoleForm):
    path = "settings/roles/<str:id>"
    name = "role"
    tab_name = gettext_lazy("Role")
    saved = gettext_lazy("Role saved")
    deleted = gettext_lazy("Role deleted")

    @property
    def removable(self) -> bool:  # type: ignore[override]
        return not self.record["isDefault"]

    def values(self) -> Values:
        return {**self.record, "flags": flags_of(self.record["permission"]), **scope_values(self.record)}

    def consequence(self) -> str:
        return gettext("Roles in use can't be deleted. This can't be undone.")

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.bound_form()
        if not form.is_valid():
            return self.show_refused(form, **self.context())
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged(self.address("roles"))
        answer = self.ask("PUT", f"role/{self.params['id']}", None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form, **self.context())
        summary = difference(before["flags"], changed["flags"]) if "flags" in changed else ""
        return self.redirect_with_toast(
            (gettext("Role saved. %(summary)s") % {"summary": summary}).strip(), self.address("roles")
        )


PAGES = [Roles, NewRole, EditRole]
