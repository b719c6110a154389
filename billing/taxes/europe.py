"""The countries whose VAT is the European Union's."""

from __future__ import annotations

from stdnum.eu.vat import MEMBER_STATES

EU = frozenset(code.upper() for code in MEMBER_STATES) - {"XI"}
"""Without Northern Ireland, which is of it for goods alone."""
