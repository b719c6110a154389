from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.ids import new_id
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _
from outreach.connections.senders.models import Sender

API_VERSION = "v23.0"
PER_SECOND = 80
"""Messages a second that the vendor accepts from a number by default."""
DIRECT = ("messenger", "social-b")
"""The vendors whose people have no number: messages go to the address of a conversation."""
PLACES = {"chatapp": _("Chat number"), "messenger": _("Messenger"), "social-b": _("Social account")}
HELD = "this number is connected already; switch the other app off first"


class ChatApp(Sender):
    """A company's account at a chat vendor, with its limits: a number, a bot, or an account of a social platform."""

    class Vendor(models.TextChoices):
        CHATAPP = "chatapp"
        MESSENGER = "messenger"
        SOCIAL_B = "social-b"

    job_column = "chat_app"
    max_connections = 4

    vendor = models.CharField(
        max_length=12,
        choices=Vendor,
        default=Vendor.CHATAPP,
        db_default=Vendor.CHATAPP,
        editable=False,
        help_text="The connected app that it is, which is also the channel of its messages.",
    )
    phone_number_id = models.CharField(max_length=40, help_text="The vendor's id of the number, bot or account.")
    waba_id = models.CharField(
        max_length=40, blank=True, default="", help_text="The business account that its templates belong to."
    )
    token_expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it does not, or nobody has said.")
    renewal_failed_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When its token could not be renewed: its last error, if that is of the same time.",
    )
    app_id = models.CharField(
        max_length=40, blank=True, default="", help_text="The vendor's app, which pictures of templates are given to."
    )
    access_token = EncryptedTextField(bound_to=("phone_number_id", "waba_id"))
    app_secret = EncryptedTextField(blank=True, default="", help_text="What the vendor signs its webhooks with.")
    api_version = models.CharField(max_length=8, default=API_VERSION)
    display_number = models.CharField(
        max_length=40, blank=True, default="", help_text="As people dial it; of a bot or an account its name there."
    )
    quality_rating = models.CharField(max_length=16, blank=True, default="")
    messaging_limit = models.CharField(max_length=32, blank=True, default="")
    per_second = models.PositiveSmallIntegerField(
        default=PER_SECOND, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    hook_salt = models.CharField(
        max_length=24, default=new_id, editable=False, help_text="What the address of its webhook is derived from."
    )

    class Meta(Sender.Meta):
        abstract = False
        verbose_name = _("chat app")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "vendor", "phone_number_id"),
                condition=Q(is_active=True),
                name="chatapp_phone_in_company",
                violation_error_message=HELD,
            ),
            # Only who has proved the number holds it: a guess of somebody else's must not lock its owner out.
            models.UniqueConstraint(
                fields=("vendor", "phone_number_id"),
                condition=Q(is_active=True, verified=True),
                name="chatapp_phone_held",
                violation_error_message=HELD,
            ),
        ]

    @property
    def app_key(self) -> str:  # type: ignore[override]
        """The connected app that it is."""
        return str(self.vendor)

    def __str__(self) -> str:
        return f"{self.name or self.place} {self.display_number}".strip()

    @property
    def from_email(self) -> str:  # type: ignore[override]
        """Return the sender of its messages: a number, not an address."""
        return self.display_number or self.phone_number_id

    @property
    def from_name(self) -> str:  # type: ignore[override]
        return self.name

    @property
    def place(self) -> str:
        """Return the name of its channel, for people."""
        return PLACES[self.app_key]

    @property
    def page(self) -> str:
        """The path of its page, below its company's."""
        return "chats"


class ChatTemplate(CompanyModel):
    """A text that the chat vendor has to approve before a company may write first to a person."""

    class Category(models.TextChoices):
        MARKETING = "MARKETING"
        UTILITY = "UTILITY"
        AUTHENTICATION = "AUTHENTICATION"

    class Status(models.TextChoices):
        DRAFT = "DRAFT"
        PENDING = "PENDING"
        APPROVED = "APPROVED"
        REJECTED = "REJECTED"
        PAUSED = "PAUSED"
        DISABLED = "DISABLED"

    app = CompanyForeignKey(ChatApp, on_delete=models.CASCADE, related_name="templates", db_index=False)
    name = models.CharField(max_length=512, help_text="Small letters, digits and underscores.")
    language = models.CharField(max_length=15, help_text="Such as en or en_US.")
    category = models.CharField(max_length=16, choices=Category, default=Category.UTILITY)
    components = JSONField(default=list, help_text="Header, body, footer and buttons, as the vendor has them.")
    variables = JSONField(
        default=dict, blank=True, help_text="Variable, such as 1 or header.1 -> the field that fills it."
    )
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    rejected_reason = models.CharField(max_length=500, blank=True, default="")
    vendor_id = models.CharField(max_length=40, blank=True, default="")
    quality = models.CharField(max_length=16, blank=True, default="")
    asked_at = models.DateTimeField(null=True, help_text="When the vendor was last asked for its status.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "app", "name", "language"), name="chattemplate_name_unique")
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="chattemplate_newest"),
            models.Index(fields=("asked_at", "id"), name="chattemplate_asked"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.language})"


class ChatOptOut(CompanyModel):
    """A number to which the company sends no chat messages any more, except replies to new messages from it."""

    class Reason(models.TextChoices):
        STOP = "stop"
        REFUSED = "refused"

    phone = models.CharField(max_length=20, help_text="E.164.")
    reason = models.CharField(max_length=12, choices=Reason, default=Reason.STOP)
    source = models.CharField(max_length=24, blank=True, default="", help_text="The message that tells of it.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("opted-out number")
        verbose_name_plural = _("opted-out numbers")
        constraints = [models.UniqueConstraint(fields=("company", "phone"), name="chatoptout_once")]

    def __str__(self) -> str:
        return self.phone
