"""Limits by mail provider and by mail vendor: buckets that fill with time, and a claim that takes from several of them
at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from core.tenancy import company_id
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.limits.models import RecipientQuota

OTHER = "other"
"""The limit of each domain that is of no provider."""
PROVIDERS = {
    "google": ("gmail.com", "googlemail.com"),
    "microsoft": ("outlook.", "hotmail.", "live.", "msn.com", "passport.com", "windowslive.com"),
    "yahoo": ("yahoo.", "ymail.com", "rocketmail.com", "aol."),
    "apple": ("icloud.com", "me.com", "mac.com"),
    "gmx": ("gmx.", "web.de", "mail.com", "1und1.de"),
}
"""Key of a mail provider -> its domains; one that ends in a dot matches any country."""
KEYS = (*PROVIDERS, OTHER)
VENDOR = "vendor:"
"""Prefix of a mail vendor's bucket, which no domain has; all of its apps share the bucket."""
MAX_PER_HOUR = 1_000_000
BUCKET_LIFE = timedelta(days=1)
"""Time after which an unused bucket is full; it is then created again when needed."""
BATCH = 5000
_HOUR = 3600.0
# Without it, the full bucket of a quiet hour would go out in a few seconds, as spam does.
_PART = 10
"""A bucket holds this part of an hour's messages, so that they are spread over it."""


@dataclass(frozen=True)
class Taken:
    """The number of messages that may be sent now, and the time when the bucket is full again."""

    count: int
    full_at: datetime


def scope_of(email: str) -> str:
    """Return the provider of an address, or its domain."""
    domain = email.rpartition("@")[2].lower()
    for key, domains in PROVIDERS.items():
        if any(
            domain == provider_domain or (provider_domain.endswith(".") and domain.startswith(provider_domain))
            for provider_domain in domains
        ):
            return key
    return domain


def limit_of(scope: str, limits: Mapping[str, int]) -> int | None:
    """Return how many messages an hour may go to the scope; None: any number."""
    return limits.get(scope if scope in PROVIDERS or scope.startswith(VENDOR) else OTHER)


def vendor_scope(sender: Sender) -> str:
    """Return the bucket of the sender's mail vendor; "" for one that has none."""
    return f"{VENDOR}{sender.vendor}" if isinstance(sender, MailApp) else ""


def size_and_rate(per_hour: int) -> tuple[float, float]:
    """Return the size of a bucket, and its inflow per second: together never more than `per_hour` in an hour."""
    size = max(1, per_hour // _PART)
    # What the full bucket holds counts in the hour as well, so less flows in.
    return float(size), (per_hour - size + 1) / _HOUR


def reserve(counts: Mapping[str, int], limits: Mapping[str, int], now: datetime) -> dict[str, Taken]:
    """Take as many tokens as there are, at most those wanted of each scope, in the caller's transaction.

    Scopes without a limit are left out of the answer.
    """
    scope_limits = {scope: limit for scope in counts if (limit := limit_of(scope, limits))}
    if not scope_limits:
        return {}
    company = company_id()
    new = [
        RecipientQuota(company_id=company, scope=scope, tokens=size_and_rate(scope_limits[scope])[0], filled_at=now)
        # One order for all: two claims that insert the same new buckets would otherwise wait for each other.
        for scope in sorted(scope_limits)
    ]
    # Another claim may have made the bucket in between; the locked read below sees whose it is.
    RecipientQuota.objects.bulk_create(new, ignore_conflicts=True)
    rows = list(RecipientQuota.objects.select_for_update().filter(scope__in=scope_limits).order_by("scope"))
    taken = {}
    for row in rows:
        size, rate = size_and_rate(scope_limits[row.scope])
        # Clocks of two machines differ: a negative time would take tokens away.
        since = max(0.0, (now - row.filled_at).total_seconds())
        row.tokens = min(size, row.tokens + since * rate)
        # Sums of fractions stay a hair below the whole number that they mean.
        count = min(counts[row.scope], int(row.tokens + 1e-6))
        row.tokens = row.tokens - count
        # The time never goes back, or the same seconds would be filled twice.
        row.filled_at = max(now, row.filled_at)
        taken[row.scope] = Taken(count, now + timedelta(seconds=(size - row.tokens) / rate))
    RecipientQuota.objects.bulk_update(rows, ["tokens", "filled_at"])
    return taken


def forget_unused() -> bool:
    """Delete buckets of all companies that are full since long (a periodic task). Returns whether there may be more."""
    old = RecipientQuota.objects.filter(filled_at__lt=timezone.now() - BUCKET_LIFE)
    ids = list(old.order_by("pk").values_list("pk", flat=True)[:BATCH])
    RecipientQuota.objects.filter(pk__in=ids).delete()
    return len(ids) == BATCH
