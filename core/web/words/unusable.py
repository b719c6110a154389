"""Parameters of lists that an address has and that the list refuses, such as its order."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _
from core.types import Values
from core.web.ask import Answer

UNUSABLE = {
    "sortBy": _("this order"),
    "cursor": _("this place in the list"),
    "searchValue": _("this search"),
    "advancedFilters": _("these filters"),
}
"""Parameter of a list -> its description in a message."""
OF_ORDER = {"sortBy": "sortOrder"}


def unusable_parameter(answer: Answer, query: Values) -> str:
    """Return the parameter of the query that a list refuses, or an empty text."""
    names = (error["field"].partition(".")[0] for error in answer.errors)
    return next((name for name in names if name in UNUSABLE and name in query), "")
