"""Meetings in person: those that have a place."""
