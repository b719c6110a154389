"""The interface of a payment gateway: a few methods and three exceptions. Only the adapters know a particular gateway.

An adapter returns the gateway's state as a PaymentUpdate. The caller compares it with the order before it trusts it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from calendar import monthrange
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, ClassVar

from core.outbound_http import error_causes, guarded_session, time_limit
from core.types import JsonObject

SECONDS = 10.0
"""The longest exchange with a gateway."""
MAX_PAGES = 2000
"""Pages of a list that are asked for at most: a list that does not end is no answer."""


class AmbiguousOutcome(Exception):
    """The call may or may not have had its effect: look, and never repeat it under another reference."""


class GatewayRefused(Exception):
    """The gateway refused with a code that its adapter lists, and nothing has happened. `code` is that code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Misconfigured(Exception):
    """The gateway refuses the account for every request: its keys are wrong or lack a right."""


class WrongSignature(Exception):
    """A webhook that is not the gateway's own."""


class PaymentState(StrEnum):
    """The state of a payment as the gateway reports it."""

    NONE = "none"
    OPEN = "open"
    AUTHORIZED = "authorized"
    PAID = "paid"
    ACTION = "action"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Credentials of the operator's account for an adapter."""

    key_id: str
    secret_key: str
    webhook_secret: str
    base_url: str
    """Another server than the gateway's own; empty: its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order to pay. `reference` is ours; `gateway_id` is the gateway's, once it is committed."""

    reference: str
    amount: int
    currency: str
    title: str
    email: str = ""
    back_url: str = ""
    hook_url: str = ""
    gateway_id: str = ""
    save_method: bool = False
    token: str = ""
    customer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMethod:
    """A method that may be charged again."""

    token: str
    customer: str
    label: str
    brand: str = ""
    last4: str = ""
    expires: date | None = None
    """The last day on which a card is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentUpdate:
    """The gateway's state of an order. The amount is what was actually paid, in minor units by ISO 4217."""

    state: PaymentState
    amount: int = 0
    currency: str = ""
    reference: str = ""
    gateway_id: str = ""
    payment_ref: str = ""
    reason: str = ""
    method: SavedMethod | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutSession:
    """A payment on the gateway's own page."""

    gateway_id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundRequest:
    """Money that is to go back. `reference` is ours."""

    reference: str
    payment_ref: str
    amount: int
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookHint:
    """References or gateway ids that a webhook names for a check. Nothing else of the webhook is trusted."""

    event_id: str
    names: tuple[str, ...]
    disputed: bool = False
    """The webhook may report a dispute of the payment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementEntry:
    """A line of the gateway's own list: a payment, a refund or a dispute."""

    kind: str
    """payment, refund or dispute."""
    id: str
    """The gateway's id: that of the money (PaymentUpdate.payment_ref), of the refund, or of the money in dispute."""
    reference: str
    """Our reference, if the gateway stores it; empty for payments that we did not request."""
    amount: int
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayDispute:
    """A dispute of a payment. `status` is open, won or lost; won: the money stays here."""

    id: str
    amount: int
    currency: str
    status: str
    reason: str = ""
    due_at: datetime | None = None
    """Deadline for evidence."""


class Gateway(ABC):
    """The base of adapters. Each method raises AmbiguousOutcome, GatewayRefused or Misconfigured, and nothing else."""

    name: ClassVar[str]
    title: ClassVar[str]
    """As people call it."""
    live_url: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ("secret_key",)
    """Fields of Credentials without which it cannot work."""
    signed_by: ClassVar[str] = "webhook_secret"
    """The field of Credentials that its webhooks are signed with; empty: they are not signed."""
    repeats: ClassVar[bool] = False
    """Its webhooks have no id of their own: a later one may look like an earlier one."""
    sets_up: ClassVar[bool] = False
    """It can save a method without a payment."""
    currencies: ClassVar[str]
    """The codes that it takes, apart by spaces; none whose units it counts in another way than ISO 4217."""

    def __init__(self, credentials: Credentials) -> None:
        self.credentials = credentials
        self.base_url = (credentials.base_url or self.live_url).rstrip("/")
        self.session = GatewaySession()

    @abstractmethod
    def begin(self, order: Order) -> CheckoutSession:
        """Begin a payment on the gateway's page. Repeated for the same reference it makes no second one."""

    @abstractmethod
    def open(self, order: Order) -> str:
        """Open a charge of a saved method, and return the gateway's id. It moves no money."""

    @abstractmethod
    def move(self, order: Order) -> PaymentUpdate:
        """Move the money of an open charge, or capture an authorized one, exactly once for any number of calls."""

    @abstractmethod
    def find(self, order: Order) -> PaymentUpdate:
        """Return the state of the order."""

    @abstractmethod
    def refund(self, refund: RefundRequest) -> str:
        """Give money back. Returns the gateway's id."""

    @abstractmethod
    def find_refund(self, refund: RefundRequest) -> str:
        """Return the gateway's id of the refund, or an empty text if it knows none."""

    def set_up(self, order: Order) -> CheckoutSession:
        """Begin to save a method on the gateway's page. Nothing is paid. Repeated, it makes no second one."""
        raise GatewayRefused("it saves no method without a payment")

    def find_set_up(self, order: Order) -> PaymentUpdate:
        """Return the state of the set-up: paid means that `method` is saved."""
        raise GatewayRefused("it saves no method without a payment")

    @abstractmethod
    def list_settled(self, since: datetime, until: datetime) -> Iterator[SettlementEntry]:
        """Yield the gateway's list of payments, refunds and disputes created in this time."""

    @abstractmethod
    def disputes(self, payment_ref: str, currency: str) -> list[GatewayDispute]:
        """Return the disputes of a payment."""

    @abstractmethod
    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookHint:
        """Return the ids in a webhook. Raises WrongSignature."""

    @abstractmethod
    def check(self) -> None:
        """Ask for something cheap, so that wrong keys show."""


