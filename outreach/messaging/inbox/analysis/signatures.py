"""Greetings, closings and signatures of short replies."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAME = r"[^\W\d_][\w'’.-]*"
_GREETINGS = (
    r"(?i:hi(?: there)?|hello|hey|dear|good (?:morning|afternoon|day|evening)|hallo|guten (?:tag|morgen|abend)|moin"
    r"|grüß gott|servus|sehr geehrte[rs]?|liebe[rs]?|bonjour|bonsoir|salut|ch[eè]re?s?|madame|monsieur|hola"
    r"|buenos d[ií]as|buenas(?: tardes| noches)?|estimad[oa]s?(?:/a)?|querid[oa]s?|ciao|salve|buongiorno|buonasera"
    r"|gentil[ei]|egregi[oa]|spett\.?(?:le|abile)?|goedemorgen|goedemiddag|goedendag|goedenavond|beste|geachte|dag|hoi"
    r"|ol[aá]|bom dia|boa (?:tarde|noite)|prezad[oa]s?|car[oaie]|dzień dobry|dobry wieczór|cześć|witam|szanown[aie]"
    r"|drog[ai]|hei|hej|dobrý den|ahoj|здравствуйте|добрый день|добрий день"
    r"|您好|你好|こんにちは|お世話になっております)"
)
_GREETING = re.compile(
    rf"{_GREETINGS}(?P<names>(?:[ ,]+(?:{_NAME}+|&|/)){{0,6}}?)"
    r" ?(?P<end>[,!:，。、！]|$|(?<=\w{4}\.)(?<!Prof\.)(?= ))"
)
"""A greeting up to the first comma, or to a dot that is no abbreviation's."""
_LONG_GREETING = re.compile(rf"{_GREETINGS}(?P<names>(?:[ ,]+(?:{_NAME}|&|/)){{0,6}}) ?(?P<end>[,!:.]|$)")
"""A greeting with commas between names, or with a dot after them."""
_LOWER_ADDRESSEES = _words(
    "all everyone team there sir madam sirs sales und and et y e i en or oder ou o equipo équipe equipe"
    " tutti todos tous von van de del della der den à zusammen damen herren"
)
CLOSINGS = (
    r"(?:(?:many |with many |with )?thanks?(?: you)?(?: (?:very|so) much| a lot)?(?: in advance)?|thx|ty|cheers"
    r"|(?:(?:with |my )?(?:best|kind|kindest|warm|warmest) )?(?:regards|wishes)|all the best|best|br|kr"
    r"|(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|yours|take care"
    r"|danke(?: (?:schön|sehr|im voraus|ihnen))?|(?:vielen|besten|herzlichen|schönen) dank(?: im voraus)?"
    r"|(?:mit )?(?:den )?(?:freundlichem?n?|besten|beste|herzlichen?|vielen?|schönen?|lieben?)"
    r" (?:grü(?:ß|ss)en?|gru(?:ß|ss)|gruessen?)(?: aus \w+)?|grü(?:ß|ss)e|gru(?:ß|ss)|hochachtungsvoll|mfg|lg|vg|bg"
    r"|merci(?: (?:d['’ ]avance|beaucoup|bien))?|(?:bien )?cordialement|bien à vous|(?:meilleures )?salutations"
    r"(?: distinguées)?|sincères salutations|bonne (?:journée|soirée)|cdlt|cdt"
    r"|(?:muchas |mil )?gracias(?: de antemano)?|(?:un |cordiales )?saludos?(?: cordial(?:es)?)?|atentamente|atte"
    r"|(?:mille |molte )?grazie(?: mille| in anticipo)?|(?:cordiali |distinti |un )?salut[io]|cordialmente"
    r"|(?:alvast )?(?:bedankt|dank u(?: wel)?|dank)(?: alvast)?|(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?"
    r"|groet(?:en|jes)?|hoogachtend|mvg"
    r"|(?:muito )?obrigad[oa]|atenciosamente|cumprimentos|(?:com os )?melhores cumprimentos|abraços?|att"
    r"|(?:z góry )?(?:dziękuję|dzięki)(?: z góry)?|(?:serdecznie )?pozdrawiam(?: serdecznie)?|pozdrowienia"
    r"|z (?:poważaniem|wyrazami szacunku)|mvh|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|med vänlig hälsning(?:ar)?"
    r"|tack|tak|takk|kiitos|ystävällisin terveisin|děkuji|s pozdravem|ďakujem|s pozdravom|hvala|lep pozdrav"
    r"|спасибо|с уважением|дякую|з повагою|multumesc|mulțumesc|cu stimă|köszönöm|üdvözlettel)"
)
_CLOSING = re.compile(rf"(?i:{CLOSINGS})(?P<names>(?: ?[,.!–-]* ?\b{_NAME}){{0,3}})[ ,.!]*")
_LAST_SENTENCE = re.compile(rf"(?<=[.,!;])[ ]*\b(?i:{CLOSINGS})(?P<names>(?: ?[,.!–-]* ?\b{_NAME}){{0,3}})[ ,.!]*$")
# Longer ends are text: to cut a sentence of a person is worse than to leave a signature.
_MAX_SIGNATURE_LINES = 6
_MAX_SIGNATURE_LINE_LENGTH = 60
_CONTACT = re.compile(
    r"\S+@\S+|(?:https?://|www\.)\S+|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}\b|[+(]?\d[\d ()/.-]*"
    r"|\b(?i:tel|telefon|téléphone|phone|mobile?|mobil|fax|fon|e-?mail|web|t|m|f|p|w|e)\b[.:]*"
)
_PARTICLES = _words(
    "of for and the at und für der die des im & de la le du des en et del y e di della da do das dos van von voor"
    " het den ten ter zu w i ds z"
)
_JOB = re.compile(
    r"(?i)\b(?:\w*manager(?:in)?|director[ae]?|\w*direktor(?:in)?|directeur|directrice|direttor[ei]|direttrice|diretora?"
    r"|dyrektor|prezes|founder|owner|president|head|lead|\w*leiter(?:in)?|\w*führer(?:in)?|inhaber(?:in)?|gérante?"
    r"|gerente|responsable|responsabile|responsável|assistante?|assistent(?:e|in)?|engineer|ingenieur|consultant"
    r"|berater(?:in)?|specialist|specjalista|kierownik|właściciel|eigenaar|titolare|amministratore|propietari[oa])\b"
)


