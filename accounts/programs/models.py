from __future__ import annotations

from functools import reduce
from operator import or_

from django.db import models
from django.db.models import Q

from core.models import BaseModel
from core.text.formats import money_text
from core.text.translation import gettext_lazy as _

REWARD_MOVES = (
    ("", "pending"),
    ("pending", "earned"),
    ("earned", "paid"),
    ("pending", "clawed_back"),
    ("earned", "clawed_back"),
    ("paid", "clawed_back"),
    ("clawed_back", "clawed_back"),
)
"""The allowed transitions of a reward, from and to. The last one settles an owed amount."""

OWED = Q(state="clawed_back", paid_at__isnull=False, settled_at=None)
"""Rewards that were paid, then clawed back, and are not repaid yet."""


class PartnerProgram(BaseModel):
    """A user's partnership: requested, decided in the back office, paid by a share of referred companies' payments."""

    class Status(models.TextChoices):
        REQUESTED = "requested"
        APPROVED = "approved"
        REJECTED = "rejected"
        REVOKED = "revoked"

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, related_name="partner_program")
    status = models.CharField(max_length=10, choices=Status, default=Status.REQUESTED)
    code = models.CharField(max_length=16, unique=True, null=True, editable=False)
    commission_percent = models.DecimalField(max_digits=5, decimal_places=2, default=20)
    request_note = models.TextField(blank=True)
    decision_note = models.TextField(blank=True)
    requested_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, editable=False)
    decided_by = models.ForeignKey(
        "accounts.User", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )

    class Meta:
        verbose_name = _("partnership")
        constraints = [
            models.CheckConstraint(
                condition=Q(commission_percent__gte=0) & Q(commission_percent__lte=100),
                name="partnerprogram_commission_is_percentage",
            )
        ]

    def __str__(self) -> str:
        return str(self.user)


class ReferProgram(BaseModel):
    """A user's participation in the referral program: a code to share while it is active."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        INACTIVE = "inactive"

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, related_name="refer_program")
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    code = models.CharField(max_length=16, unique=True, editable=False)

    class Meta(BaseModel.Meta):
        verbose_name = _("referrer")

    def __str__(self) -> str:
        return str(self.user)


class Referral(BaseModel):
    """The referrer of a user; set once, at registration."""

    class Program(models.TextChoices):
        PARTNER = "partner"
        REFER = "refer"

    program = models.CharField(max_length=7, choices=Program)
    referrer = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="referrals")
    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, related_name="referred_by")
    referred_company = models.ForeignKey(
        "accounts.Company",
        on_delete=models.SET_NULL,
        null=True,
        db_index=False,  # the constraint has an index
        related_name="+",
        help_text="The company made with the registration.",
    )
    code = models.CharField(max_length=16)

    class Meta:
        indexes = [models.Index(fields=("referrer", "program", "-created_at", "id"), name="referral_newest")]
        constraints = [
            models.CheckConstraint(condition=~Q(referrer=models.F("user")), name="referral_not_of_oneself"),
            models.UniqueConstraint(fields=("referred_company",), name="referral_one_a_company"),
        ]

    def __str__(self) -> str:
        return str(self.user)


class Reward(BaseModel):
    """The reward of a referral for its referrer.

    Its states are pending -> earned -> paid. It is clawed back from any of these when its payment is returned. If it
    was paid before, the beneficiary owes it until it is settled.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        EARNED = "earned"
        PAID = "paid"
        CLAWED_BACK = "clawed_back"

    referral = models.ForeignKey(Referral, on_delete=models.PROTECT, related_name="rewards")
    beneficiary = models.ForeignKey("accounts.User", on_delete=models.PROTECT, related_name="rewards")
    program = models.CharField(max_length=7, choices=Referral.Program, help_text="The referral's.")
    amount = models.DecimalField(max_digits=14, decimal_places=4)
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=11, choices=State, default=State.PENDING)
    source = models.CharField(max_length=64, help_text="The payment that it is for; one reward for each.")
    matures_at = models.DateTimeField(help_text="When a pending one is earned, unless its payment is returned before.")
    paid_at = models.DateTimeField(null=True, editable=False)
    settled_at = models.DateTimeField(
        null=True, editable=False, help_text="When what was paid and clawed back had been given back."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("referral", "source"), name="reward_once"),
            models.UniqueConstraint(
                fields=("referral",),
                condition=Q(program="refer") & ~Q(state="clawed_back"),
                name="reward_one_of_a_refer_program",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="reward_is_positive"),
            models.CheckConstraint(
                condition=Q(state="paid", paid_at__isnull=False)
                | Q(state="clawed_back")
                | Q(state__in=("pending", "earned"), paid_at=None),
                name="reward_paid_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(settled_at=None) | Q(state="clawed_back", paid_at__isnull=False),
                name="reward_settled_when_owed",
            ),
        ]
        indexes = [
            models.Index(fields=("beneficiary", "-created_at", "id"), name="reward_newest"),
            models.Index(fields=("matures_at",), condition=Q(state="pending"), name="reward_maturing"),
            models.Index(fields=("source",), name="reward_source"),
            models.Index(fields=("beneficiary", "currency"), condition=Q(state="earned") | OWED, name="reward_payable"),
        ]

    def __str__(self) -> str:
        return money_text(self.amount, self.currency)


class RewardTransition(BaseModel):
    """One transition of a reward. Rows never change. Settling stays in clawed_back."""

    reward = models.ForeignKey(Reward, on_delete=models.CASCADE, related_name="transitions")
    from_state = models.CharField(max_length=11, blank=True)
    to_state = models.CharField(max_length=11, choices=Reward.State)
    by = models.ForeignKey(
        "accounts.User", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Staff; empty: the service."
    )
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = _("reward step")
        verbose_name_plural = _("reward steps")
        constraints = [
            # A reward leaves a state once: of concurrent transitions one succeeds.
            models.UniqueConstraint(fields=("reward", "from_state"), name="rewardtransition_once"),
            models.CheckConstraint(
                condition=reduce(or_, (Q(from_state=before, to_state=after) for before, after in REWARD_MOVES)),
                name="rewardtransition_is_legal",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_state or 'new'} to {self.to_state}"
