from __future__ import annotations

from datetime import date
from decimal import Decimal

from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel
from core.text.formats import moment_text, month_text
from core.text.translation import gettext_lazy as _

TIMEOUT_SECONDS = 60


def _tokens(text: str) -> models.BigIntegerField[int | None, int | None]:
    return models.BigIntegerField(null=True, blank=True, help_text=text)


def _cost(text: str) -> models.DecimalField[Decimal | None, Decimal | None]:
    return models.DecimalField(null=True, blank=True, max_digits=18, decimal_places=6, help_text=text)


class AiApp(CompanyModel):
    """A connected AI app. `provider` is the key of its AiProvider."""

    provider = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    api_key = EncryptedTextField(blank=True, default="", bound_to=("base_url",))
    base_url = models.CharField(
        max_length=500, blank=True, default="", db_default="", help_text="Where its server is; empty: the vendor's."
    )
    selected_model = models.CharField(max_length=200, blank=True, default="")
    model_settings = JSONField(default=dict, blank=True)
    is_active = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    monthly_token_cap = _tokens(_("Per calendar month (UTC). Leave empty for no limit."))
    monthly_cost_cap = _cost(_("Per calendar month (UTC). Leave empty for no limit."))
    price_per_million_in = _cost(_("Price of a million input tokens."))
    price_per_million_out = _cost(_("Price of a million output tokens."))
    timeout_seconds = models.PositiveSmallIntegerField(default=TIMEOUT_SECONDS, db_default=TIMEOUT_SECONDS)
    quirks = JSONField(
        default=dict,
        db_default=Value({}, output_field=JSONField()),
        blank=True,
        editable=False,
        help_text="What its server has shown not to take.",
    )
    last_error = models.TextField(blank=True, default="", db_default="", editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("AI app")
        constraints = [
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="aiapp_one_default")
        ]


class AiCaps(CompanyModel):
    """A company's limits on the use of its AI apps, in total and for each run."""

    monthly_token_cap = _tokens(_("For all AI apps together. Leave empty for no limit."))
    monthly_cost_cap = _cost(_("For all AI apps together. Leave empty for no limit."))
    run_token_cap = _tokens(_("For runs without their own limit."))
    run_cost_cap = _cost(_("For runs without their own limit."))

    class Meta(CompanyModel.Meta):
        verbose_name = _("AI limit")
        verbose_name_plural = _("AI limits")
        constraints = [models.UniqueConstraint(fields=("company",), name="aicaps_once")]


class AiBudget(CompanyModel):
    """Use of a budget by calls, and the reservations of running ones (outreach.connections.ai.budgets)."""

    key = models.CharField(max_length=64, help_text="company:<month>, app:<id>:<month> or run:<id>.")
    tokens_used = models.BigIntegerField(default=0)
    tokens_reserved = models.BigIntegerField(default=0)
    cost_used = models.DecimalField(max_digits=18, decimal_places=6, default=0)
    cost_reserved = models.DecimalField(max_digits=18, decimal_places=6, default=0)

    class Meta(CompanyModel.Meta):
        verbose_name = verbose_name_plural = _("AI use by month")
        constraints = [models.UniqueConstraint(fields=("company", "key"), name="aibudget_once")]

    def __str__(self) -> str:
        scope, _colon, rest = self.key.partition(":")
        if scope == "run":
            return gettext("AI use of one outreach")
        month = month_text(date.fromisoformat(f"{rest[-7:]}-01"))
        if scope == "app":
            return gettext("One AI app, %(month)s") % {"month": month}
        return gettext("All AI apps, %(month)s") % {"month": month}


class AiUsage(CompanyModel):
    """One call of a model. Until its answer is there it is a reservation, with the most that it may use."""

    class Status(models.TextChoices):
        RESERVED = "reserved"
        SETTLED = "settled"

    class Purpose(models.TextChoices):
        COMPOSE = "compose"
        SAMPLE = "sample"
        JUDGE = "judge"
        QUESTION = "question"
        TEST = "test"

    status = models.CharField(max_length=8, choices=Status, default=Status.RESERVED)
    app = CompanyForeignKey(AiApp, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    purpose = models.CharField(max_length=8, choices=Purpose)
    model = models.CharField(max_length=200, blank=True, default="")
    tokens_in = models.BigIntegerField(help_text="Tokens that were sent.")
    tokens_out = models.BigIntegerField(help_text="Tokens that came back.")
    cost = models.DecimalField(max_digits=18, decimal_places=6, help_text="By the app's prices at that time.")
    error = models.TextField(
        blank=True, default="", db_default="", help_text="Why the answer could not be used; empty: it was."
    )
    expires_at = models.DateTimeField(null=True, help_text="When a reservation ends whose worker has not come back.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("AI call")
        indexes = [
            models.Index(fields=("company", "created_at", "id"), condition=Q(status="settled"), name="aiusage_newest"),
            models.Index(fields=("company", "expires_at"), condition=Q(status="reserved"), name="aiusage_reserved"),
            models.Index(fields=("app",), name="aiusage_app"),
            models.Index(fields=("run",), condition=Q(run__isnull=False), name="aiusage_run"),
        ]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} {moment_text(self.created_at)}"
