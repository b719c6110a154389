"""Coupons: their availability to a company, their hold by an order, and what they take off."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import Q
from django.db.models.functions import Upper
from django.utils import timezone

from billing.coupons.holds import FREE
from billing.coupons.models import Coupon, Redemption
from billing.ledger.money import percent_of, to_minor
from billing.plans.models import Plan
from core.errors import NamedError, shorten
from core.tenancy import company_id

NO = "the coupon cannot be used for this"
"""The error for a coupon that is missing, over, used up or for others. It is the same, so that codes can't be
guessed."""


def usable_coupon(code: str, *, plan: Plan, currency: str, has_paid: bool) -> Coupon:
    """Return the coupon that the active company may use now, also the last one, which its own open order holds.

    Raises CouponInvalid_400.
    """
    now = timezone.now()
    open_now = (Q(starts_at__isnull=True) | Q(starts_at__lte=now)) & (Q(ends_at__isnull=True) | Q(ends_at__gt=now))
    # A new order takes the place of the open one, which then gives its coupon back.
    own = Redemption.objects.filter(state=Redemption.State.HELD).values("coupon_id")
    free = FREE | Q(pk__in=own)
    ours = Q(offered_to__isnull=True) | Q(offered_to_id=company_id())
    # Compared in capitals on both sides, since people type codes as they like.
    rows = Coupon.objects.filter(open_now, free, ours, is_active=True).annotate(capitals=Upper("code"))
    coupon = rows.filter(capitals=code.strip().upper()).first()
    is_redeemed = (
        coupon is not None and Redemption.objects.filter(coupon=coupon, state=Redemption.State.REDEEMED).exists()
    )
    if coupon is None or is_redeemed or (coupon.first_time_only and has_paid) or coupon.currency not in ("", currency):
        raise NamedError("CouponInvalid_400", f"{NO}: {shorten(code, 40)!r}", field="couponCode")
    plans = set(coupon.plans.values_list("pk", flat=True))
    if plans and plan.pk not in plans:
        raise NamedError("CouponInvalid_400", f"{NO}: {shorten(code, 40)!r}", field="couponCode")
    return coupon


def discount_of(coupon: Coupon, subtotal: int, currency: str) -> int:
    """Return the coupon's discount, at most the whole amount."""
    if subtotal <= 0:
        return 0
    if coupon.percent is not None:
        return min(subtotal, percent_of(subtotal, coupon.percent))
    return min(subtotal, to_minor(coupon.amount or Decimal(0), currency))
