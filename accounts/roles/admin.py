"""Back office page of roles. Changes go through the services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.roles.authority import staff_actor
from accounts.roles.models import Role
from accounts.roles.permissions import parse_permission
from accounts.roles.services import update_role
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.errors import ApiError
from core.tenancy import company_scope


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
        if values:
            with company_scope(obj.company_id):
                update_role(
                    actor=staff_actor(user_id=str(request.user.pk), company_id=obj.company_id), id=obj.pk, values=values
                )

    @admin.display(description="Make the default role")
    def make_default(self, request: HttpRequest, rows: QuerySet[Role]) -> None:
        def move(role: Role) -> None:
            update_role(
                actor=staff_actor(user_id=str(request.user.pk), company_id=role.company_id),
                id=role.pk,
                values={"is_default": True},
            )

        self.each(request, rows, move, "made the default role")
