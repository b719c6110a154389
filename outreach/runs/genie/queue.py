"""The plan's limit of messages that wait at once."""

from __future__ import annotations

from collections.abc import Callable

from core.access import check_metered
from outreach.messaging.delivery.models import SendJob
from outreach.runs.genie.models import GenieScheduler

QUEUE = "queue"
"""The name of a plan's limit of messages that are planned and have not gone."""


def waiting_messages() -> int:
    """Return how many of the active company's messages are planned and have not gone, by the index of its runs."""
    runs = GenieScheduler.objects.values("pk")
    return SendJob.objects.filter(run__in=runs, status__in=SendJob.TO_SEND).count()


def check_queue(count: Callable[[], int]) -> None:
    """Raise QueueLimitExceeded_400 if so many further messages exceed the plan's limit of waiting ones.

    Outside of a session nothing is counted, nor without such a limit.
    """
    check_metered(QUEUE, count, error="QueueLimitExceeded_400")
