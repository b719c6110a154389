"""Back office pages of members, roles and invites. Changes go through the services, and so into the invite log."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.members.invites import resend_invite
from accounts.members.models import InviteLog, Member
from accounts.members.services import remove_member, update_member
from accounts.roles.models import Role
from accounts.roles.permissions import complete, parse_permission
from accounts.roles.services import update_role
from core.access import Actor, AuthPath
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.errors import ApiError, NamedError
from core.tenancy import company_scope

Status = Member.Status


def acting(request: HttpRequest, record: Member | Role) -> Actor:
    """The staff as services see them: no member of the company, and bound by no role."""
    return Actor(AuthPath.SESSION, str(request.user.pk), record.company_id, is_owner=True)


class MemberForm(BackOfficeForm):
    """A membership; owners need no role, and who is gone gets a new one with a new invite."""

    def clean_role(self) -> Role | None:
        role: Role | None = self.cleaned_data["role"]
        if role != self.instance.role and self.instance.status not in (Status.ACCEPTED, Status.BLOCKED, Status.INVITED):
            raise forms.ValidationError(f"This membership is {self.instance.status}: its role is not changed.")
        if role is None and self.instance.status in (Status.ACCEPTED, Status.BLOCKED, Status.INVITED):
            raise forms.ValidationError("A member who is no owner has a role.")
        return role


@admin.register(Member)
class MemberAdmin(CompanyRecordAdmin):
    """Who belongs to which company, and as what."""

    icon = "badge"
    form = MemberForm
    edits = ("role", "name")
    commands = ("block", "unblock", "make_owner", "make_plain", "resend", "remove")
    hides = ("invite_nonce",)
    list_display = ("email", "name", "company", "status", "role", "created_at")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    list_select_related = ("company", "role")
    search_fields = ("=id", "email", "name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        if "role" in values:
            values["role"] = values["role"].pk
        if values:
            with company_scope(obj.company_id):
                update_member(actor=acting(request, obj), id=obj.pk, values=values)

    def _move(self, request: HttpRequest, rows: QuerySet[Member], was: str, status: str, done: str) -> None:
        def move(row: Member) -> None:
            if row.status != was:
                raise NamedError("InvalidMemberStatus_400", f"is {row.status}, not {was}")
            update_member(actor=acting(request, row), id=row.pk, values={"status": status})

        self.each(request, rows, move, done)

    @admin.display(description="Block")
    def block(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.ACCEPTED, Status.BLOCKED, "blocked")

    @admin.display(description="Unblock")
    def unblock(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.BLOCKED, Status.ACCEPTED, "unblocked")

    @admin.display(description="Make an owner")
    def make_owner(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.ACCEPTED, Status.OWNER, "made an owner")

    @admin.display(description="Make a plain member")
    def make_plain(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.OWNER, Status.ACCEPTED, "made a plain member")

    @admin.display(description="Send the invite again")
    def resend(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self.each(request, rows, lambda row: resend_invite(actor=acting(request, row), id=row.pk), "invited again")

    @admin.display(description="Remove")
    def remove(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self.each(request, rows, lambda row: remove_member(actor=acting(request, row), id=row.pk), "removed")


class RoleForm(BackOfficeForm):
    """A role, whose permission is module -> method -> allowed."""

    def clean_permission(self) -> dict[str, Any]:
        try:
            return parse_permission(self.cleaned_data["permission"] or {})
        except ApiError as error:
            raise forms.ValidationError(error.detail or error.message) from None


@admin.register(Role)
class RoleAdmin(CompanyRecordAdmin):
    """Named sets of permissions."""

    icon = "key_visualizer"
    form = RoleForm
    edits = ("name", "description", "permission")
    commands = ("make_default",)
    list_display = ("name", "company", "is_default", "description", "created_at")
    list_filter = (BY_COMPANY, "is_default")
    search_fields = ("=id", "name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        if "permission" in values:
            values["permission"] = complete(values["permission"])  # what the form leaves out is not allowed
        if values:
            with company_scope(obj.company_id):
                update_role(actor=acting(request, obj), id=obj.pk, values=values)

    @admin.display(description="Make the default role")
    def make_default(self, request: HttpRequest, rows: QuerySet[Role]) -> None:
        def move(role: Role) -> None:
            update_role(actor=acting(request, role), id=role.pk, values={"is_default": True})

        self.each(request, rows, move, "made the default role")


@admin.register(InviteLog)
class InviteLogAdmin(CompanyRecordAdmin):
    """The steps of memberships, from the invite on."""

    icon = "history"
    list_display = ("email", "action", "company", "action_by", "role", "detail", "created_at")
    list_filter = (BY_COMPANY, ("action", ChoicesDropdownFilter))
    list_select_related = ("company", "action_by", "role")
    search_fields = ("=id", "email", "member__name")
    search_help_text = "Address, name or id"
