"""The languages of messages: by code, by name, and from contacts' own fields."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGES: dict[str, tuple[str, ...]] = {
    "ar": ("Arabic", "العربية"),
    "bg": ("Bulgarian", "български"),
    "cs": ("Czech", "čeština", "česky"),
    "da": ("Danish", "dansk"),
    "de": ("German", "Deutsch"),
    "el": ("Greek", "ελληνικά"),
    "en": ("English",),
    "es": ("Spanish", "español", "castellano"),
    "et": ("Estonian", "eesti"),
    "fi": ("Finnish", "suomi"),
    "fr": ("French", "français", "francais"),
    "he": ("Hebrew", "עברית"),
    "hi": ("Hindi", "हिन्दी"),
    "hr": ("Croatian", "hrvatski"),
    "hu": ("Hungarian", "magyar"),
    "id": ("Indonesian", "bahasa indonesia"),
    "it": ("Italian", "italiano"),
    "ja": ("Japanese", "日本語"),
    "ko": ("Korean", "한국어"),
    "lt": ("Lithuanian", "lietuvių"),
    "lv": ("Latvian", "latviešu"),
    "nb": ("Norwegian", "norsk", "bokmål"),
    "nl": ("Dutch", "Nederlands"),
    "pl": ("Polish", "polski"),
    "pt": ("Portuguese", "português", "portugues"),
    "ro": ("Romanian", "română"),
    "ru": ("Russian", "русский"),
    "sk": ("Slovak", "slovenčina"),
    "sl": ("Slovenian", "slovenščina"),
    "sr": ("Serbian", "srpski", "српски"),
    "sv": ("Swedish", "svenska"),
    "th": ("Thai", "ไทย"),
    "tr": ("Turkish", "Türkçe"),
    "uk": ("Ukrainian", "українська"),
    "vi": ("Vietnamese", "tiếng việt"),
    "zh": ("Chinese", "中文"),
}
"""ISO 639-1 code -> the English name, then others that people write."""
_FIELDS = ("language", "preferred language", "sprache", "langue", "idioma", "lingua", "taal")
_COUNTRY_FIELDS = ("country", "land", "pays", "país", "paese")
_COUNTRIES = {
    "de": ("at", "austria", "österreich", "de", "germany", "deutschland"),
    "en": ("gb", "uk", "united kingdom", "england", "us", "usa", "united states", "ie", "ireland", "au", "australia"),
    "es": ("es", "spain", "españa", "mx", "mexico", "méxico", "ar", "argentina", "co", "colombia", "cl", "chile"),
    "fr": ("fr", "france"),
    "it": ("it", "italy", "italia"),
    "ja": ("jp", "japan"),
    "nl": ("nl", "netherlands", "nederland"),
    "pl": ("pl", "poland", "polska"),
    "pt": ("pt", "portugal", "br", "brazil", "brasil"),
    "sv": ("se", "sweden", "sverige"),
    "tr": ("tr", "turkey", "türkiye"),
}
"""Language -> countries by code and name, for countries of one language only."""
_CODES = {name.casefold(): code for code, names in LANGUAGES.items() for name in names}
_OF_COUNTRY = {name: code for code, names in _COUNTRIES.items() for name in names}


def language_code(language: str) -> str:
    """Return the code of a language that is written as a code (de, de-AT) or a name (German, Deutsch); "" for none."""
    text = language.strip().casefold()
    short = text.replace("_", "-").partition("-")[0]
    if short in LANGUAGES:
        return short
    return "nb" if short == "no" else _CODES.get(text, "")


def language_name(code: str) -> str:
    """Return the English name of a language; "" for none."""
    return LANGUAGES[code][0] if code in LANGUAGES else ""


def language_of(fields: Mapping[str, str]) -> str:
    """Return the code of the language in a contact's fields: that of a language field, else its country's; "" for
    none."""
    plain = {" ".join(label.casefold().replace("_", " ").split()): value for label, value in fields.items()}
    for label in _FIELDS:
        if code := language_code(plain.get(label, "")):
            return code
    for label in _COUNTRY_FIELDS:
        if code := _OF_COUNTRY.get(plain.get(label, "").strip().casefold(), ""):
            return code
    return ""
