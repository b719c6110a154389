"""Back office pages of users, companies, members, roles and credentials."""

from __future__ import annotations

import zoneinfo
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.models import ApiKey, Company, Member, RefreshToken, Role, User
from accounts.services.api_keys import delete_keys
from accounts.services.sessions import end_family, end_sessions
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, BackOfficeForm, CompanyRecordAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table
from core.tenancy import company_scope

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, BackOfficeAdmin):  # type: ignore[misc]  # both are ModelAdmins
    """Sets of back office permissions for staff."""

    icon = "shield_person"
    edits = ("name", "permissions")
    adds = deletes = True
    fields: ClassVar[Any] = ("name", "permissions")
    list_display = ("name",)
    ordering: ClassVar[Any] = ("name",)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, BackOfficeAdmin):  # type: ignore[misc]  # both are ModelAdmins
    """People's accounts. Who is no superuser can neither make one nor change one."""

    icon = "person"
    edits = ("email", "name", "is_active", "is_staff", "is_superuser", "groups", "user_permissions")
    adds = True
    commands = ("end_all_sessions",)
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_active", "is_staff", "is_superuser", "last_login", "created_at")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("=id", "email", "name")
    ordering: ClassVar[Any] = ("-id",)
    readonly_fields = ("id", "last_login", "created_at", "updated_at")
    fieldsets = (
        (None, {"fields": ("email", "name", "is_active")}),
        ("Back office", {"fields": ("is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Record", {"fields": ("id", "last_login", "created_at", "updated_at")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),)
    rights = ("is_staff", "is_superuser", "groups", "user_permissions")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or request.user.is_superuser or not (obj.is_superuser or obj.is_staff) or obj.pk == request.user.pk)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        return self.fieldsets if obj else self.add_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        return self.readonly_fields if request.user.is_superuser else (*self.readonly_fields, *self.rights)

    @admin.display(description="End all sessions")
    def end_all_sessions(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        for user in rows:
            end_sessions(user_id=user.pk)
            self.log_change(request, user, "Ended all sessions.")
        self.message_user(request, "Their sessions have ended", messages.SUCCESS)


@admin.register(Company)
class CompanyAdmin(BackOfficeAdmin):
    """Tenants. The unique key of their contacts is not edited here: every contact's key columns hang on it."""

    icon = "apartment"
    edits = ("name", "email", "country_code", "number", "website", "description", "timezone")
    list_display = ("name", "email", "timezone", "contact_unique_key", "created_at")
    search_fields = ("=id", "name", "email")
    search_help_text = "Name, e-mail or id"

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "timezone" and field is not None:
            field.validators.append(known_timezone)
        return field


def known_timezone(name: str) -> None:
    """Raise ValidationError for a name that the IANA database does not have."""
    if name not in zoneinfo.available_timezones():
        raise forms.ValidationError(f"{name} is not a timezone of the IANA database.")


@panel(Company, "Members", permission="accounts.view_member")
def _members(company: Company) -> SafeString:
    rows = Member.objects.filter(company=company).select_related("user", "role").order_by("id")
    cells = [
        (link(row, row.name or row.email), row.email, row.get_status_display(), row.role or "–", row.created_at) for row in rows[:ROWS]
    ]
    return table(("Name", "E-mail", "Status", "Role", "Since"), cells, more=list_address(Member, company__id__exact=company.pk))


@panel(Company, "API keys", permission="accounts.view_apikey")
def _keys(company: Company) -> SafeString:
    rows = ApiKey.objects.filter(company=company).select_related("created_by").defer("key").order_by("-id")
    cells = [(link(row), row.get_type_display(), row.get_ip_restriction_display(), row.created_by, row.created_at) for row in rows[:ROWS]]
    return table(("Key", "Type", "Addresses", "Made by", "Made"), cells, more=list_address(ApiKey, company__id__exact=company.pk))


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


@admin.register(ApiKey)
class ApiKeyAdmin(CompanyRecordAdmin):
    """Keys, masked; the API shows them in full to their company. Deleting one ends its access."""

    icon = "vpn_key"
    deletes = True
    list_display = ("masked_key", "company", "type", "duration_minutes", "ip_restriction", "created_by", "created_at")
    list_filter = (BY_COMPANY, ("type", ChoicesDropdownFilter), ("ip_restriction", ChoicesDropdownFilter))
    list_select_related = ("company", "created_by")
    search_fields = ("=id", "masked_key", "created_by__email")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return super().get_queryset(request).defer("key")

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        with company_scope(obj.company_id):
            delete_keys(ids=[obj.pk])


@admin.register(RefreshToken)
class RefreshTokenAdmin(BackOfficeAdmin):
    """Sessions that can be renewed."""

    icon = "devices"
    list_display = ("id", "user", "state", "created_at", "expires_at", "used_at", "revoked_at")
    list_filter = (("user", AutocompleteSelectFilter),)
    list_select_related = ("user",)
    search_fields = ("=id", "=family", "user__email")
    commands = ("end",)

    @admin.display(description="state")
    def state(self, token: RefreshToken) -> str:
        if token.revoked_at:
            return "ended"
        if token.used_at:
            return "renewed"
        return "open" if token.expires_at > timezone.now() else "run out"

    @admin.display(description="End the session")
    def end(self, request: HttpRequest, rows: QuerySet[RefreshToken]) -> None:
        for token in rows:
            end_family(family=token.family)
            self.log_change(request, token, "Ended the session.")
        self.message_user(request, "The sessions have ended", messages.SUCCESS)
