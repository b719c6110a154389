"""The check of a tracking host: its records in the domain name system, and that it leads to this service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from django.utils.crypto import constant_time_compare, salted_hmac

from core.errors import shorten
from core.outbound_http import HttpFailed, send_request
from outreach.messaging.deliverability.lookups import LookupFailed
from outreach.messaging.domain_tracking.hosts import PROBE, address_of, is_name, own_host

SECONDS = 8.0
"""Time limit of the look-ups, and of the request to the host."""
MAX_BYTES = 1000


class Lookups(Protocol):
    """Look-ups of the check. Raises LookupFailed."""

    def texts(self, name: str) -> list[str]: ...

    def alias(self, name: str) -> str: ...


@dataclass(frozen=True)
class CheckResult:
    """The result of a check: `detail` is the missing part. `asked` is false if that is unknown."""

    ok: bool
    detail: str = ""
    asked: bool = True


def records_of(host: str, proof: str) -> list[dict[str, str]]:
    """Return the records to publish: where the host leads, and that it is the company's."""
    return [
        {"name": host, "type": "CNAME", "value": own_host()},
        {"name": f"_leadwright.{host}", "type": "TXT", "value": proof},
    ]


def answer_of(host: str) -> str:
    """Return this service's response to a check that requests the host."""
    # Only this installation can answer so: another service at the same address cannot guess it.
    return salted_hmac("outreach.tracking.host", host, algorithm="sha256").hexdigest()


def check(host: str, proof: str, lookups: Lookups) -> CheckResult:
    """Check a host. Asks name servers, and then the host."""
    target = own_host()
    if not is_name(target):
        return CheckResult(
            False, "This service has no name that a CNAME record could lead to; ask whoever operates it."
        )
    try:
        alias = lookups.alias(host)
        texts = lookups.texts(f"_leadwright.{host}")
    except LookupFailed as failed:
        return CheckResult(False, str(failed), asked=False)
    if alias != target:
        there = f"leads to {shorten(alias)}" if alias else "has no CNAME record"
        return CheckResult(False, f"{host} {there}; it has to lead to {target}.")
    # The proof is the company's: a CNAME alone could be left over from a former owner of the host.
    if not any(constant_time_compare(text.strip(), proof) for text in texts):
        return CheckResult(False, f"_leadwright.{host} has no TXT record that says {proof}.")
    return _probe_host(host)


def _probe_host(host: str) -> CheckResult:
    try:
        response = send_request("GET", f"{address_of(host)}{PROBE}", seconds=SECONDS, most_bytes=MAX_BYTES)
    except HttpFailed as failed:
        # A proxy that is being restarted must not take links from mails that have gone.
        return CheckResult(False, f"The records are there, but links would not work: {failed.detail}", asked=False)
    if response.status != 200 or not constant_time_compare(
        response.body.decode("ascii", "replace").strip(), answer_of(host)
    ):
        return CheckResult(False, f"The records are there, but {host} is answered by something else than this service.")
    return CheckResult(True)
