"""Redis, Celery, and the limits of work outside of requests."""

from __future__ import annotations

from config.env import env
from config.servers import celery_url, redis_url
from config.web_threads import web_threads

REDIS_URL = redis_url()
CELERY_BROKER_URL = celery_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "tick"
CELERY_TASK_ROUTES = ("core.jobs.queues.route_task",)
CELERY_DB_REUSE_MAX = 1000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Workers are not controlled over Redis. Without that they have no pub/sub connection, whose reads know no time-out.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# No retries of notifications: kombu would otherwise retry for six seconds inside the request that sends one.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "health_check_interval": 5,
    "max_retries": 0,
    # A message is a hint that may be lost. An acknowledgment that fails would take up a place of the prefetch for ever.
    "ack_emulation": False,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

WEB_THREADS = web_threads()
ENRICHMENT_WAIT_MINUTES = env.int("ENRICHMENT_WAIT_MINUTES", default=15)
"""Minutes that a run waits for the enrichment of its recipients before its messages are written without it."""
WORKFLOW_STARTS_PER_SECOND = env.int("WORKFLOW_STARTS_PER_SECOND", default=100)
"""Workflow runs that a company's events start in a second, if its plan has no limit workflow-starts."""
WORKFLOW_START_BURST_SECONDS = env.int("WORKFLOW_START_BURST_SECONDS", default=10)
"""The starts of so many seconds may begin at once, after a quiet time."""
WORKFLOW_RUN_DAYS = env.int("WORKFLOW_RUN_DAYS", default=90)
"""Days for which ended runs of workflows are kept, unless the workflow sets others."""
