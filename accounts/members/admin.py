"""Back office page of members, and its panels on the pages of companies and users.

Changes go through the services, which write the invite log.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.api_keys.models import ApiKey
from accounts.companies.admin import company_search
from accounts.companies.models import Company
from accounts.members.invites import resend_invite
from accounts.members.models import Member
from accounts.members.services import remove_member, update_member
from accounts.roles.authority import staff_actor
from accounts.roles.models import Role
from accounts.users.models import User
from core.access import Actor
from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.dialogs import has_status
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.backoffice.references import register_event_kind, register_references
from core.errors import NamedError
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _

Status = Member.Status


class MemberForm(BackOfficeForm):
    """A membership. Members and invited people need a role, owners don't; a former member's role is not changed."""

    def clean_role(self) -> Role | None:
        role: Role | None = self.cleaned_data["role"]
        if role != self.instance.role and self.instance.status not in (Status.ACCEPTED, Status.BLOCKED, Status.INVITED):
            raise forms.ValidationError(_("You can't change the role of a former member."))
        if role is None and self.instance.status in (Status.ACCEPTED, Status.BLOCKED, Status.INVITED):
            raise forms.ValidationError(_("Choose a role. Only owners have none."))
        return role


@admin.register(Member)
class MemberAdmin(CompanyRecordAdmin):
    """Memberships of companies, with their roles."""

    icon = "badge"
    finds = True
    form = MemberForm
    edits = ("role", "name")
    commands = ("resend", "unblock", "make_owner", "make_plain", "block", "remove")
    when: ClassVar[Any] = {
        "block": has_status(Status.ACCEPTED),
        "unblock": has_status(Status.BLOCKED),
        "make_owner": has_status(Status.ACCEPTED),
        "make_plain": has_status(Status.OWNER),
        "resend": has_status(Status.INVITED),
        "remove": has_status(Status.ACCEPTED, Status.BLOCKED, Status.INVITED),
    }
    hides = ("invite_nonce",)
    list_display = ("email", "name", "company", "status", "role", "created_at")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "email", "name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        if "role" in values:
            values["role"] = values["role"].pk
        if values:
            with company_scope(obj.company_id):
                update_member(actor=_actor(request, obj), id=obj.pk, values=values)

    def _move(self, request: HttpRequest, rows: QuerySet[Member], was: str, status: str, done: str) -> None:
        def move(row: Member) -> None:
            if row.status != was:
                raise NamedError("InvalidMemberStatus_400", f"is {row.status}, not {was}")
            update_member(actor=_actor(request, row), id=row.pk, values={"status": status})

        self.each(request, rows, move, done)

    @admin.display(description=_("Block"))
    def block(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        ids = [row.pk for row in rows]
        self._move(request, rows, Status.ACCEPTED, Status.BLOCKED, _("Blocked"))
        self._name_keys(request, ids, Status.BLOCKED)

    @admin.display(description=_("Unblock"))
    def unblock(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.BLOCKED, Status.ACCEPTED, _("Unblocked"))

    @admin.display(description=_("Make an owner"))
    def make_owner(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.ACCEPTED, Status.OWNER, _("Made an owner"))

    @admin.display(description=_("Make a regular member"))
    def make_plain(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self._move(request, rows, Status.OWNER, Status.ACCEPTED, _("Made a regular member"))

    @admin.display(description=_("Send the invite again"))
    def resend(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        self.each(
            request, rows, lambda row: resend_invite(actor=_actor(request, row), id=row.pk), _("Invite sent again")
        )

    @admin.display(description=_("Remove"))
    def remove(self, request: HttpRequest, rows: QuerySet[Member]) -> None:
        ids = [row.pk for row in rows]
        self.each(request, rows, lambda row: remove_member(actor=_actor(request, row), id=row.pk), _("Removed"))
        self._name_keys(request, ids, Status.REMOVED)

    def _name_keys(self, request: HttpRequest, ids: list[str], status: str) -> None:
        """List the API keys of the members who have the status now, since keys remain until they are deleted."""
        theirs = ApiKey.objects.filter(created_by__in=ids, created_by__status=status).order_by("pk")
        keys = theirs.values_list("masked_key", flat=True)[:ROWS]
        if names := ", ".join(keys):
            text = _("API keys of these members stay until you delete them: %(names)s")
            self.message_user(request, text % {"names": names}, messages.WARNING)


def _actor(request: HttpRequest, member: Member) -> Actor:
    return staff_actor(user_id=str(request.user.pk), company_id=member.company_id)


@company_search.connect
def companies_of_address(term: str) -> QuerySet[Any] | None:
    """Return the companies of the person with this email address."""
    if "@" not in term or " " in term:
        return None
    companies: QuerySet[Any] = Member.objects.filter(Q(email=term) | Q(user__email=term)).values("company_id")
    return companies


@register_panel(Company, _("Members"), permission="accounts.view_member")
def _members_of_company(company: Company) -> SafeString:
    rows = Member.objects.filter(company=company).select_related("user", "role").order_by("id")
    cells = [
        (
            render_link(row, row.name or row.email),
            row.email,
            choice_text(row, "status"),
            row.role or "–",
            row.accepted_at or row.created_at,
        )
        for row in rows[:ROWS]
    ]
    return render_table(
        (_("Name"), _("Email"), _("Status"), _("Role"), _("Since")),
        cells,
        more=list_address(Member, company__id__exact=company.pk),
    )


@register_panel(User, _("Memberships"), permission="accounts.view_member")
def _memberships_of_user(user: User) -> SafeString:
    rows = Member.objects.filter(user=user).select_related("company", "role").order_by("id")[:ROWS]
    cells = [
        (
            render_link(row.company),
            render_link(row, choice_text(row, "status")),
            row.role or "–",
            row.accepted_at or row.created_at,
        )
        for row in rows
    ]
    return render_table(
        (_("Company"), _("Status"), _("Role"), _("Since")),
        cells,
        more=list_address(Member, q=user.email),
        empty=_("No memberships."),
    )


@register_panel(Member, _("API keys"), permission="accounts.view_apikey")
def _keys_of_member(member: Member) -> SafeString:
    rows = ApiKey.objects.filter(created_by=member).defer("key").order_by("-id")[:ROWS]
    cells = [
        (render_link(row), choice_text(row, "type"), row.created_at, row.last_used_at or _("Never")) for row in rows
    ]
    more = list_address(ApiKey, q=member.email)
    return render_table((_("Key"), _("Type"), _("Created"), _("Last used")), cells, more=more, empty=_("No API keys."))


register_references(Member, "actor_id", "member", "members", "teamMember", "assignee", "createdBy", "updatedBy")
register_event_kind(Member, "member")
