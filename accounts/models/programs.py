from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.models import BaseModel


class PartnerProgram(BaseModel):
    """A user's partnership: asked for, decided in the back office, and paid a share of what referred companies pay."""

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
    decided_by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(commission_percent__gte=0) & Q(commission_percent__lte=100), name="partnerprogram_commission_is_percentage"
            )
        ]


class ReferProgram(BaseModel):
    """A user's part in the referral program: a code to hand on, while it is active."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        INACTIVE = "inactive"

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, related_name="refer_program")
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    code = models.CharField(max_length=16, unique=True, editable=False)


class Referral(BaseModel):
    """Who brought a user: set once, at registration."""

    class Program(models.TextChoices):
        PARTNER = "partner"
        REFER = "refer"

    program = models.CharField(max_length=7, choices=Program)
    referrer = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="referrals")
    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, related_name="referred_by")
    referred_company = models.ForeignKey(
        "accounts.Company", on_delete=models.SET_NULL, null=True, related_name="+", help_text="The company made with the registration."
    )
    code = models.CharField(max_length=16)

    class Meta:
        indexes = [models.Index(fields=("referrer", "program", "-created_at", "id"), name="referral_newest")]
        constraints = [models.CheckConstraint(condition=~Q(referrer=models.F("user")), name="referral_not_of_oneself")]


class Reward(BaseModel):
    """What a referral brings its referrer.

    pending -> earned -> paid; clawed back from any of these, when the payment behind it is returned.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        EARNED = "earned"
        PAID = "paid"
        CLAWED_BACK = "clawed_back"

    referral = models.ForeignKey(Referral, on_delete=models.PROTECT, related_name="rewards")
    beneficiary = models.ForeignKey("accounts.User", on_delete=models.PROTECT, related_name="rewards")
    amount = models.DecimalField(max_digits=14, decimal_places=4)
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=11, choices=State, default=State.PENDING)
    source = models.CharField(max_length=64, help_text="What it is for, such as payment:<id>; one reward for each.")
    matures_at = models.DateTimeField(help_text="When a pending one is earned, unless its payment is returned before.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("referral", "source"), name="reward_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="reward_is_positive"),
        ]
        indexes = [
            models.Index(fields=("beneficiary", "-created_at", "id"), name="reward_newest"),
            models.Index(fields=("matures_at",), condition=Q(state="pending"), name="reward_maturing"),
        ]


class RewardTransition(BaseModel):
    """One move of a reward; never changed."""

    reward = models.ForeignKey(Reward, on_delete=models.CASCADE, related_name="transitions")
    from_state = models.CharField(max_length=11, blank=True)
    to_state = models.CharField(max_length=11, choices=Reward.State)
    by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Staff; empty: the service.")
    note = models.CharField(max_length=300, blank=True)
