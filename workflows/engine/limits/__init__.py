"""Limits on the number and times of starts: rates, quotas, windows and concurrency."""
