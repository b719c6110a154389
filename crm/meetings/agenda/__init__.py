"""Meetings and follow-ups of members within a period."""
