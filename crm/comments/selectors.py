"""Reads of comments that are more than a filter."""

from __future__ import annotations

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject

from core.fields import JSONField
from crm.comments.models import CommentMention


def mention_columns() -> Subquery:
    """Return the expression of a comment's mentions."""
    rows = CommentMention.objects.filter(comment=OuterRef("pk"), is_current=True).order_by().values("comment")
    item = JSONObject(_id="member_id", name="member__name", email="member__email", label="label")
    listed = rows.annotate(listed=JSONBAgg(item, order_by=("member__name", "member_id"))).values("listed")
    return Subquery(listed, output_field=JSONField())
