"""Judge how well a text fits a language, by the pairs of letters in the language's own words.

The words are those of CLDR, which babel brings along: countries, cities, languages, currencies, months and days. They
are short names as the cells of import files are, where models of running text fail.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul
from typing import Self

from babel import Locale

from core.text.folding import limit_combining_marks
from crm.imports.readers.frequent_names import FREQUENT_NAMES, FREQUENT_SIGNS

# Letters, and the marks of scripts that write vowels above, below or next to them.
MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u0670\u0e00-\u0e7f"
WORD = re.compile(rf"(?:[^\W\d_]|[{MARKS}])+")
ABOVE_ASCII = re.compile(r"[^\x00-\x7f]")
APOSTROPHES = frozenset("’´`·")
QUOTES = frozenset("“”„‘’«»「」（）")
START, END = "^", "$"
SINGLE_SHARE = 0.2
"""The weight of a letter's own frequency relative to that of the pair."""
UNLIKELY = -11.0
UNKNOWN_SIGN = -14.0
MIXED = -10.0
"""The price of Latin letters in a word of another script."""
UNKNOWN = -18.0
"""Logarithm of the probability of a letter that the language does not have."""
CASE_INSIDE = -6.0
"""The price of a capital letter after a small one in a word."""
LOWER_START = -0.7
UPPER_WORD = -1.0
FOREIGN = 8.0
"""The price of a word of another language."""
SYMBOL = -12.0
INSIDE_WORD = -18.0
BEFORE_WORD = -24.0
"""The score of a trade mark or the like before a word, in the place of letters of another code page."""
ONE_QUOTE = -20.0
"""The price of a quotation mark that nothing closes."""
TYPOGRAPHIC = -4.0
BROKEN = -16.0
TYPOGRAPHY = frozenset("’‘“”„–—…•€£§°©®«»´\u00a0、。「」・，（）")
AFTER_WORDS = frozenset("®©¥¤¦¬±")
"""Signs that never begin a word."""
CONTROLS = -14.0
NAME_WEIGHT = 3
"""Number of CLDR words that a frequent name counts as."""
OLD_LETTERS = str.maketrans("șțȘȚ", "şţŞŢ")


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The logarithms of the probabilities of a language's letters and of the pairs of them."""

    pairs: Mapping[str, float]
    letters: Mapping[str, float]
    latin: bool
    signs: bool
    """The script has thousands of signs, which are judged one by one."""


@cache
def model_of(language: str) -> LanguageModel:
    """Return the model of a language, by its name in CLDR."""
    words = list(_words(language))
    if language in FREQUENT_SIGNS:
        return _model_of_signs(words, FREQUENT_SIGNS[language])
    pairs: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for word in words:
        text = START + word + END
        for first, second in zip(text, text[1:], strict=False):
            pairs[first + second] += 1
            starts[first] += 1
            letters[second] += 1
    total = letters.total()
    singles = {letter: SINGLE_SHARE * count / total for letter, count in letters.items()}
    return LanguageModel(
        pairs={
            pair: math.log((1 - SINGLE_SHARE) * count / starts[pair[0]] + singles[pair[1]])
            for pair, count in pairs.items()
        },
        letters={letter: math.log(chance) for letter, chance in singles.items()},
        latin=letters["a"] * 100 > total,
        signs=False,
    )


def _model_of_signs(words: Iterable[str], frequent: str) -> LanguageModel:
    counts = Counter("".join(words))
    names = Counter("".join(frequent.split()))
    total, named = counts.total(), names.total()
    letters = {
        sign: math.log(0.5 * counts[sign] / total + 0.5 * names[sign] / named) for sign in counts.keys() | names.keys()
    }
    return LanguageModel(pairs={}, letters=letters, latin=False, signs=True)


