"""Holds of coupons: an order has its coupon for minutes, again when its payment begins, and for good once it is paid.

All holds of unpaid orders together end two hours after the first order. Later ones have the coupon while one is left.

Everybody who changes a hold locks the coupon first, so that the last redemption goes to one order.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Upper
from django.utils import timezone

from billing.coupons.models import Coupon, Redemption
from core.errors import NamedError

State = Redemption.State
HOLD_LIFE = timedelta(minutes=30)
"""Time that an order holds its coupon, from its creation and again from the start of its payment, up to MAX_HOLD."""
MAX_HOLD = timedelta(hours=2)
"""Time after a company's first order for which its unpaid orders hold a coupon, however often they ask."""
SAME_ORDERS = timedelta(days=1)
"""Time for which further orders of a company with the same coupon count with the first one."""
FREE = Q(max_redemptions__isnull=True) | Q(used__lt=F("max_redemptions"))
"""Condition on coupons: not used up."""
BATCH = 200
TAKEN = "others have used the coupon up meanwhile; order without it"


def lock_coupons(code: str) -> None:
    """Lock the coupon of a code and the coupons that the active company holds.

    They are locked in the order of their ids, so that companies that change from one coupon to another do not wait for
    each other.
    """
    # The coupon that the company gives up is locked as well, since giving it back changes its count.
    coupon_ids = Redemption.objects.filter(state=State.HELD).values_list("coupon_id", flat=True)
    rows = Coupon.objects.annotate(capitals=Upper("code")).filter(Q(pk__in=list(coupon_ids)) | Q(capitals=code.upper()))
    _lock(rows.values_list("pk", flat=True))


def hold(coupon: Coupon, payment_id: str) -> None:
    """Hold the coupon for an order, in its transaction, or note that it may have it once it is paid.

    Raises CouponInvalid_400 when the last one has just gone.
    """
    now = timezone.now()
    until = _hold_end(coupon.pk, first=now)
    is_held = until > now
    if is_held:
        _reserve(coupon.pk)
    Redemption.objects.create(
        coupon=coupon,
        payment_id=payment_id,
        state=State.HELD if is_held else State.RELEASED,
        held_until=until if is_held else None,
    )


@transaction.atomic
def extend_hold(payment_id: str, *, until_decided: bool = False, is_authorized: bool = False) -> None:
    """Hold the coupon of an order for HOLD_LIFE, or with `until_decided` until the order closes.

    A hold ends after MAX_HOLD, unless the customer has authorized the payment (`is_authorized`).

    Raises CouponInvalid_400 if the hold had ended and other orders have used the coupon up.
    """
    row = _locked_redemption(payment_id)
    if row is None:
        return
    now = timezone.now()
    until = None if until_decided else now + HOLD_LIFE
    if until is not None and not is_authorized:
        until = _hold_end(row.coupon_id, first=row.created_at)
    if until is None or until > now:
        _claim(row, State.HELD, until)
    elif row.state == State.HELD:
        _release(Redemption.objects.filter(pk=row.pk, state=State.HELD), row.coupon_id)
    else:
        _check_free(row.coupon_id)


def redeem(payment_id: str) -> None:
    """Redeem the coupon of an order that is paid, in its transaction. Raises as `extend_hold` does."""
    row = _locked_redemption(payment_id)
    if row is not None:
        _claim(row, State.REDEEMED, None)


def release(payment_id: str) -> None:
    """Give back the coupon that an order holds, in the transaction that leaves the order."""
    rows = Redemption.objects.filter(payment_id=payment_id, state=State.HELD)
    _lock(rows.values_list("coupon_id", flat=True))
    # Read again under the lock: the periodic task may have released the coupon.
    for id, coupon_id in list(rows.values_list("pk", "coupon_id")):
        _release(Redemption.objects.filter(pk=id, state=State.HELD), coupon_id)


def release_lapsed() -> bool:
    """Give back a batch of coupons of all companies whose holds are over. Returns whether there may be more."""
    now = timezone.now()
    redemptions = Redemption.objects.filter(state=State.HELD, held_until__lte=now).order_by("held_until", "pk")
    lapsed = list(redemptions.values_list("pk", "coupon_id")[:BATCH])
    for id, coupon_id in lapsed:
        # A transaction for each: one for the whole batch would hold the locks
        # of up to 200 coupons until its end.
        with transaction.atomic():
            _lock([coupon_id])
            _release(Redemption.objects.filter(pk=id, state=State.HELD, held_until__lte=now), coupon_id)
    return len(lapsed) == BATCH


def _locked_redemption(payment_id: str) -> Redemption | None:
    """Return the use of a coupon by an order that is not paid yet, with the coupon locked."""
    rows = Redemption.objects.filter(payment_id=payment_id).exclude(state=State.REDEEMED)
    _lock(rows.values_list("coupon_id", flat=True))
    row: Redemption | None = rows.first()
    return row


def _hold_end(coupon_id: str, *, first: datetime) -> datetime:
    """Return the end of a hold that begins now, of an order made at `first`, for which earlier ones of the company
    count."""
    earlier = Redemption.objects.filter(coupon=coupon_id, created_at__gt=first - SAME_ORDERS, created_at__lt=first)
    made_at = earlier.order_by("created_at").values_list("created_at", flat=True).first()
    return min(timezone.now() + HOLD_LIFE, (made_at or first) + MAX_HOLD)


def _claim(row: Redemption, state: str, until: datetime | None) -> None:
    # The hold has lapsed, and the order would like its coupon back. It gets it as
    # long as no other company has the last one.
    if row.state == State.RELEASED:
        _check_free(row.coupon_id)
        _reserve(row.coupon_id)
    Redemption.objects.filter(pk=row.pk).update(state=state, held_until=until, updated_at=timezone.now())


def _check_free(coupon_id: str) -> None:
    """Raise CouponInvalid_400 if other orders, of the active company or of others, have used the locked coupon up."""
    is_used = Redemption.objects.filter(coupon=coupon_id).exclude(state=State.RELEASED).exists()
    if is_used or not Coupon.objects.filter(FREE, pk=coupon_id).exists():
        raise NamedError("CouponInvalid_400", TAKEN, field="couponCode")


def _reserve(coupon_id: str) -> None:
    # The limit is part of the UPDATE, so that it cannot be passed even by a caller that forgot the lock.
    if not Coupon.objects.filter(FREE, pk=coupon_id).update(used=F("used") + 1):
        raise NamedError("CouponInvalid_400", TAKEN, field="couponCode")


def _release(redemptions: QuerySet[Redemption], coupon_id: str) -> None:
    # Only the caller who changes the state lowers the count, or two releases would give a redemption away.
    if redemptions.update(state=State.RELEASED, held_until=None, updated_at=timezone.now()):
        Coupon.objects.filter(pk=coupon_id, used__gt=0).update(used=F("used") - 1)


def _lock(coupons: Iterable[str]) -> None:
    # In the order of ids, or two orders that hold two coupons each could wait for one another for ever.
    list(Coupon.objects.select_for_update(no_key=True).filter(pk__in=list(coupons)).order_by("pk").values_list("pk"))
