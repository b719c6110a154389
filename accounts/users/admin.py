"""Back office pages of people's accounts."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import ngettext
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.users.models import User
from accounts.users.services import end_sessions
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.display import FOLDED
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, BackOfficeAdmin):  # type: ignore[misc]  # both are ModelAdmins
    """Sets of back office permissions for staff."""

    icon = "shield_person"
    edits = ("name", "permissions")
    adds = deletes = True
    fields: ClassVar[Any] = ("name", "permissions")  # type: ignore[misc]  # DisplayMixin says the attributes of ModelAdmin
    list_display = ("name",)
    ordering: ClassVar[Any] = ("name",)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, BackOfficeAdmin):  # type: ignore[misc, type-arg]  # both are ModelAdmins
    """People's accounts. Only superusers grant rights and change the accounts of other staff."""

    icon = "person"
    finds = True
    edits = ("email", "name", "is_active", "is_staff", "is_superuser", "groups", "user_permissions")
    adds = True
    commands = ("mark_verified", "end_all_sessions", "remove_second_factor")
    when: ClassVar[Any] = {
        "mark_verified": lambda user: user.email_verified_at is None,
        "remove_second_factor": lambda user: user.secondfactor_set.filter(confirmed=True).exists(),
    }
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "is_active", "verified", "is_staff", "is_superuser", "last_login", "created_at")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("=id", "email", "name")
    search_help_text = _("Name, email, id, or the full name of a company")
    ordering: ClassVar[Any] = ("-id",)
    add_fieldsets = ((None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),)
    rights = ("is_staff", "is_superuser", "groups", "user_permissions")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (
            obj is None
            or request.user.is_superuser
            or not (obj.is_superuser or obj.is_staff)
            or obj.pk == request.user.pk
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search the columns, and find the people of the company whose name or id was typed in."""
        rows, distinct = super().get_search_results(request, queryset, search_term)
        company = search_term.strip()
        if not company:
            return rows, distinct
        theirs = User.objects.filter(Q(memberships__company__name__iexact=company) | Q(memberships__company=company))
        return queryset.filter(Q(pk__in=rows.order_by().values("pk")) | Q(pk__in=theirs.values("pk"))), False

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        may = [name for name in ("email", "name", "is_active") if self.has_change_permission(request, obj)]
        rights = [name if may and request.user.is_superuser else self.column(name) for name in self.rights]
        facts = [self.column(name) for name in ("id", "email_verified_at", "last_login", "created_at", "updated_at")]
        sets = [(None, {"fields": may})] if may else []
        return [*sets, (_("Back office"), {"fields": rights}), (FOLDED, {"fields": facts, "classes": ["collapse"]})]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[Any, ...]:
        columns = [column for _, options in self.get_fieldsets(request, obj) for column in options["fields"]]
        return tuple(column for column in columns if callable(column))

    @admin.display(description=_("End all sessions"))
    def end_all_sessions(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        for user in rows:
            end_sessions(user_id=user.pk)
            self.log_change(request, user, _("Ended all sessions."))
        self.message_user(request, _("The sessions have ended."), messages.SUCCESS)

    def get_actions(self, request: HttpRequest) -> JsonObject:
        actions = super().get_actions(request)
        if not request.user.is_superuser:
            actions.pop("remove_second_factor", None)
        return actions

    @admin.display(description=_("Remove the second factor"))
    def remove_second_factor(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        done = 0
        for user in rows.filter(secondfactor__confirmed=True):
            user.secondfactor_set.all().delete()
            self.log_change(request, user, _("Removed the second factor."))
            done += 1
        self.message_user(
            request,
            ngettext("%(number)s second factor removed.", "%(number)s second factors removed.", done)
            % {"number": done},
            messages.SUCCESS,
        )

    @admin.display(description=_("verified"), boolean=True, ordering="email_verified_at")
    def verified(self, user: User) -> bool:
        return user.email_verified_at is not None

    @admin.display(description=_("Mark email as verified"))
    def mark_verified(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        done = 0
        for user in rows.filter(email_verified_at=None):
            user.email_verified_at = timezone.now()
            user.save(update_fields=["email_verified_at", "updated_at"])
            self.log_change(request, user, _("Marked the email as verified."))
            done += 1
        self.message_user(
            request,
            ngettext("%(number)s email marked as verified.", "%(number)s emails marked as verified.", done)
            % {"number": done},
            messages.SUCCESS,
        )
