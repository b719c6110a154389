"""What slows or stops sending: guardrails and rests of senders, sending hours, limits of providers and campaigns."""
