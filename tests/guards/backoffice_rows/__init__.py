"""One maker per model that the back office shows: `make(n)` writes the n-th row of the active company, secrets
included. Each app has a file."""

from __future__ import annotations

from tests.guards.backoffice_rows import accounts, billing, core, crm, outreach, workflows
from tests.guards.backoffice_rows.shared import HASHES, SECRET, Makers

__all__ = ["HASHES", "MAKERS", "SECRET"]

MAKERS: Makers = {**core.ROWS, **accounts.ROWS, **billing.ROWS, **crm.ROWS, **outreach.ROWS, **workflows.ROWS}
