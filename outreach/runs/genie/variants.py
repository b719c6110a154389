"""The content of a campaign's messages: the variant of the n-th recipient, and the recipients waiting for a test's
winner.

`content` of a run is {} or {"variants": [{"name", "share", "subject", "html", "text", "variables"}], "testShare": 20,
"chosen": None}. Without testShare all recipients share the variants. With it that many percent of them do, and the
others wait until one is chosen. Both depend on the recipient's number, so that a batch that is repeated after a killed
worker gives everybody the same variant.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Values
from outreach.messaging.delivery.models import SendJob


def variant_of(content: Values, number: int) -> int | None:
    """Return the variant of the recipient with the number, from 0; None: there is none, or it is not chosen yet."""
    if not content:
        return None
    if content["chosen"] is not None:
        return int(content["chosen"])
    shares = [variant["share"] for variant in content["variants"]]
    tested = content["testShare"]
    if tested is None:
        return _of_share(shares, number)
    # Whole numbers alone, so that the test has exactly its share of any hundred.
    before, after = -(-number * tested // 100), -(-(number + 1) * tested // 100)
    return _of_share(shares, before) if after > before else None


def _of_share(shares: Sequence[int], number: int) -> int:
    """Return the variant for a recipient's number. After any hundred each variant has its percentage, and nearly so
    before."""
    counts = [0] * len(shares)
    turn = 0
    for place in range(number % 100 + 1):
        # The variant that lacks most of its share comes next, so even ten recipients are split as asked.
        turn = max(range(len(shares)), key=lambda index: (shares[index] * (place + 1) - 100 * counts[index], -index))
        counts[turn] += 1
    return turn


def awaits_winner(content: Values, job: SendJob) -> bool:
    """Return whether a new message has no content before the winner is chosen."""
    return bool(content) and job.step == 1 and job.variant is None


def words_of(content: Values, variant: int) -> Values:
    """Return the content of a variant."""
    variant_content: Values = content["variants"][variant]
    return variant_content
