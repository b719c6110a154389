from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class Meeting(CompanyModel):
    """An appointment with attendees, who are invited by mail with an iCalendar file."""

    class Status(models.TextChoices):
        SCHEDULED = "scheduled"
        CANCELLED = "cancelled"

    class Kind(models.TextChoices):
        ONLINE = "online"
        OFFLINE = "offline"

    class Result(models.TextChoices):
        HELD = "held"
        NO_SHOW = "noShow", "No-show"

    title = models.CharField(max_length=300)
    description = models.TextField(blank=True)
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, null=True, related_name="meetings", db_index=False)
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, related_name="meetings", db_index=False
    )
    organizer = CompanyForeignKey("accounts.Member", on_delete=models.PROTECT, related_name="+", db_index=False)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    timezone = models.CharField(max_length=64, help_text="IANA name: the clock that the times are said in.")
    place = models.CharField(max_length=500, blank=True)
    link = models.URLField(max_length=1000, blank=True)
    kind = models.CharField(
        max_length=7, choices=Kind, default=Kind.OFFLINE, db_default=Kind.OFFLINE, help_text="By video, or at a place."
    )
    video_provider = models.CharField(
        max_length=24, blank=True, default="", db_default="", help_text="What makes the link, if it is made."
    )
    video_error = models.CharField(
        max_length=500, blank=True, default="", db_default="", editable=False, help_text="Why there is no link yet."
    )
    status = models.CharField(max_length=9, choices=Status, default=Status.SCHEDULED)
    result = models.CharField(
        max_length=6, choices=Result, blank=True, default="", db_default="", help_text="What a member has marked it as."
    )
    sequence = models.PositiveIntegerField(
        default=0, editable=False, help_text="Of the iCalendar file: counts the changes."
    )
    remind_minutes = models.PositiveIntegerField(null=True, blank=True)
    remind_at = models.DateTimeField(null=True, editable=False)
    reminded_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=models.F("starts_at")), name="meeting_ends_after_it_starts")
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="meeting_newest"),
            models.Index(fields=("company", "starts_at", "id"), name="meeting_start"),
            models.Index(fields=("company", "kind", "created_at", "id"), name="meeting_kind"),
            models.Index(fields=("lead",), condition=Q(lead__isnull=False), name="meeting_lead"),
            models.Index(fields=("contact",), condition=Q(contact__isnull=False), name="meeting_contact"),
            models.Index(fields=("organizer", "starts_at"), name="meeting_organizer"),
            models.Index(
                fields=("remind_at",),
                condition=Q(status="scheduled", reminded_at__isnull=True),
                name="meeting_reminding",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class MeetingAttendee(CompanyModel):
    """Somebody who is invited to a meeting: a member, a contact, or an address alone."""

    class Answer(models.TextChoices):
        ACCEPTED = "accepted"
        DECLINED = "declined"
        TENTATIVE = "tentative"

    meeting = CompanyForeignKey(Meeting, on_delete=models.CASCADE, related_name="attendees", db_index=False)
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    contact = CompanyForeignKey("crm.Contact", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    name = models.CharField(max_length=300, blank=True)
    email = models.EmailField(max_length=254)
    answer = models.CharField(
        max_length=9, choices=Answer, blank=True, default="", db_default="", help_text="What their calendar answered."
    )
    answered_at = models.DateTimeField(null=True, editable=False)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("meeting", "email"), name="meetingattendee_once")]
        indexes = [
            models.Index(fields=("member",), condition=Q(member__isnull=False), name="meetingattendee_member"),
            models.Index(fields=("contact",), condition=Q(contact__isnull=False), name="meetingattendee_contact"),
        ]


class VideoSettings(CompanyModel):
    """Settings for the links of the company's video calls."""

    link_template = models.CharField(max_length=300, blank=True, default="", help_text="With {meeting} or {random}.")
    provider = models.CharField(
        max_length=24, blank=True, default="", help_text="What makes the link of a call that names none."
    )
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = verbose_name_plural = _("video settings")
        constraints = [models.UniqueConstraint(fields=("company",), name="videosettings_once")]

    def __str__(self) -> str:
        return self.provider or "no provider"