def without_signature(text: str) -> str:
    """Return a text without the greeting before it, and without the closing and the signature after it."""
    lines = [" ".join(line.split()) for line in without_greeting(text.strip()).splitlines()]
    lines = [line for line in lines if line]
    for place, line in enumerate(lines):
        if place and _is_closing(line) and _is_signature(lines[place + 1 :]):
            return "\n".join(lines[:place])
        match = _LAST_SENTENCE.search(line)
        if match and _is_name(match["names"]) and _is_signature(lines[place + 1 :]):
            return "\n".join([*lines[:place], line[: match.start()]])
    if len(lines) > 1 and re.fullmatch(rf"[–/-]* ?{_NAME}(?: {_NAME}){{0,2}}", lines[-1]) and _is_name(lines[-1]):
        return "\n".join(lines[:-1])
    return "\n".join(lines)


def without_greeting(text: str) -> str:
    """Return a text without the greeting before it."""
    line, _, rest = text.partition("\n")
    for pattern in (_LONG_GREETING, _GREETING):
        match = pattern.match(line)
        if match is not None and _is_addressed(match["names"]):
            return f"{line[match.end() :]}\n{rest}".strip()
    return text


def _is_addressed(names: str) -> bool:
    """Return whether the words after a greeting are names, in contrast to "Hi there is a problem"."""
    return all(
        word[:1].isupper() or word.strip(".").casefold() in _LOWER_ADDRESSEES
        for word in re.split(r"[ ,/&]+", names)
        if word
    )


def _is_closing(line: str) -> bool:
    match = _CLOSING.fullmatch(line)
    return match is not None and _is_name(match["names"])


def _is_signature(lines: list[str]) -> bool:
    """Return whether lines hold names, jobs, companies and addresses only."""
    return len(lines) <= _MAX_SIGNATURE_LINES and all(
        len(line) <= _MAX_SIGNATURE_LINE_LENGTH and (_is_closing(line) or _is_signature_line(line)) for line in lines
    )


def _is_signature_line(line: str) -> bool:
    # Nobody ends a signature by a question, so the line is part of the answer.
    if line.endswith(("?", "!")):
        return False
    words = _CONTACT.sub(" ", line)
    return _is_name(words) or (_JOB.search(words) is not None and len(words.split()) <= 5)


def _is_name(text: str) -> bool:
    """Return whether all words begin with a capital, except for particles."""
    words = re.findall(r"[^\W\d_][\w'’.-]*|&", text)
    return all(word[:1].isupper() or word in _PARTICLES for word in words)
