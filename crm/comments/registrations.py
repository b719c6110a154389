"""The registrations of comments."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.jobs import PeriodicTask, register
from crm.comments.services import MENTIONED, purge_comments
from crm.comments.views import CommentViewSet

protected.register("comment", CommentViewSet)
register_notice(MENTIONED)
register(PeriodicTask("comments", purge_comments, every=timedelta(hours=1)))
