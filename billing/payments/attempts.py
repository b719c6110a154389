"""Attempts to pay an order on a gateway's page: begun once, however many tabs ask for it."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.utils import timezone

from billing.coupons.holds import extend_hold
from billing.gateways.accounts import gateway_client, ready_account, record_account_health
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.gateways.models import GatewayAccount
from billing.payments.models import Attempt, Payment
from billing.payments.processor import POLL_DELAYS, order_of
from billing.payments.settlement import accepts_gateways
from core.errors import NamedError
from core.ids import is_id

log = logging.getLogger(__name__)
Status = Attempt.Status
PROOF = "billing.quote"
"""The salt of quotes' tokens."""
PROOF_AGE = 24 * 3600
QUOTE = "q_"


def open_order(payment_id: str, *, lock: bool = False) -> Payment:
    """Return an open order of the active company. Raises ManualPaymentDetailsNotFound_400."""
    rows = Payment.objects.select_related("invoice", "plan")
    if lock:
        rows = rows.select_for_update(of=("self",), no_key=True)
    payment: Payment | None = rows.filter(pk=payment_id, status=Payment.Status.OPEN).first()
    # The chore that closes expired orders runs now and then. An expired one is refused before it does.
    if payment is None or payment.expires_at <= timezone.now():
        raise NamedError("ManualPaymentDetailsNotFound_400", "there is no such order to be paid", field="paymentID")
    return payment


def begin(*, letter: str, payment_id: str, save_method: bool = True) -> Attempt:
    """Begin to pay an order on the gateway's page, or return the attempt that is open: one for each order.

    The attempt is committed before the gateway is asked; who asks again while it is not begun begins the same one.

    Raises ManualPaymentDetailsNotFound_400, GatewayXDetailsNotFound_400, CouponInvalid_400 and BadRequest_400.
    """
    with transaction.atomic():
        payment = open_order(payment_id, lock=True)
        if not accepts_gateways(payment):
            raise NamedError("BadRequest_400", "its price is of another day; order anew", field="manualPaymentID")
        # The order's lock makes two tabs agree on one attempt; the constraint
        # attempt_one_open is the last resort.
        existing = payment.attempts.filter(
            left_at__isnull=True, status__in=(Status.DUE, Status.WORKING, Status.WRONG, Status.UNKNOWN)
        ).first()
        attempt: Attempt | None = existing
        extend_hold(payment.pk)
        if attempt is None:
            account = ready_account(letter, payment.currency)
            attempt = Attempt.objects.create(
                payment=payment,
                letter=letter,
                adapter=account.adapter,
                save_method=save_method,
                due_at=timezone.now() + POLL_DELAYS[0],
            )
        elif attempt.kind == Attempt.Kind.CHARGE:
            raise NamedError("BadRequest_400", "the saved method is being charged; look again in a few minutes")
        elif attempt.status in (Status.WRONG, Status.UNKNOWN):
            # Money may have moved already. A second page would invite a second payment.
            raise NamedError("BadRequest_400", "a payment of this order is being examined; we will write to you")
        else:
            # The open attempt decides the gateway, whatever letter was asked
            # for: two pages could both be paid.
            account = ready_account(attempt.letter, payment.currency)
    return attempt if attempt.url else _begin_attempt(attempt, account)


def choose_again(payment_id: str) -> None:
    """Leave the gateway's page of an open order, or withdraw its bank transfer, so that another payment can be chosen.

    Both are still polled: their money pays the order, or becomes balance if the order is paid or cancelled.

    Raises ManualPaymentDetailsNotFound_400, and BadRequest_400 while a payment is being examined.
    """
    with transaction.atomic():
        payment = open_order(payment_id, lock=True)
        rows = payment.attempts.filter(left_at__isnull=True)
        if rows.filter(status__in=(Status.WRONG, Status.UNKNOWN)).exists():
            raise NamedError("BadRequest_400", "a payment of this order is being examined; we will write to you")
        pages = rows.filter(kind=Attempt.Kind.HOSTED, status__in=(Status.DUE, Status.WORKING))
        # Charges are not left: they move money without the customer, and
        # cannot be abandoned by closing a page.
        pages.update(left_at=timezone.now(), updated_at=timezone.now())
        if payment.bank_state == Payment.Bank.SUBMITTED:
            payment.bank_state = Payment.Bank.AWAITING
            payment.save(update_fields=["bank_state", "updated_at"])
            extend_hold(payment.pk)


