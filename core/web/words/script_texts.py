"""The texts that scripts show. Pages carry them in the reader's language (templates/web/base.html)."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _

TEXTS = {
    "close": _("Close"),
    "copied": _("Copied"),
    "lost": _("The service does not answer. This page may be out of date."),
    "refused": _("The service refused this. Load the page again to see why."),
    "failed": _("Something went wrong on our side. Error number: %(number)s"),
    "uploading": _("%(percent)s%% uploaded"),
    "uploaded": _("Uploaded. The service is reading the file."),
    "upload_failed": _("The upload failed. Send the file again."),
    "not_saved_yet": _("Not saved yet"),
    "saving": _("Saving…"),
    "saved": _("Saved"),
    "not_saved": _("Not saved"),
    "check_connection": _("Check your connection, then change something again."),
    "problems": _("Problems to fix: %(number)s"),
    "move_instead": _("Move a step to change the order."),
    "fixed": _("You can't remove “%(step)s”."),
    "no_place": _("“%(step)s” can't be moved here."),
    "moved": _("Moved"),
    "first": _("No step can lead to the first step."),
    "circle": _("Steps can't form a circle."),
    "connected": _("Connected"),
    "last": _("No step can follow “%(step)s”. Select another step first."),
    "gone": _("This step no longer exists."),
    "then": _("Then"),
    "left_out": _("disabled"),
    "port": _("%(step)s, %(way)s: add or connect"),
    "choose_step": _("%(way)s: choose the step with the arrow keys, then press Enter."),
    "choose_step_or_way": _("%(way)s: choose the step with the arrow keys, then press Enter. Press C for another way."),
}
"""Key of a script's text -> the text. Scripts fill in %(name)s."""


def script_texts() -> dict[str, str]:
    """Return the texts in the reader's language."""
    return {key: str(text) for key, text in TEXTS.items()}
