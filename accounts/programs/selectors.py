"""Expressions that lists of referred users read in addition to their columns."""

from __future__ import annotations

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery, Sum, Value
from django.db.models.functions import Coalesce, JSONObject

from accounts.programs.models import Reward

NONE = "none"
"""The state of a missing reward or partnership."""

LATEST = Reward.objects.filter(referral__user=OuterRef("pk")).order_by("-created_at", "-id")
STANDING = Reward.objects.filter(referral__user=OuterRef("pk")).exclude(state=Reward.State.CLAWED_BACK)
REWARD_STATE = Coalesce(Subquery(LATEST.values("state")[:1]), Value(NONE))
SUMS = STANDING.values("currency").annotate(total=Sum("amount")).order_by("currency")
EARNINGS = ArraySubquery(SUMS.values(json=JSONObject(currency="currency", amount="total")))
