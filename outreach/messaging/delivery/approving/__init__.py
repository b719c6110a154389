"""Approval of messages: its content and validity."""
