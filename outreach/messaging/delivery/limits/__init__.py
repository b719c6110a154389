"""Limits of sending: guardrails and pauses of senders, sending hours, limits of providers and campaigns."""
