from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _
from core.types import Values

BOUNCES, COMPLAINTS = "bounces", "complaints"
"""Reasons that stop a sender."""
DEFAULT_CONNECTIONS = 2
MAX_CONNECTIONS = 50
"""Connections to the server of an SMTP sender at the same time: the default, and the maximum."""


class Sender(CompanyModel):
    """Shared fields of senders of every kind: a From address, limits, and the pauses that the worker sets."""

    job_column: ClassVar[str]
    """The column of messages and runs that names a sender of the kind."""
    app_key: str
    """The connected app that the sender is, which is also the channel of its messages."""
    max_connections: int
    """Maximum number of open connections to its server, of all processes together."""

    name = models.CharField(max_length=200, blank=True, default="")
    from_email = models.EmailField(max_length=254)
    from_name = models.CharField(max_length=200)
    verified = models.BooleanField(default=True)
    is_active = models.BooleanField(default=True)
    per_minute = models.PositiveIntegerField(null=True, blank=True, help_text=_("Leave empty for no limit."))
    per_hour = models.PositiveIntegerField(null=True, blank=True)
    per_day = models.PositiveIntegerField(null=True, blank=True)
    ramp_start = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Grows each day up to the daily limit.")
    )
    ramp_step = models.PositiveIntegerField(null=True, blank=True)
    first_sent_on = models.DateField(null=True, blank=True, editable=False)
    last_error = models.TextField(blank=True, editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    failures = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Sessions in a row that could not be opened or used."
    )
    paused_until = models.DateTimeField(
        null=True, editable=False, help_text="Nothing of this sender is claimed before; set by the worker."
    )
    paused_reason = models.CharField(max_length=64, blank=True, default="", editable=False)
    stopped_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When its guardrail stopped it, until a person resumes it.",
    )
    stopped_by = JSONField(
        null=True, editable=False, help_text="Why: what (bounces or complaints), how many, of how many messages."
    )
    counted_since = models.DateTimeField(
        null=True, editable=False, help_text="When a person resumed it: messages from before count no more."
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        abstract = True

    @property
    def why_stopped(self) -> str:
        """The reason why the guardrail stopped the sender, as a sentence; empty if it did not."""
        return why_stopped(self.stopped_by)


def why_stopped(stored: Values | None) -> str:
    """Return the reason in Sender.stopped_by as a sentence; "" for none."""
    if not stored:
        return ""
    count, of = stored["count"], stored["of"]
    share = {"count": f"{count:,}", "total": f"{of:,}", "percent": f"{100 * count / max(of, 1):.2g}"}
    text = gettext(
        "%(count)s of %(total)s messages (%(percent)s%%) were reported as spam."
        " Check the recipients and the text, then resume the sender."
    )
    if stored["what"] == BOUNCES:
        text = gettext(
            "%(count)s of %(total)s messages (%(percent)s%%) went to missing mailboxes."
            " Check the source of the addresses, then resume the sender."
        )
    return text % share


class Smtp(Sender):
    """A connected SMTP sender with its limits."""

    job_column = "smtp"
    app_key = "smtp"

    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField(validators=[MinValueValidator(1), MaxValueValidator(65535)])
    username = models.CharField(max_length=255)
    password = EncryptedTextField(bound_to=("host", "port", "username", "secure"))
    secure = models.BooleanField(default=True)
    max_connections = models.PositiveSmallIntegerField(
        default=DEFAULT_CONNECTIONS,
        db_default=DEFAULT_CONNECTIONS,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_CONNECTIONS)],
        help_text=_("Connections to the mail server at the same time."),
    )

    class Meta(Sender.Meta):
        verbose_name = _("sender")
        abstract = False

    def __str__(self) -> str:
        return f"{self.name or self.host} <{self.from_email}>"

    @property
    def place(self) -> str:
        """Return the name of its server, for people."""
        return self.host

    @property
    def page(self) -> str:
        """The path of its page, below its company's."""
        return f"senders/{self.pk}"
