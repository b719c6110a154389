"""The pages of members: the list, an invite, a member."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from accounts.members.serializers import MemberInvite, MemberUpdate
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Form, Option
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

MEMBERS = Records("member", "members", "users-round", gettext_lazy("The people who work in this company."))
ACTIVE = (gettext_lazy("Active"), "ok")
STATES = {
    "owner": ACTIVE,
    "accepted": ACTIVE,
    "invited": (gettext_lazy("Invited"), "warn"),
    "expired": (gettext_lazy("Invite expired"), "none"),
    "rejected": (gettext_lazy("Declined"), "none"),
    "blocked": (gettext_lazy("Blocked"), "bad"),
    "removed": (gettext_lazy("Removed"), "none"),
}
"""API status -> label and tone of the state. Owners are shown as such by their role."""
FILTERS = {status: words for status, (words, _) in STATES.items()} | {
    "owner": gettext_lazy("Active, an owner"),
    "accepted": gettext_lazy("Active, no owner"),
}
OPEN = ("invited", "expired")


def shown_member(member: Values) -> JsonObject:
    """Return the member with labels of role and state, and the state's tone."""
    label, tone = STATES.get(member["status"], (member["status"], "none"))
    role = gettext("Owner") if member["status"] == "owner" else (member["role"] or {}).get("name") or gettext("No role")
    return {**member, "role_name": role, "state": label, "tone": tone, "active": (label, tone) == ACTIVE}


class MemberPage(Page):
    module = "member"
    menu = MenuItem(
        gettext_lazy("Members"),
        SETTINGS,
        10,
        "users",
        gettext_lazy("People"),
        gettext_lazy("users people colleagues team invites invite"),
    )
    kind = MEMBERS

    @cached_property
    def roles(self) -> list[Option]:
        return self.options_of("role")


class Members(RecordList, MemberPage):
    path = "settings/members"
    name = "members"
    title = gettext_lazy("Members")
    purpose = gettext_lazy("Invite colleagues and choose their roles.")
    adds = "member-new"
    none = gettext_lazy("No members yet")
    count = ngettext_lazy("%(count)s member", "%(count)s members")
    rows = "web/members/rows.html"
    hint = gettext_lazy("Name, email")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("email", gettext_lazy("Email"), "email"),
        Column("role", gettext_lazy("Role"), "role.name"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("acceptedAt", gettext_lazy("Joined"), "acceptedAt"),
    )
    add_label = gettext_lazy("Invite member")
    choices = (Choice("status", gettext_lazy("Status"), ("in",), list(FILTERS.items())),)
    template = "web/members/list.html"

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [shown_member(member) for member in context["records"]]}


class NewMember(NewRecord, MemberPage):
    path = "settings/members/new"
    name = "member-new"
    title = gettext_lazy("Invite member")
    action = title
    added = gettext_lazy("Member added")
    template = "web/members/new.html"

    form_class = form_from_input(
        MemberInvite,
        {"email": gettext_lazy("Email"), "name": gettext_lazy("Name"), "role": gettext_lazy("Role")},
        placeholders={"role": gettext_lazy("Default role")},
        focus="email",
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.fields["role"].options = self.roles
        if not self.roles:
            form.drop("role")
        return form

    def body(self, values: Values) -> JsonObject:
        return {name: value for name, value in values.items() if value}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "member", None, self.body(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(
            gettext("Invite sent to %(email)s") % {"email": form.values["email"]}, self.address("members")
        )


class EditMember(EditRecord, RecordForm, MemberPage):
    """A member: name and role, and actions on the membership."""

    path = "settings/members/<str:id>"
    name = "member"
    tab_name = gettext_lazy("Member")
    record_kind = ("member", gettext_lazy("Members"))
    template = "web/members/detail.html"
    removable = False
    saved = gettext_lazy("Member saved")

    form_class = form_from_input(
        MemberUpdate, {"name": gettext_lazy("Name"), "role": gettext_lazy("Role")}, required=("role",)
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.fields["role"].options = self.roles
        if not self.roles or self.record["status"] == "owner":
            form.drop("role")
        return form

    def values(self) -> Values:
        return {**self.record, "role": (self.record["role"] or {}).get("_id", "")}

    def context(self) -> JsonObject:
        member = shown_member(self.record)
        status = member["status"]
        mine = member["_id"] == self.actor.member_id
        return {
            "record": member,
            "title": member["name"] or member["email"],
            "mine": mine,
            "can_resend": status in OPEN,
            "can_block": status == "accepted" and not mine,
            "can_unblock": status == "blocked",
            "can_hand_over": status == "accepted" and self.actor.is_owner and not mine,
            "can_leave_owners": status == "owner" and self.actor.is_owner,
            "can_remove": status != "removed" and not mine,
        }

    def do_resend(self) -> HttpResponse:
        answer = self.ask("POST", f"member/{self.params['id']}/resend", None, {})
        return self.redirect_with_toast(gettext("New invite sent")) if answer.ok else self.refuse(answer)

    def do_block(self) -> HttpResponse:
        return self._status("blocked", gettext("Blocked and logged out."))

    def do_unblock(self) -> HttpResponse:
        return self._status("accepted", gettext("Unblocked"))

    def do_own(self) -> HttpResponse:
        return self._status("owner", gettext("Now an owner"))

    def do_disown(self) -> HttpResponse:
        return self._status("accepted", gettext("No longer an owner"))

    def _status(self, status: str, text: str) -> HttpResponse:
        answer = self.ask("PUT", f"member/{self.params['id']}", None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def do_transfer(self) -> HttpResponse:
        answer = self.ask("POST", f"member/{self.params['id']}/transfer-ownership", None, {})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Ownership transferred. You are now a member."), self.address("members")
        )

    def do_remove(self) -> HttpResponse:
        body = {"deleteKeys": True} if "deleteKeys" in self.request.POST else {}
        answer = self.ask("DELETE", f"member/{self.params['id']}", None, body)
        return (
            self.redirect_with_toast(gettext("Removed"), self.address("members")) if answer.ok else self.refuse(answer)
        )

    def do_delete(self) -> HttpResponse:
        return self.do_remove()


PAGES = [Members, NewMember, EditMember]
