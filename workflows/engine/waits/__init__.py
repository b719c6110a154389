"""Non-timer waits: calls, events, child runs, approvals."""
