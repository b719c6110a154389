"""Logs: the context of each line (a request, a job), and the format of lines.

No Django here: the web server's own process uses the formatters too.
"""

from core.logs.context import log_context, request_id
from core.logs.formatters import JsonFormatter, LineFormatter

__all__ = ["JsonFormatter", "LineFormatter", "log_context", "request_id"]
