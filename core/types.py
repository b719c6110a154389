"""Named types of what passes between layers whose keys are not fixed in the code.

Where the keys are fixed, a dataclass or a TypedDict says more, and is to be preferred.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON: validated input, an answer of a program, stored settings. Whatever reads a value checks it."""

Values: TypeAlias = Mapping[str, Any]
"""Values by name that are only read: a row of a query, a record as the API shows it, a template's context."""