def _words(language: str) -> Iterable[str]:
    """Yield the words of a language in small letters."""
    locale = Locale.parse(language)
    texts = [*locale.territories.values(), *locale.languages.values(), *locale.currencies.values()]
    texts += [zone["city"] for zone in locale.time_zones.values() if "city" in zone]
    for table in (locale.months, locale.days):
        texts += table["stand-alone"]["wide"].values()
    for text in texts:
        plain = unicodedata.normalize("NFC", text)
        if language == "ro":
            plain = plain.translate(OLD_LETTERS)
        yield from (match.group().lower() for match in WORD.finditer(plain))
    yield from NAME_WEIGHT * FREQUENT_NAMES.get(language, "").split()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of a text that have letters above ASCII, and the likelihood of its other signs."""

    words: Mapping[str, int]
    signs: float

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the evidence of a text."""
        plain = unicodedata.normalize("NFC", limit_combining_marks(text))
        words = Counter(match.group() for match in WORD.finditer(plain))
        signs = 0.0
        for match in ABOVE_ASCII.finditer(plain):
            char = match.group()
            if not char.isalpha() and unicodedata.category(char)[0] != "M":
                place = match.start()
                signs += _symbol(char, plain[place - 1 : place], plain[place + 1 : place + 2])
        signs += ONE_QUOTE * abs(plain.count("«") - plain.count("»"))
        return cls({word: count for word, count in words.items() if not word.isascii()}, signs)

    def fit(self, languages: Sequence[str]) -> float:
        """Return the logarithm of the likelihood that these are words of the likeliest language, with some foreign
        ones among them."""
        fits = []
        for language in languages:
            model = model_of(language)
            judge = _fit_of_signs if model.signs else _fit_of_word
            fits.append([judge(word, model) for word in self.words])
        counts = list(self.words.values())
        main = max(fits, key=lambda scores: sum(map(mul, scores, counts)))
        total = self.signs
        for place, count in enumerate(counts):
            total += count * max(main[place], max(scores[place] for scores in fits) - FOREIGN)
        return total


def _symbol(char: str, before: str, after: str) -> float:
    """Return the likelihood of a sign that is no letter, between its neighbours."""
    if char == "\ufffd":
        return BROKEN
    if char in AFTER_WORDS and after.isalpha():
        return BEFORE_WORD
    if char not in TYPOGRAPHY:
        return CONTROLS if unicodedata.category(char) in ("Cc", "Co", "Cn") else SYMBOL
    if before.isalpha() and after.isalpha():
        return TYPOGRAPHIC if char in APOSTROPHES else INSIDE_WORD
    near = before.isalpha() or after.isalpha()
    return SYMBOL if near and char not in QUOTES else TYPOGRAPHIC


def _fit_of_signs(word: str, model: LanguageModel) -> float:
    total = MIXED if any(char < "\x7f" for char in word) else 0.0
    for char in word:
        if char > "\x7f":
            total += model.letters.get(char, UNKNOWN_SIGN)
    return total


def _fit_of_word(word: str, model: LanguageModel) -> float:
    total = 0.0
    if not model.latin and any(char < "\x7f" for char in word):
        total += 2 * MIXED
    upper = word.isupper() and len(word) > 1
    if upper:
        total += UPPER_WORD
    elif word[0].islower():
        total += LOWER_START
    previous, before = START, ""
    for char in word:
        small = char.lower()[:1]
        if char > "\x7f" or previous > "\x7f":
            total += _pair(model, previous, small)
        if not upper and char.isupper() and before.islower() and (char > "\x7f" or before > "\x7f"):
            total += CASE_INSIDE
        previous, before = small, char
    return total + (_pair(model, previous, END) if previous > "\x7f" else 0.0)


def _pair(model: LanguageModel, first: str, second: str) -> float:
    chance = model.pairs.get(first + second)
    if chance is not None:
        return chance
    if second == END or first in model.letters or first == START:
        return model.letters.get(second, UNKNOWN)
    return UNKNOWN
