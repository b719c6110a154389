"""Back office page of roles. Changes go through the services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.roles.authority import staff_actor
from accounts.roles.models import Role
from accounts.roles.pages import ACTIONS, WORDS
from accounts.roles.permissions import METHODS, MODULES, parse_permission
from accounts.roles.services import update_role
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.backoffice.inputs import MatrixField
from core.backoffice.panels import render_table
from core.backoffice.values import Names, json_rendering
from core.errors import ApiError
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


class RoleForm(BackOfficeForm):
    """A role, whose permission is module -> method -> allowed."""

    permission = MatrixField(list(WORDS.items()), [(method, ACTIONS[method].capitalize()) for method in METHODS])

    def clean_permission(self) -> JsonObject:
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
    when: ClassVar[Any] = {"make_default": lambda role: not role.is_default}
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

    @admin.display(description=_("Make the default role"))
    def make_default(self, request: HttpRequest, rows: QuerySet[Role]) -> None:
        def move(role: Role) -> None:
            update_role(
                actor=staff_actor(user_id=str(request.user.pk), company_id=role.company_id),
                id=role.pk,
                values={"is_default": True},
            )

        self.each(request, rows, move, _("Made the default role"))


@json_rendering.connect
def _matrix(value: Any, names: Names) -> SafeString | None:
    """Show a permission as a table to who may not change it."""
    is_permission = (
        isinstance(value, Mapping)
        and value
        and all(
            module in MODULES and isinstance(flags, Mapping) and set(flags) <= set(METHODS)
            for module, flags in value.items()
        )
    )
    if not is_permission:
        return None
    rows = [
        (label, *("✓" if value.get(module, {}).get(method) else "" for method in METHODS))
        for module, label in WORDS.items()
        if value.get(module)
    ]
    return render_table(("", *(ACTIONS[method].capitalize() for method in METHODS)), rows)