def _begin_attempt(attempt: Attempt, account: GatewayAccount) -> Attempt:
    """Ask the gateway for its page, and commit where it is."""
    try:
        with record_account_health(account):
            page = gateway_client(account).begin(order_of(attempt, account))
    except Misconfigured as error:
        _give_up(attempt, str(error))
        detail = f"gateway-{attempt.letter} cannot be used at the moment"
        raise NamedError(f"Gateway{attempt.letter.upper()}DetailsNotFound_400", detail) from error
    except GatewayRefused as error:
        _give_up(attempt, error.code)
        raise NamedError("BadRequest_400", f"the gateway refuses this order: {error.code}") from error
    except AmbiguousOutcome as error:
        # The attempt stays open. Another request uses the same reference, for
        # which the gateway makes no second page.
        log.warning("attempt %s could not be begun: %s", attempt.pk, error)
        raise NamedError("BadRequest_400", "the gateway does not answer; nothing was paid. Try again") from error
    # Two tabs may have asked the gateway at once. The first page wins, and both customers see that one.
    Attempt.objects.filter(pk=attempt.pk, url="").update(
        gateway_id=page.gateway_id, url=page.url[:2048], updated_at=timezone.now()
    )
    attempt.refresh_from_db()
    return attempt


def _give_up(attempt: Attempt, reason: str) -> None:
    """End an attempt that no page was opened for."""
    rows = Attempt.objects.filter(pk=attempt.pk, url="", status=Status.DUE)
    rows.update(status=Status.FAILED, reason=reason[:300], updated_at=timezone.now())


def check_proof(proof: str, payment: Payment) -> None:
    """Check the proof in a body against the order. Raises FileNotFound_400 and InvalidRequest_400.

    An id is a file of the company; q_… the token of a quote, which must be this order's; any other text is a reference.
    """
    if is_id(proof):
        file_of(proof)
    elif proof.startswith(QUOTE):
        digest, _ = read_proof(proof)
        if digest is None or digest != payment.basis.get("digest"):
            raise NamedError(
                "InvalidRequest_400", "the quote is another one, or too old; ask for a new preview", field="proof"
            )


SEEN_FOR = timedelta(minutes=15)
"""Validity of a quote that was shown: its price changes with the clock."""


def proof_of(digest: str, at: datetime) -> str:
    """Return the token of a quote that was shown, with the time of its calculation."""
    return QUOTE + signing.dumps([digest, at.isoformat()], salt=PROOF)


def read_proof(proof: str) -> tuple[str | None, datetime | None]:
    """Decode a quote token into (digest, time); (None, None) if it is invalid. The time is None if it has expired."""
    try:
        # Signed, since its time decides how much unused time is credited, so that no caller may choose it.
        digest, moment = signing.loads(proof.removeprefix(QUOTE), salt=PROOF, max_age=PROOF_AGE)
        at = datetime.fromisoformat(moment)
    except (signing.BadSignature, ValueError, TypeError):
        return None, None
    return str(digest), at if at > timezone.now() - SEEN_FOR else None


def file_of(id: str) -> str:
    """Return the id of a file of the active company. Raises FileNotFound_400."""
    files: Any = Payment._meta.get_field("proof_file").remote_field.model
    if not files.objects.filter(pk=id, trashed_at__isnull=True).exists():
        raise NamedError("FileNotFound_400", "there is no such file", field="proof")
    return id


def find_attempt(payment_id: str, letter: str) -> Attempt:
    """Return the order's last attempt at a gateway. Raises PaymentNotFound_400."""
    rows = Attempt.objects.select_related("payment__invoice", "payment__plan", "method")
    attempt: Attempt | None = rows.filter(payment_id=payment_id, letter=letter).order_by("-created_at", "-pk").first()
    if attempt is None:
        raise NamedError(
            "PaymentNotFound_400", f"nothing was begun at gateway-{letter} for this order", field="paymentID"
        )
    return attempt
