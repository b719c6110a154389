"""Back office pages of workflows; each domain has its own."""

from workflows.engine import admin as engine
from workflows.graphs import admin as graphs
from workflows.secrets import admin as secrets

__all__ = ["engine", "graphs", "secrets"]
