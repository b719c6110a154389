from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import ClaimPolicy, CompanyWork
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _

TOKEN_LENGTH = 32
COLOUR = "#2f5bea"
KEEP_DAYS = 365


class Form(CompanyWork):
    """A form whose answers become leads: an own one with a public page, or one of an ad at a social platform.

    Its work is to query the platform each day for leads without a notification.
    """

    class Work(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"

    class Source(models.TextChoices):
        OWN = "own"
        SOCIAL_A = "social-a"

    class State(models.TextChoices):
        DRAFT = "draft"
        PUBLISHED = "published"
        PAUSED = "paused"

    class Duplicates(models.TextChoices):
        CREATE = "create"
        UPDATE = "update"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    name = models.CharField(max_length=200)
    source = models.CharField(max_length=12, choices=Source, default=Source.OWN)
    state = models.CharField(max_length=12, choices=State, default=State.DRAFT)
    app = CompanyForeignKey("outreach.SocialAApp", on_delete=models.SET_NULL, null=True, related_name="forms")
    page_id = models.CharField(max_length=40, blank=True, default="", help_text="The platform's id of the page.")
    form_id = models.CharField(max_length=40, blank=True, default="", help_text="The platform's id of the form.")
    fields = JSONField(default=list, blank=True, help_text="key, label, type, required, options, help, value of each.")
    mapping = JSONField(default=dict, blank=True, help_text="Key of a field -> the field of the lead or its contact.")
    token = models.CharField(max_length=TOKEN_LENGTH, unique=True, editable=False, help_text="In its public address.")
    title = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField(blank=True, default="", help_text="What stands above the fields.")
    button = models.CharField(max_length=60, blank=True, default="")
    thanks = models.TextField(blank=True, default="", help_text="What is said once it was sent.")
    redirect_url = models.CharField(max_length=1000, blank=True, default="", help_text="Where it leads instead.")
    colour = models.CharField(max_length=7, default=COLOUR)
    allowed_origins = JSONField(default=list, blank=True, help_text="The sites that may show it.")
    country_code = models.CharField(
        max_length=5, blank=True, default="", help_text="The dial prefix of numbers that are written without one."
    )
    lead_source = models.CharField(max_length=100, blank=True, default="", help_text="The source of its leads.")
    duplicates = models.CharField(max_length=8, choices=Duplicates, default=Duplicates.CREATE)
    team = CompanyForeignKey("crm.Team", on_delete=models.SET_NULL, null=True, related_name="+")
    category = CompanyForeignKey("crm.ContactCategory", on_delete=models.SET_NULL, null=True, related_name="+")
    tags = JSONField(default=list, blank=True, help_text="The ids of the tags of its leads.")
    keep_days = models.PositiveSmallIntegerField(
        default=KEEP_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
        help_text="After so many days the answers are forgotten; the leads stay.",
    )
    last_lead_at = models.DateTimeField(null=True, editable=False)
    asked_at = models.DateTimeField(null=True, editable=False, help_text="When the platform was last asked for leads.")
    status = models.CharField(
        max_length=8, choices=Work, default=Work.WAITING, editable=False, help_text="Of the next time it asks."
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyWork.Meta):
        constraints = [
            models.UniqueConstraint("company", Lower("name"), name="form_name_unique"),
            models.UniqueConstraint(
                fields=("company", "app", "form_id"), condition=Q(source="social-a"), name="form_social_once"
            ),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="form_newest"),
            models.Index(fields=("due_at",), condition=Q(status="waiting", source="social-a"), name="form_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="form_running"),
        ]

    def __str__(self) -> str:
        return self.name


class FormLead(CompanyWork):
    """A submission of a form, with its result. A worker creates the lead, once."""

    class Work(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class State(models.TextChoices):
        NEW = "new"
        IMPORTED = "imported"
        FAILED = "failed"

    class Reason(models.TextChoices):
        TOKEN = "token", "The platform refuses the app's token"  # noqa: S105
        GONE = "gone", "The platform has it no longer"
        REFUSED = "refused", "It can be no lead"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    form = CompanyForeignKey(Form, on_delete=models.CASCADE, related_name="leads", db_index=False)
    leadgen_id = models.CharField(max_length=64, help_text="The platform's id, or the page's that was sent.")
    answers = JSONField(default=dict, blank=True, help_text="Key of a field -> what was answered.")
    consents = JSONField(default=list, blank=True, help_text="key, text and at of each that was given.")
    origin = JSONField(default=dict, blank=True, help_text="Page, referrer and utm values; the ad at the platform.")
    submitted_at = models.DateTimeField()
    fetched_at = models.DateTimeField(null=True, editable=False, help_text="When the answers were there.")
    state = models.CharField(max_length=12, choices=State, default=State.NEW)
    reason = models.CharField(max_length=12, blank=True, default="", choices=Reason)
    status = models.CharField(max_length=8, choices=Work, default=Work.WAITING, editable=False)
    lead = CompanyForeignKey("crm.Lead", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)

    class Meta(CompanyWork.Meta):
        verbose_name = _("form submission")
        constraints = [models.UniqueConstraint(fields=("company", "form", "leadgen_id"), name="formlead_once")]
        indexes = [
            models.Index(fields=("company", "form", "created_at", "id"), name="formlead_of_form"),
            models.Index(fields=("company", "created_at", "id"), name="formlead_newest"),
            models.Index(fields=("company", "lead"), name="formlead_lead"),
            models.Index(fields=("due_at",), condition=Q(status="waiting"), name="formlead_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="formlead_running"),
            models.Index(fields=("created_at",), name="formlead_age"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.state).capitalize()}, {day_text(self.submitted_at)}"
