"""Ends of waiting messages: follow-ups that are no longer due, and messages that would never be sent."""
