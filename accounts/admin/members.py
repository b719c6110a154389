"""Back office pages of members and roles."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.models import Member, Role
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin


class MemberForm(BackOfficeForm):
    """A membership; a company keeps an owner."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        was, will = self.initial.get("status"), cleaned.get("status")
        if was == Member.Status.OWNER and will != Member.Status.OWNER:
            others = Member.objects.filter(company_id=self.instance.company_id, status=Member.Status.OWNER).exclude(pk=self.instance.pk)
            if not others.exists():
                raise forms.ValidationError("This is the company's only owner; make somebody else its owner first.")
        return cleaned


@admin.register(Member)
class MemberAdmin(CompanyRecordAdmin):
    """Who belongs to which company, and as what."""

    icon = "badge"
    form = MemberForm
    edits = ("status", "role", "name")
    list_display = ("email", "name", "company", "status", "role", "created_at")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    list_select_related = ("company", "role")
    search_fields = ("=id", "email", "name")


class RoleForm(BackOfficeForm):
    """A role, whose permission is module -> method -> allowed."""

    def clean_permission(self) -> dict[str, Any]:
        value = self.cleaned_data["permission"] or {}
        fine = isinstance(value, dict) and all(
            isinstance(methods, dict) and all(isinstance(flag, bool) for flag in methods.values()) for methods in value.values()
        )
        if not fine:
            raise forms.ValidationError('Write it as {"contact": {"GET": true, "POST": false}}.')
        return value


@admin.register(Role)
class RoleAdmin(CompanyRecordAdmin):
    """Named sets of permissions."""

    icon = "key_visualizer"
    form = RoleForm
    edits = ("name", "description", "permission")
    list_display = ("name", "company", "is_default", "description", "created_at")
    list_filter = (BY_COMPANY, "is_default")
    search_fields = ("=id", "name")
