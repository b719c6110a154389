"""Limits on requests a minute of an API key or a member, and of a company in total: settings, or the plan's limits.

RateLimit and RateLimit-Policy are those of draft-ietf-httpapi-ratelimit-headers-11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from django.conf import settings

from core.access.attempts import count_all
from core.access.entitlements import Entitlement
from core.access.quota import RATES
from core.errors import ApiError

OF_COMPANY = "api-requests"
OF_CALLER = "api-requests-each"
"""Names of limits of plans, in requests a minute."""
SECONDS = 60
RATES.update((OF_COMPANY, OF_CALLER))


class TooManyRequests(ApiError):
    """Too many requests: 429, with the seconds to wait."""

    name = "TooManyRequests_429"
    status = 429
    message = "Too many requests"


@dataclass(frozen=True)
class Pace:
    """The state of one limit."""

    name: str
    most: int
    used: int
    seconds: float
    """Seconds until the window resets."""

    @property
    def remaining(self) -> int:
        return max(0, self.most - self.used)


def count_request(company: str, caller: str, allowed: Entitlement | None) -> list[Pace]:
    """Count a request of the company's caller. Return the state of its limits; it exceeds one if `used` is more than
    `most`."""
    limits: Mapping[str, int] = allowed.limits if allowed is not None else {}
    most = (
        ("caller", caller, limits.get(OF_CALLER, settings.API_REQUESTS_A_MINUTE_EACH)),
        ("company", company, limits.get(OF_COMPANY, settings.API_REQUESTS_A_MINUTE)),
    )
    # Both counts in one round trip, and also of a request that is refused.
    counts = count_all([f"leadwright:pace:{name}:{id}" for name, id, _ in most], SECONDS)
    return [Pace(name, limit, used, left) for (name, _, limit), (used, left) in zip(most, counts, strict=True)]


def rate_limit_error(paces: Sequence[Pace]) -> TooManyRequests | None:
    """Return the error of a request that is over one of the limits."""
    over = [pace for pace in paces if pace.used > pace.most]
    if not over:
        return None
    # The later of both, or the caller would run into the other limit.
    last = max(over, key=lambda pace: pace.seconds)
    whose = "your company" if last.name == "company" else "this API key or member"
    wait = max(1, ceil(last.seconds))
    error = TooManyRequests(f"{whose} may make {last.most} requests a minute; try again in {wait} seconds")
    error.retry_after = wait
    return error


def headers_of(paces: Sequence[Pace]) -> dict[str, str]:
    """Return the headers that describe the rate limits to a program."""
    return {
        "RateLimit-Policy": ", ".join(f'"{pace.name}";q={pace.most};w={SECONDS}' for pace in paces),
        "RateLimit": ", ".join(f'"{pace.name}";r={pace.remaining};t={ceil(pace.seconds)}' for pace in paces),
    }
