from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _
from core.types import JsonObject
from crm.meetings.models import Meeting

TOKEN_LENGTH = 32
MAX_SLUG_LENGTH = 60
COLOUR = "#2f5bea"


class MemberHours(CompanyModel):
    """A member's bookable hours: spans on days of the week, and days on which they are away."""

    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+", db_index=False)
    timezone = models.CharField(max_length=64, blank=True, default="", help_text="Empty: the company's.")
    days = JSONField(default=list, blank=True, help_text="day (1 is Monday), from and to of each span.")
    away = JSONField(default=list, blank=True, help_text="from and to of each time away, both days included.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("working hours")
        verbose_name_plural = _("working hours")
        constraints = [models.UniqueConstraint(fields=("company", "member"), name="memberhours_once")]

    def __str__(self) -> str:
        return self.timezone or "the company's time zone"


class BookingPage(CompanyModel):
    """A public page on which visitors book a time with a member, or with a free member of a team."""

    name = models.CharField(max_length=200)
    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, null=True, related_name="+")
    team = CompanyForeignKey("crm.Team", on_delete=models.SET_NULL, null=True, related_name="+")
    token = models.CharField(max_length=TOKEN_LENGTH, unique=True, editable=False, help_text="In its public address.")
    slug = models.CharField(
        max_length=MAX_SLUG_LENGTH,
        blank=True,
        default="",
        db_default="",
        help_text="In its chosen address; empty: it has none.",
    )
    is_active = models.BooleanField(default=True)
    title = models.CharField(max_length=200, blank=True, default="", help_text="What visitors read; empty: its name.")
    text = models.TextField(blank=True, default="")
    colour = models.CharField(max_length=7, default=COLOUR)
    duration_minutes = models.PositiveSmallIntegerField(default=30)
    step_minutes = models.PositiveSmallIntegerField(default=30, help_text="Between the times that are offered.")
    buffer_before = models.PositiveSmallIntegerField(default=0, help_text="Minutes that stay free before it.")
    buffer_after = models.PositiveSmallIntegerField(default=0, help_text="Minutes that stay free after it.")
    notice_minutes = models.PositiveIntegerField(default=240, help_text="How long before it begins it can be booked.")
    horizon_days = models.PositiveSmallIntegerField(default=30, help_text="How far ahead it can be booked.")
    most_per_day = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Bookings of a member in a day.")
    timezone = models.CharField(max_length=64, blank=True, default="", help_text="Of its own hours.")
    days = JSONField(default=list, blank=True, help_text="Own hours; empty: those of its members.")
    questions = JSONField(default=list, blank=True, help_text="key, label, type, required, options, help of each.")
    asks_phone = models.BooleanField(default=False)
    kind = models.CharField(max_length=7, choices=Meeting.Kind, default=Meeting.Kind.ONLINE)
    video_provider = models.CharField(max_length=24, blank=True, default="", help_text="Empty: the company's.")
    place = models.CharField(max_length=500, blank=True, default="")
    remind_minutes = models.PositiveIntegerField(null=True, blank=True, default=1440, help_text="Mail to the visitor.")
    makes_lead = models.BooleanField(default=False)
    lead_source = models.CharField(max_length=100, blank=True, default="")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint("company", Lower("name"), name="bookingpage_name_unique"),
            models.UniqueConstraint(fields=("slug",), condition=~Q(slug=""), name="bookingpage_slug_unique"),
        ]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="bookingpage_newest")]

    def __str__(self) -> str:
        return self.name

    @property
    def heading(self) -> str:
        return self.title or self.name

    @property
    def address(self) -> str:
        """Return the last part of the public address: the slug, or else the token."""
        return self.slug or self.token

    @property
    def fields(self) -> list[JsonObject]:
        """Return the fields of the visitors' form: name, addresses, and the page's own questions."""
        form_fields: list[JsonObject] = [
            {"key": "name", "label": _("Your name"), "type": "text", "required": True},
            {"key": "email", "label": _("Your email address"), "type": "email", "required": True},
        ]
        if self.asks_phone:
            form_fields.append({"key": "phone", "label": _("Your phone number"), "type": "phone", "required": True})
        form_fields += self.questions
        return [{"options": [], "help": "", "value": "", **field} for field in form_fields]


class BookingSlug(CompanyModel):
    """A chosen address that a company has used. It stays the company's, since mails and websites still link to it."""

    slug = models.CharField(max_length=MAX_SLUG_LENGTH, help_text="The end of the address.")
    page = CompanyForeignKey(
        BookingPage,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The last page that had it; empty: the page was deleted.",
    )

    class Meta(CompanyModel.Meta):
        verbose_name = "booking address"
        verbose_name_plural = "booking addresses"
        constraints = [models.UniqueConstraint(fields=("slug",), name="bookingslug_once")]

    def __str__(self) -> str:
        return self.slug


class Booking(CompanyModel):
    """A meeting that a visitor has booked, with their data. The meeting has the state."""

    page = CompanyForeignKey(BookingPage, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    meeting = CompanyForeignKey("crm.Meeting", on_delete=models.CASCADE, related_name="+", db_index=False)
    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+", db_index=False)
    sent_id = models.CharField(
        max_length=24, help_text="Of the page that was sent, so that one sent twice counts once."
    )
    token = models.CharField(
        max_length=TOKEN_LENGTH, unique=True, editable=False, help_text="In the visitor's address."
    )
    name = models.CharField(max_length=300, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    phone = models.CharField(max_length=40, blank=True, default="")
    answers = JSONField(default=dict, blank=True)
    timezone = models.CharField(max_length=64, blank=True, default="", help_text="The visitor's.")
    buffer_before = models.PositiveSmallIntegerField(default=0)
    buffer_after = models.PositiveSmallIntegerField(default=0)
    contact = CompanyForeignKey("crm.Contact", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    lead = CompanyForeignKey("crm.Lead", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    cancelled_at = models.DateTimeField(null=True, editable=False, help_text="When the visitor has cancelled it.")
    reason = models.CharField(max_length=500, blank=True, default="", help_text="What they said of it.")
    remind_minutes = models.PositiveIntegerField(null=True, blank=True)
    remind_at = models.DateTimeField(null=True, editable=False)
    reminded_at = models.DateTimeField(null=True, editable=False)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "meeting"), name="booking_of_meeting"),
            models.UniqueConstraint(fields=("company", "sent_id"), name="booking_once"),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="booking_newest"),
            models.Index(fields=("page", "member", "created_at"), name="booking_turn"),
            models.Index(fields=("company", "contact"), name="booking_contact"),
            models.Index(fields=("company", "lead"), name="booking_lead"),
            models.Index(
                fields=("remind_at",),
                condition=Q(remind_at__isnull=False, reminded_at__isnull=True),
                name="booking_reminding",
            ),
        ]

    def __str__(self) -> str:
        return self.name
