from __future__ import annotations

from django.db import models

from core.fields import EncryptedTextField, JSONField
from core.models import BaseModel
from core.text.translation import gettext_lazy as _

LETTERS = "abcde"


class GatewayAccount(BaseModel):
    """The operator's account at a payment gateway. Its letter is that of the API's addresses (/gateway-a).

    Environment variables (GATEWAY_A…) override the row's own values (billing.gateways.accounts).
    """

    class Mode(models.TextChoices):
        TEST = "test"
        LIVE = "live"

    class State(models.TextChoices):
        ON = "on"
        OFF = "off"
        MISCONFIGURED = "misconfigured"

    letter = models.CharField(max_length=1, unique=True, choices=[(one, f"gateway-{one}") for one in LETTERS])
    adapter = models.CharField(max_length=16, help_text=_("Payment provider for this slot."))
    mode = models.CharField(max_length=4, choices=Mode, default=Mode.TEST)
    state = models.CharField(max_length=13, choices=State, default=State.OFF)
    currencies = JSONField(default=list, blank=True, help_text=_("Currency codes. Leave empty to offer all."))
    key_id = models.CharField(max_length=200, blank=True, help_text=_("Client id of PayPal or key id of Razorpay."))
    secret_key = EncryptedTextField(blank=True, default="", bound_to=("adapter", "base_url"))
    webhook_secret = EncryptedTextField(blank=True, default="", bound_to=("adapter",))
    former_secret = EncryptedTextField(
        blank=True, default="", db_default="", bound_to=("adapter",), help_text="What webhooks were signed with before."
    )
    former_until = models.DateTimeField(null=True, editable=False, help_text="Until when the former secret is good.")
    base_url = models.CharField(
        max_length=200, blank=True, help_text=_("Address of another server, for test accounts.")
    )
    error = models.TextField(blank=True, default="", editable=False, help_text="Why it is misconfigured.")
    checked_at = models.DateTimeField(null=True, editable=False)

    good_at = models.DateTimeField(null=True, editable=False, help_text="When it answered as it should, to the minute.")
    hook_at = models.DateTimeField(null=True, editable=False, help_text="When a webhook came, to the minute.")
    failed_at = models.DateTimeField(null=True, editable=False, help_text="When it failed to answer.")
    failure = models.CharField(max_length=300, blank=True, default="", db_default="", editable=False)
    failures = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="Failures since it last answered."
    )
    reconciled_until = models.DateTimeField(
        null=True, editable=False, help_text="Up to when its money has been compared with the books."
    )

    class Meta(BaseModel.Meta):
        verbose_name = _("payment gateway")

    def __str__(self) -> str:
        return f"Gateway {self.letter.upper()}: {self.adapter}"
