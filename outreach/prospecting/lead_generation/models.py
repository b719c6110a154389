from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import Job
from core.tenancy.models import MADE_BY_MEMBER
from core.text.translation import gettext_lazy as _


class LeadGeneration(Job):
    """A search for people who fit a description, among the company's contacts and in its lead sources.

    The best of them become leads.
    """

    seen_by = MADE_BY_MEMBER

    prompt = models.TextField()
    industry = models.CharField(max_length=200, blank=True, default="")
    additional_filters = JSONField(default=dict, help_text="A tree of conditions on contacts; empty: all.")
    domains = JSONField(default=list, help_text="Domains of the addresses that may be found; empty: all.")
    count = models.PositiveSmallIntegerField(help_text="How many leads are wanted.")
    ai_type = models.CharField(max_length=32)
    lead_values = JSONField(
        default=dict, help_text="What each lead gets: status, source, team, teamMember, tags, productServices."
    )
    limited = models.BooleanField(
        default=False, help_text="Made in a session, so that the plan's limits hold for its leads."
    )
    automation = models.BooleanField(default=True)
    position = ObjectIdField(null=True, help_text="The last contact that was looked at; the search goes on behind it.")
    found = JSONField(
        default=list,
        help_text="The best so far, and in the end those that became leads: {contact, score, reason, lead}.",
    )
    new_contacts = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether its maker may create contacts, so that lead sources are asked too.",
    )
    sources = JSONField(
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        help_text="The lead sources that were asked: app, name, tries, done, found, error.",
    )
    candidates = JSONField(
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        help_text="The people whom they have answered, until the search ends.",
    )
    judge_error = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Why the AI app has not judged all who were found; empty: it has.",
    )
    created = models.PositiveSmallIntegerField(default=0)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(Job.Meta):
        verbose_name = _("people search")
        verbose_name_plural = _("people searches")
        indexes = [
            models.Index(fields=("due_at",), condition=models.Q(status="queued"), name="leadgeneration_due"),
            models.Index(fields=("status",), condition=models.Q(status="running"), name="leadgeneration_running"),
            models.Index(fields=("company", "created_at", "id"), name="leadgeneration_newest"),
        ]

    def __str__(self) -> str:
        return self.prompt[:60]
