"""The warning about drafts that are left for a person when the others are approved."""

from __future__ import annotations

from outreach.messaging.delivery.services import SkippedApprovals

LEFT = (
    "Drafts that state something unproved, and those that had been approved for another recipient or sender, are left"
    " for a person to approve by itself: data holds their number as leftCount. Those that would never go, such as to"
    " suppressed addresses, end for their reason, by which data counts them as skipped. `warning` names both. "
)


def left_warning(left: SkippedApprovals, newer: int = 0) -> dict[str, str]:
    """Return the warning about drafts that are not approved together with the others."""
    parts = []
    unproved = left.unproved
    outdated = left.outdated
    if unproved:
        text = "draft was left: something in it" if unproved == 1 else "drafts were left: something in them"
        parts.append(f"{unproved} {text} is not proved (unproved)")
    if outdated:
        text = "draft was left: its" if outdated == 1 else "drafts were left: their"
        parts.append(f"{outdated} {text} contact or sender is another one since the approval (approval_outdated)")
    if parts:
        parts.append(f"approve {'it' if left.count == 1 else 'each'} by itself")
    for reason in left.as_json()["skipped"]:
        text = "draft was skipped, since it" if reason["count"] == 1 else "drafts were skipped, since they"
        parts.append(f"{reason['count']} {text} would never go: {reason['sentence'].rstrip('.')} ({reason['reason']})")
    if newer:
        parts.append(f"{newer} {'draft has' if newer == 1 else 'drafts have'} come or changed since the sample")
    return {"warning": "; ".join(parts)} if parts else {}
