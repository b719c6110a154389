"""Meetings with video calls: their operations, and the settings of links."""
