"""The language of a company's own texts, by their function words, and the language of a message that repeats them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from outreach.connections.ai.providers.base import CompanyBrief, ComposeBrief

MAX_CHARACTERS = 4000
_MARKERS = {
    "English": (
        "the and of to our we you your them they their for with that this is are was be will on at from by it its as an"
        " a i in not or if who which what when where how all more about new free offer invite tell ask thank thanks"
        " remind introduce announce show share book open opening day days week month year join us visit sale off"
        " discount meeting call event now today tomorrow until before after help make get learn see know please would"
        " like can could have has had do does everyone people customers let monday tuesday wednesday thursday friday"
        " saturday sunday january february march april may june july august september october november december"
    ),
    "German": (
        "der die das und zu zum zur den dem des ein eine einen einem einer wir sie ihr ihre ihren ihnen unser unsere"
        " unseren unserer unserem für mit von vom auf im in an am ist sind war nicht oder wenn über um neu neue neuen"
        " neues frage biete stelle vereinbare erinnere schreib bedanke"
        " laden lade einladen einladung angebot danken danke bitte möchte möchten können haben hat nach bei bis"
        " aus als auch uns ihn alle mehr kunden rabatt heute morgen tag tage woche monat jahr wie was wer so es ab"
        " kostenlos kostenlose eröffnen eröffnung montag dienstag mittwoch donnerstag freitag samstag sonntag januar"
        " februar märz mai juni juli oktober dezember"
    ),
    "French": (
        "le la les un une des du de et à au aux nous vous notre nos votre vos pour avec sur dans en est sont pas ou si"
        " nouveau nouvelle nouveaux invitation remise demandez proposez"
        " présentez rappelez rappelle inviter invitez offre offrez remercier merci qui que quoi quand par chez ce cette"
        " ces leur leurs il elle ils elles je se son sa ses tous plus jour jours semaine mois année demain jusqu"
        " gratuit gratuite clients lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai"
        " juin juillet août septembre octobre novembre décembre"
    ),
    "Spanish": (
        "el la los las un una unos unas de del y a al nosotros nuestro nuestra nuestros nuestras su sus para por con en"
        " es son no o si nuevo nueva nuevos nuevas invitar invita invitarles oferta ofrece gracias que qué quien cuando"
        " invitación recuerda recuérdales agradece pregunta pide presenta propón ofréceles descuento tienda feria"
        " como más le les se nos usted ustedes día días semana mes año mañana hoy hasta desde lo muy todos todas"
        " gratis clientes lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio"
        " julio agosto septiembre octubre noviembre diciembre"
    ),
}
MARKERS: Mapping[str, frozenset[str]] = {language: frozenset(text.split()) for language, text in _MARKERS.items()}
"""Language -> words that its sentences are full of. Words of several languages count for each of them."""
LETTERS: Mapping[str, re.Pattern[str]] = {
    "German": re.compile("[äöüß]", re.IGNORECASE),
    "French": re.compile(r"[çèêàœ]|\b(?:l|d|qu|j|n|c|s)['’](?=\w)", re.IGNORECASE),
    "Spanish": re.compile("[ñ¿¡áíóú]", re.IGNORECASE),
}
"""Language -> spellings that the others do not have."""
WORD = re.compile(r"[^\W\d_]+")


def _scores(text: str) -> list[tuple[str, int]]:
    """Return the languages with the number of their words and spellings in the text, the most likely first."""
    tokens = WORD.findall(text[:MAX_CHARACTERS].casefold())
    scores = {language: sum(token in markers for token in tokens) for language, markers in MARKERS.items()}
    for language, pattern in LETTERS.items():
        scores[language] += len(pattern.findall(text[:MAX_CHARACTERS]))
    return sorted(scores.items(), key=lambda score: score[1], reverse=True)


@lru_cache(maxsize=256)
def language_of_text(text: str) -> str:
    """Return English, German, French or Spanish; empty for a text that is none of them for certain, such as a name."""
    (best, most), (_, second) = _scores(text)[:2]
    return best if most > second else ""


def may_be_in(text: str, language: str) -> bool:
    """Return whether a text has words of the language, and of no other one more."""
    scores = _scores(text)
    return scores[0][1] > 0 and (language, scores[0][1]) in scores


def message_language(brief: ComposeBrief) -> str:
    """Return the language of a message: that of the text which it repeats, else the one that the brief asks for.

    Rules translate no text, so that a message in another language would be half translated.
    """
    company = brief.company
    profile = " ".join([company.description, *(product.description for product in company.products[:200])])
    if may_be_in(brief.prompt, brief.language or ""):
        return brief.language or ""
    own = language_of_text(brief.prompt) or language_of_text(profile)
    return own or brief.language or "English"


def in_language(company: CompanyBrief, language: str) -> CompanyBrief:
    """Return the company without descriptions in other languages."""
    products = tuple(
        product if language_of_text(product.description) in ("", language) else replace(product, description="")
        for product in company.products
    )
    is_own = language_of_text(company.description) in ("", language)
    return replace(company, description=company.description if is_own else "", products=products)
