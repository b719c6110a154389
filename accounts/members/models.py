from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.roles.models import Role
from accounts.users.memberships import MembershipStatus
from core.fields import CompanyForeignKey, LowerEmailField, NameField
from core.models import CompanyModel
from core.tenancy import OwnRecords
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


class Member(CompanyModel):
    """A person's membership of a company. An invited one may have no user yet; the address identifies the invited
    person."""

    Status = MembershipStatus

    user = models.ForeignKey(
        "accounts.User", on_delete=models.CASCADE, null=True, blank=True, related_name="memberships"
    )
    role = CompanyForeignKey(
        Role,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="members",
        help_text=_("Leave empty for owners only."),
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.INVITED)
    name = NameField(max_length=200, blank=True)
    email = LowerEmailField(max_length=254)
    invited_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    invited_at = models.DateTimeField(null=True, editable=False)
    invite_expires_at = models.DateTimeField(null=True, editable=False)
    invite_nonce = models.CharField(
        max_length=24, blank=True, editable=False, help_text="Part of the invite's link: a new one ends the old link."
    )
    accepted_at = models.DateTimeField(null=True, editable=False)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "user"), name="member_once"),
            models.UniqueConstraint(fields=("company", "email"), name="member_email_once"),
            models.CheckConstraint(
                condition=Q(status="owner") | Q(role__isnull=False) | ~Q(status="accepted"), name="member_has_role"
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=False) | Q(status__in=("invited", "rejected", "expired", "removed")),
                name="member_has_user",
            ),
        ]
        indexes = [
            models.Index(fields=("company", "-created_at", "name", "id"), name="member_newest"),
            models.Index(fields=("invite_expires_at",), condition=Q(status="invited"), name="member_invite_expiry"),
            models.Index(fields=("email",), condition=Q(status="invited"), name="member_invited_email"),
        ]

    def __str__(self) -> str:
        return str(self.name or self.email)

    def permissions(self) -> JsonObject:
        """Return the permissions of the role: module -> method -> allowed."""
        return self.role.permission if self.role else {}

    def may(self, module: str, method: str) -> bool:
        """Return whether the member is an owner, or the role allows the method on the module."""
        return self.status == Member.Status.OWNER or bool(self.permissions().get(module, {}).get(method))

    def may_on_all(self, module: str, method: str) -> bool:
        """Return whether the member may use the method, and is not limited to own records."""
        return self.own_records is None and self.may(module, method)

    @property
    def own_records(self) -> OwnRecords | None:
        """The own records that the role limits the member to; None for those of everybody."""
        modules = self.role.own_modules if self.role and self.status != Member.Status.OWNER else frozenset()
        return OwnRecords(self.pk, modules) if modules else None


class InviteLog(CompanyModel):
    """One change of a membership, from the invitation on. Rows never change."""

    class Action(models.TextChoices):
        INVITED = "invited"
        RESENT = "resent"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        EXPIRED = "expired"
        ROLE_CHANGED = "role_changed"
        BLOCKED = "blocked"
        UNBLOCKED = "unblocked"
        REMOVED = "removed"
        OWNERSHIP_TRANSFERRED = "ownership_transferred"

    member = CompanyForeignKey(Member, on_delete=models.CASCADE, related_name="invite_logs")
    email = LowerEmailField(max_length=254)
    action = models.CharField(max_length=24, choices=Action)
    action_by = CompanyForeignKey(Member, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    role = CompanyForeignKey(Role, on_delete=models.SET_NULL, null=True, related_name="+")
    detail = models.CharField(max_length=300, blank=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("invite")
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="invitelog_newest")]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.email}"
