from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, CompanyRow
from crm.records.models import NamedModel


class Segment(NamedModel):
    """A stored selection of contacts or leads: a filter tree that is evaluated on each use, or a fixed list of ids."""

    class Panel(models.TextChoices):
        CONTACT = "contact"
        LEAD = "lead"

    class Kind(models.TextChoices):
        DYNAMIC = "dynamic"
        STATIC = "static"

    panel = models.CharField(max_length=8, choices=Panel, default=Panel.CONTACT)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.DYNAMIC)
    filters = JSONField(default=dict, blank=True, help_text="The filter tree of advancedFilters.")

    watched_since = models.DateTimeField(null=True, editable=False, help_text="Something waits for who enters it.")
    compared_at = models.DateTimeField(null=True, editable=False, help_text="When all records were last looked at.")
    last_count = models.IntegerField(null=True, editable=False, help_text="Members of a dynamic one at counted_at.")
    counted_at = models.DateTimeField(null=True, editable=False)

    class Meta(NamedModel.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="segment_name_unique")]
        indexes = [
            models.Index(fields=("company",), condition=Q(watched_since__isnull=False), name="segment_watched"),
            models.Index(
                F("counted_at").asc(nulls_first=True), "id", condition=Q(kind="dynamic"), name="segment_counted"
            ),
        ]


class SegmentRecord(CompanyModel):
    """A contact or lead of a static segment."""

    segment = CompanyForeignKey(Segment, on_delete=models.CASCADE, related_name="records", db_index=False)
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, related_name="segment_links", db_index=False
    )
    lead = CompanyForeignKey(
        "crm.Lead", on_delete=models.CASCADE, null=True, related_name="segment_links", db_index=False
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("segment", "contact"), name="segmentrecord_contact_once"),
            models.UniqueConstraint(fields=("segment", "lead"), name="segmentrecord_lead_once"),
            models.CheckConstraint(
                condition=Q(contact__isnull=False) ^ Q(lead__isnull=False), name="segmentrecord_is_one_record"
            ),
        ]
        indexes = [
            models.Index(fields=("contact",), condition=Q(contact__isnull=False), name="segmentrecord_contact"),
            models.Index(fields=("lead",), condition=Q(lead__isnull=False), name="segmentrecord_lead"),
        ]


class SegmentMember(CompanyRow):
    """A record that is in a watched segment. Its events report changes of that (crm.segments.tracking)."""

    segment = CompanyForeignKey(Segment, on_delete=models.CASCADE, related_name="+", db_index=False)
    record_id = ObjectIdField()
    since = models.DateTimeField()

    class Meta(CompanyRow.Meta):
        constraints = [models.UniqueConstraint(fields=("segment", "record_id"), name="segmentmember_once")]
        indexes = [models.Index(fields=("record_id",), name="segmentmember_record")]
