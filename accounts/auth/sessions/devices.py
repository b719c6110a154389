"""Readable description of a device from its User-Agent header."""

from __future__ import annotations

# The first that is named counts: Edge and Opera name Chrome too, Chrome names Safari, and Android names Linux.
BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)
UNKNOWN = "Unknown device"


def device_of(user_agent: str) -> str:
    """Return the browser and its system, such as "Firefox on Windows"; a program's name as it gives it."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or user_agent.split("/")[0].strip()[:60] or UNKNOWN
