"""Addresses that gateways use: webhooks, which only cause a check, and the customer's return page."""

from __future__ import annotations

import logging
from http import HTTPStatus

from django.core import signing
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from billing.gateways.accounts import account_of, note_hook, verify_webhook
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured, WebhookHint, WrongSignature
from billing.gateways.models import GatewayAccount
from billing.gateways.registry import ADAPTERS, adapter_class
from billing.payments.models import Attempt, GatewayEvent
from billing.payments.processor import RETURN, refresh_attempt
from core.api.handler import not_found, plain_response
from core.api.refusals import Refusal
from core.hooks import Hook
from core.ids import is_id
from core.jobs import notify_workers
from core.tenancy import company_scope, unscoped

log = logging.getLogger(__name__)
Status = Attempt.Status
OPEN = (Status.DUE, Status.WORKING, Status.WRONG, Status.UNKNOWN)
MAX_BYTES = 256 * 1024
WORK = "payments"
UNSIGNED = "the signature does not match the account's secret"
webhook_received: Hook[[GatewayAccount, WebhookHint], int] = Hook(
    __name__,
    "webhook_received",
    "After a gateway's webhook has been stored, in that transaction. Queues a check of the objects whose ids it names,"
    " and returns their number.",
)


@csrf_exempt
def webhook(request: HttpRequest, letter: str, account: str) -> HttpResponse:
    """POST /api/public/webhooks/gateway-x/<account>: store a genuine webhook once, and check the objects that it
    names."""
    gateway_account = account_of(letter) if len(letter) == 1 and is_id(account) else None
    # A former account's address gets the answer of an unknown one: its hooks must not be verified with the
    # secret of the account that has its letter now.
    if gateway_account is None or gateway_account.pk != account or gateway_account.adapter not in ADAPTERS:
        return not_found(request)
    if request.method in ("GET", "HEAD"):
        return _answer(200)  # some gateways look whether the address is there
    if request.method != "POST":
        return _error_response(405, "MethodNotAllowed_405", "this address takes POST")
    length = request.headers.get("Content-Length") or "0"
    # Checked before the body is read: the address is public, and nothing is signed yet.
    if not length.isdigit() or int(length) > MAX_BYTES:
        return _error_response(413, "BodyTooLarge_413", f"at most {MAX_BYTES} bytes")
    signed_by = adapter_class(gateway_account.adapter).signed_by
    if signed_by and not getattr(gateway_account, signed_by):
        return _error_response(400, "InvalidRequest_400", UNSIGNED)  # an empty secret would sign anything
    try:
        hint = verify_webhook(gateway_account, request.headers, request.body)
    except (WrongSignature, Misconfigured) as wrong:
        log.warning("a webhook of gateway-%s is refused: %s", letter, wrong)
        return _error_response(400, "InvalidRequest_400", UNSIGNED)
    store(gateway_account, hint)
    return _answer(200)


@transaction.atomic
def store(account: GatewayAccount, hint: WebhookHint) -> None:
    """Store an event once, and make the attempts due that it names. A repeated one changes nothing."""
    note_hook(account)
    names = [name[:255] for name in hint.names]
    event = GatewayEvent(account=account, event_id=hint.event_id[:255], hints=names)
    # ON CONFLICT DO NOTHING waits for a concurrent delivery of the same event and raises nothing. An
    # IntegrityError would abort the transaction, and the gateway would repeat the call.
    GatewayEvent.objects.bulk_create([event], ignore_conflicts=True)
    # With ignored conflicts Django cannot say whether the row was written, so it is looked up by our own id.
    if not adapter_class(account.adapter).repeats and not GatewayEvent.objects.filter(pk=event.pk).exists():
        return
    condition = Q(gateway_id__in=names, adapter=account.adapter) | Q(pk__in=[name for name in names if is_id(name)])
    with unscoped(reason="webhook: the attempts that it names, of whatever company"):
        # Nothing of the hook's content is believed: it only makes attempts due, and the
        # gateway itself is asked. Failed ones are included, because a customer may pay a
        # page again on which a card was declined.
        rows = Attempt.objects.filter(condition, letter=account.letter, status__in=(Status.DUE, Status.FAILED))
        _only_look(rows.filter(status=Status.FAILED))
        number = rows.update(status=Status.DUE, due_at=timezone.now(), looks=0)
    if number:
        notify_workers(WORK)
    number += sum(webhook_received.send(account, hint))
    GatewayEvent.objects.filter(pk=event.pk).update(found=number)


def _only_look(failed: QuerySet[Attempt]) -> None:
    """Close failed attempts named by a webhook for any further capture, if they are charges or have a successor.

    They are only checked from then on, because an order has one open attempt.
    """
    open_ones = Attempt.objects.filter(payment=OuterRef("payment"), status__in=OPEN, left_at=None)
    followed = failed.filter(Q(kind=Attempt.Kind.CHARGE) | Exists(open_ones), left_at=None)
    # As a left attempt it is outside of attempt_one_open, which its successor holds.
    followed.update(left_at=timezone.now())


def return_from_gateway(request: HttpRequest, token: str) -> HttpResponse:
    """GET /api/public/payments/return/<token>: look, and lead on to the company's page. Safe to repeat."""
    try:
        # The customer may come back in another browser without a session. The signed token says whose order
        # it is, and allows no more than the look that a worker would take anyway.
        company, id = signing.loads(token, salt=RETURN)
    except (signing.BadSignature, ValueError, TypeError):
        return not_found(request)
    with company_scope(company):
        rows = Attempt.objects.select_related("payment__invoice", "payment__plan", "method")
        attempt = rows.filter(pk=id).first()
        if attempt is None:
            return not_found(request)
        try:
            refresh_attempt(attempt)
        except (GatewayRefused, Misconfigured, AmbiguousOutcome) as error:
            log.warning("attempt %s could not be looked at: %s", id, error)
        address = f"/c/{company}/settings/plan/pay/{attempt.payment_id}"
    answer = HttpResponseRedirect(address)
    # 303 makes the browser use GET even where the gateway has sent the
    # customer here by POST (RFC 9110, 15.4.4).
    answer.status_code = 303
    answer["Cache-Control"] = "no-store"
    # The address carries a token that must not reach the next page's server.
    answer["Referrer-Policy"] = "no-referrer"
    return answer


def _answer(status: int) -> HttpResponse:
    answer = HttpResponse(status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _error_response(status: int, name: str, detail: str) -> HttpResponse:
    return plain_response(Refusal(status, name, HTTPStatus(status).phrase, detail))


urlpatterns = [
    path("api/public/webhooks/gateway-<str:letter>/<str:account>", webhook, name="gateway-hook"),
    path("api/public/payments/return/<str:token>", return_from_gateway, name="payment-return"),
]
