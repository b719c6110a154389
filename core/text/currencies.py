"""The decimals of currencies by ISO 4217.

Babel's decimals are those that people write amounts with. They differ for a dozen currencies, so that neither a gateway
nor the books may see them.
"""

from __future__ import annotations

NO_DECIMALS = {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV"} | {
    *("XAF", "XOF", "XPF")
}
THREE_DECIMALS = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}


def exponent(currency: str) -> int:
    """Return the decimals of a currency by ISO 4217."""
    if currency in NO_DECIMALS:
        return 0
    return 3 if currency in THREE_DECIMALS else 2
