"""Logs: what each line belongs to (a request, a job), and how lines are written.

No Django here: the web server's own process uses the formatters too.
"""

from core.logs.context import log_context, request_id
from core.logs.formatters import JsonFormatter, LineFormatter

__all__ = ["JsonFormatter", "LineFormatter", "log_context", "request_id"]