class GatewaySession:
    """The one transport of all adapters: guarded sockets, no redirect, a deadline.

    It classifies the responses before any library reads them: an unclear one is AmbiguousOutcome, 401 and 403 are
    Misconfigured.
    Adapters only see JSON objects of the others. Libraries use it as a session of requests.
    """

    REFUSALS = frozenset({400, 402, 404, 409, 422})
    """HTTP statuses whose responses an adapter searches for its error codes."""

    def __init__(self) -> None:
        self._session = guarded_session()

    def request(self, method: str, url: str, **options: Any) -> Any:
        options["timeout"] = SECONDS
        # The guarded session follows none: a redirect would carry the secret key to another server.
        options.pop("allow_redirects", None)
        try:
            with time_limit(SECONDS) as deadline:
                response = self._session.request(method, url, **options)
                # The deadline shuts the socket down, so what was read may be only the beginning of an answer.
                if deadline.over:
                    raise AmbiguousOutcome("the answer took too long")
                return _require_answer(response)
        except (AmbiguousOutcome, Misconfigured):
            raise
        except Exception as error:  # noqa: BLE001  whatever a library lets out, the call may have had its effect
            raise AmbiguousOutcome(type(error).__name__) from error

    def get(self, url: str, **options: Any) -> Any:
        # Even a failed connection is uncertain, since the request may have arrived before it broke.
        return self.request("GET", url, **options)

    def post(self, url: str, **options: Any) -> Any:
        return self.request("POST", url, **options)

    def close(self) -> None:
        self._session.close()


def _require_answer(response: Any) -> Any:
    status = response.status_code
    if status in (401, 403):
        raise Misconfigured(f"it answers {status}: the keys are wrong, or lack a right")
    # A 5xx says nothing about what happened, and it may be a proxy that answers instead of the gateway.
    if not (200 <= status < 300 or status in GatewaySession.REFUSALS):
        raise AmbiguousOutcome(f"it answers {status}")
    if not isinstance(response.json(), dict):
        raise AmbiguousOutcome("its answer is no JSON object")
    return response


@contextmanager
def ambiguous_on_error() -> Iterator[None]:
    """Turn any exception of a library into AmbiguousOutcome, except those that the adapter has already classified."""
    try:
        yield
    except (AmbiguousOutcome, GatewayRefused, Misconfigured):
        raise
    except Exception as error:  # noqa: BLE001  libraries let out many kinds; none of them is a clear no
        own = next(
            (cause for cause in error_causes(error) if isinstance(cause, AmbiguousOutcome | Misconfigured)), None
        )
        raise own or AmbiguousOutcome(type(error).__name__) from error


def body_of(session: GatewaySession, method: str, url: str, **options: Any) -> tuple[int, JsonObject]:
    """Return the status and the JSON object of an answer, for adapters without a library."""
    response = session.request(method, url, **options)
    body: JsonObject = response.json()
    return response.status_code, body


def last_day(year: Any, month: Any) -> date | None:
    """Return the last day of a card's month; None for an invalid month."""
    try:
        # Some gateways give the year by two digits, as it is printed on the card.
        full_year = int(year) + (2000 if int(year) < 100 else 0)
        return date(full_year, int(month), monthrange(full_year, int(month))[1])
    except (TypeError, ValueError):
        return None
