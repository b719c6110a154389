"""Requests that are repeated under one Idempotency-Key, and take effect once (docs/decisions/0024-idempotency.md)."""
