from __future__ import annotations

from django.db import models
from django.utils.translation import gettext

from core.fields import CompanyForeignKey, EncryptedTextField
from core.ids import new_id
from core.models import CompanyModel
from core.text.formats import moment_text
from core.text.labels.providers import provider_name
from core.text.translation import gettext_lazy as _
from outreach.connections.mail_vendors.registry import VENDORS, channel_of
from outreach.connections.mail_vendors.vendors.base import MailVendor
from outreach.connections.senders.models import Sender


class MailApp(Sender):
    """A company's account at a mail vendor, with its limits."""

    job_column = "mail_app"
    max_connections = 4

    letter = models.CharField(max_length=1, default="a")
    vendor = models.CharField(max_length=24, default="brevo", help_text="The key of its vendor, whatever the letter.")
    api_key = EncryptedTextField(bound_to=("vendor", "endpoint"))
    secret_key = EncryptedTextField(blank=True, default="", bound_to=("vendor", "endpoint"))
    signing_key = EncryptedTextField(blank=True, default="", bound_to=("vendor",))
    key_hint = models.CharField(max_length=8, blank=True, default="", help_text="The last characters of the key.")
    reply_to = models.EmailField(max_length=254, blank=True, default="")
    domain = models.CharField(max_length=253, blank=True, default="")
    region = models.CharField(max_length=40, blank=True, default="")
    message_stream = models.CharField(max_length=100, blank=True, default="")
    subaccount = models.CharField(max_length=100, blank=True, default="")
    configuration_set = models.CharField(max_length=100, blank=True, default="")
    endpoint = models.CharField(max_length=300, blank=True, default="", help_text="Of a vendor that companies host.")
    webhook_ready = models.BooleanField(
        default=False, editable=False, help_text="Its events are taken: the vendor signs them, or sends a password."
    )
    hook_salt = models.CharField(
        max_length=24, default=new_id, editable=False, help_text="What the address of its webhook is derived from."
    )

    access_token = EncryptedTextField(
        blank=True,
        default="",
        db_default="",
        bound_to=("vendor",),
        help_text="Of a vendor with a log-in: what its calls carry.",
    )
    access_ends_at = models.DateTimeField(null=True, editable=False, help_text="When the access token expires.")
    renewing_until = models.DateTimeField(
        null=True, editable=False, help_text="A worker is asking for a new access token; the others wait for it."
    )
    scopes = models.CharField(
        max_length=500,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="What the log-in allows, apart by spaces.",
    )
    needs_login = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="The vendor takes its log-in no more; a member has to log in anew.",
    )

    class Meta(Sender.Meta):
        verbose_name = _("mail vendor")
        abstract = False

    def __str__(self) -> str:
        return f"{self.name or self.place} <{self.from_email}>"

    @property
    def app_key(self) -> str:  # type: ignore[override]
        return channel_of(self.letter)

    @property
    def spec(self) -> MailVendor:
        """The vendor that it was connected with."""
        return VENDORS[self.vendor]

    @property
    def place(self) -> str:
        """Return the name of its vendor, for people."""
        return self.spec.name

    @property
    def page(self) -> str:
        """The path of its page, below its company's."""
        return f"senders/vendor/{self.pk}"


class VendorLogin(CompanyModel):
    """A log-in at a vendor that a member has started: its redirect is accepted once, until it ends."""

    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+")
    letter = models.CharField(max_length=1)
    app = CompanyForeignKey(
        MailApp, on_delete=models.CASCADE, null=True, related_name="+", help_text="Whose log-in is renewed."
    )
    state_hash = models.CharField(max_length=64, unique=True, editable=False)
    ends_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        verbose_name = _("log-in at a mail vendor")
        verbose_name_plural = _("log-ins at mail vendors")
        constraints = [models.UniqueConstraint(fields=("company", "member", "letter"), name="vendorlogin_once")]

    def __str__(self) -> str:
        vendor = provider_name("channel", channel_of(self.letter))
        return gettext("%(vendor)s, until %(time)s") % {"vendor": vendor, "time": moment_text(self.ends_at)}
