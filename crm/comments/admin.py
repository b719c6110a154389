"""Back office pages of comments."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _
from crm.comments.models import Comment, CommentMention


@admin.register(Comment)
class CommentAdmin(CompanyRecordAdmin):
    """Comments, read-only: the API changes them together with their mentions and events."""

    icon = "comment"
    list_display = ("__str__", "company", "created_by", "contact", "lead", "organization", "task", "created_at")
    list_filter = (BY_COMPANY,)
    search_fields = ("=id", "=contact__id", "=lead__id", "=organization__id", "=task__id", "text")
    search_help_text = _("Text, or id of the comment or its record")


@admin.register(CommentMention)
class CommentMentionAdmin(CompanyRecordAdmin):
    """Mentions, read-only."""

    icon = "alternate_email"
    list_display = ("__str__", "company", "member", "comment", "is_current", "created_at")
    list_filter = (BY_COMPANY,)
    search_fields = ("=id", "=comment__id", "=member__id", "label")
    search_help_text = _("Name, or id of the comment or member")
