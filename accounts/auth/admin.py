"""Back office page of sessions."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from accounts.auth.models import RefreshToken, SecondFactor
from accounts.auth.sessions.services import end_family
from accounts.users.models import User
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.panels import register_panel, render_figures
from core.text.translation import gettext_lazy as _


@admin.register(RefreshToken)
class RefreshTokenAdmin(BackOfficeAdmin):
    """Sessions that can be renewed."""

    icon = "devices"
    operators_only = True
    list_display = ("__str__", "user", "state", "created_at", "expires_at", "used_at", "revoked_at")
    list_filter = (("user", AutocompleteSelectFilter),)
    search_fields = ("=id", "=family", "user__email")
    commands = ("end",)
    when: ClassVar[Any] = {"end": lambda token: not (token.revoked_at or token.used_at)}

    @admin.display(description=_("state"))
    def state(self, token: RefreshToken) -> str:
        if token.revoked_at:
            return _("Ended")
        if token.used_at:
            return _("Renewed")
        return _("Open") if token.expires_at > timezone.now() else _("Expired")

    @admin.display(description=_("End the session"))
    def end(self, request: HttpRequest, rows: QuerySet[RefreshToken]) -> None:
        for token in rows:
            end_family(family=token.family)
            self.log_change(request, token, _("Ended the session."))
        self.message_user(request, _("The sessions have ended."), messages.SUCCESS)


@register_panel(User, _("Second factor"), permission="accounts.view_user")
def _second_factor(user: User) -> SafeString:
    factor = SecondFactor.objects.filter(user=user, confirmed=True).first()
    if factor is None:
        return render_figures([(_("Second factor"), _("Not set up"))])
    return render_figures(
        [
            (_("Set up on"), factor.created_at),
            (_("Last used"), factor.last_used_at or _("Never")),
            (_("Backup codes left"), len(factor.backup_codes)),
        ]
    )
