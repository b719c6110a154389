"""The form in which headers are compared."""

from __future__ import annotations

import re
import unicodedata

MAX_CHARS = 500
"""The characters of a header that are read. Unicode's order of accents takes the square of their number."""
CAMEL = re.compile(r"(?<=[a-zäöü0-9])(?=[A-ZÄÖÜ])")
EASTERN = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")
"""A letter of Chinese, Japanese or Korean, which write words without spaces between them."""
EASTERN_NAME = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""A part of a Chinese, Japanese or Korean name."""
# Letters that Unicode does not take apart into a plain one and its mark.
_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})


def normalise(text: str) -> str:
    """Return a header in the form used for comparison: lower case, without accents and punctuation, words separated by
    one space. Only the first MAX_CHARS count."""
    spaced = CAMEL.sub(" ", text[:MAX_CHARS])
    parts = unicodedata.normalize("NFKD", spaced.casefold())
    plain = "".join(char for char in parts if not unicodedata.combining(char)).translate(_PLAIN)
    return " ".join(re.findall(r"[^\W_]+", plain))


def split_phrases(text: str) -> frozenset[str]:
    """Return the phrases of a text, which commas separate, in the form of normalise()."""
    return frozenset(normalised for phrase in text.split(",") if (normalised := normalise(phrase)))
