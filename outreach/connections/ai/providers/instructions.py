"""Instructions in German, French and Spanish, as sentences to the recipient: "Lade sie ein" is "Ich lade Sie ein"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instruction:
    """A sentence to the recipient. `topic` are the prompt's words in it, `subject` is a subject about them."""

    topic: str
    sentence: str
    subject: str


@dataclass(frozen=True, slots=True)
class Language:
    """The instructions of a language: pattern -> sentence and subject, which take `{topic}`, or `{Topic}` first."""

    who: str
    following: str
    """The place before a further instruction in the same sentence."""
    rules: tuple[tuple[str, str, str], ...]
    pronouns: Mapping[str, str]
    lowered: frozenset[str] = frozenset()
    """Words that have a small letter after a colon."""
    capitals: frozenset[str] = frozenset()
    """Words, in small letters, that have a capital letter everywhere."""
    verbs: tuple[tuple[str, str], ...] = ()
    """Patterns of verbs about them -> the verbs to you."""


GERMAN = Language(
    who=(
        r"(?:sie|ihn|ihnen|(?:an |bei )?(?:alle|allen|unsere|unseren|die|den)(?: \w+)?"
        r" (?:kunden|kontakte|kontakten|leads|interessenten))"
    ),
    following=r",? und (?=(?:biete|bitte|danke|erinnere|frag|frage|lade|stelle|vereinbare)\b)",
    rules=(
        (r"lade? {who} (?P<topic>zu[mr]? .+) ein", "Ich möchte Sie herzlich {topic} einladen", "Einladung {topic}"),
        (r"einladung (?P<topic>zu[mr]? .+)", "Ich möchte Sie herzlich {topic} einladen", "Einladung {topic}"),
        (r"biete? (?:{who} )?(?P<topic>.+) an", "Ich möchte Ihnen {topic} anbieten", "{Topic}"),
        (r"bedanke? dich (?:{who} )?(?P<topic>für .+)", "Vielen Dank {topic}", "Danke {topic}"),
        (r"danke? {who} (?P<topic>für .+)", "Vielen Dank {topic}", "Danke {topic}"),
        (r"frage? (?:{who},? )?(?P<topic>ob .+)", "Ich möchte Sie fragen, {topic}", "Eine Frage an Sie"),
        (r"frage?, (?P<topic>ob .+)", "Ich möchte Sie fragen, {topic}", "Eine Frage an Sie"),
        (r"frage? (?:{who} )?(?P<topic>nach .+)", "Ich möchte Sie {topic} fragen", "Eine Frage an Sie"),
        (r"bitte? (?:{who} )?(?P<topic>um .+)", "Ich möchte Sie {topic} bitten", "Eine Bitte an Sie"),
        (r"erinnere? {who} (?P<topic>an .+)", "Ich möchte Sie {topic} erinnern", "Erinnerung {topic}"),
        (r"stelle? (?:{who} )?(?P<topic>.+) vor", "Ich möchte Ihnen {topic} vorstellen", "{Topic}"),
        (r"vereinbare? (?P<topic>.+?)(?: mit {who})?", "Ich möchte gern {topic} mit Ihnen vereinbaren", "{Topic}"),
        (r"(?:schreibe?|sage?|teile?) {who}(?: mit)?, (?P<topic>dass .+)", "Ich möchte Ihnen mitteilen, {topic}", ""),
    ),
    pronouns={
        **{word: word.capitalize() for word in ("sie", "ihnen", "ihr", "ihre", "ihren", "ihrem", "ihrer", "ihres")},
    },
    capitals=frozenset(
        [
            "montag",
            "dienstag",
            "mittwoch",
            "donnerstag",
            "freitag",
            "samstag",
            "sonntag",
            "januar",
            "februar",
            "märz",
            "april",
            "mai",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
        ]
    ),
)
FRENCH = Language(
    who=r"(?:nos|les|tous nos|mes) (?:clients?|contacts?|prospects?|abonnés)",
    following=r" et (?=(?:demande|invite|offre|présente|propose|rappelle|remercie)[rz]?\b)",
    rules=(
        (
            r"invite[rz]?(?:-les)? (?:{who} )?(?P<topic>(?:à|au|aux)\b.+)",
            "J'ai le plaisir de vous inviter {topic}",
            "Invitation {topic}",
        ),
        (r"invitation (?P<topic>(?:à|au|aux)\b.+)", "J'ai le plaisir de vous inviter {topic}", "Invitation {topic}"),
        (
            r"(?:offre[rz]?|offrir|propose[rz]?)(?:-leur)? (?:à {who} )?(?P<topic>.+)",
            "J'aimerais vous proposer {topic}",
            "{Topic}",
        ),
        (
            r"remercie[rz]?(?:-les)? (?:{who} )?(?P<topic>(?:pour|de) .+)",
            "Je vous remercie {topic}",
            "Merci {topic}",
        ),
        (r"présente[rz]?(?:-leur)? (?P<topic>.+)", "J'aimerais vous présenter {topic}", "{Topic}"),
        (
            r"demande[rz]?(?:-leur)? (?P<topic>(?:leur|un|une|s'ils|si) .+)",
            "J'aimerais vous demander {topic}",
            "Une question pour vous",
        ),
        (
            r"rappele?l?e?[rz]?(?:-leur)? (?P<topic>(?:la|le|les|l'|leur).+)",
            "Je souhaite vous rappeler {topic}",
            "Rappel : {topic}",
        ),
    ),
    pronouns={"leur": "votre", "leurs": "vos"},
    verbs=(
        (r"\bs'ils? (?:veulent|veut)\b", "si vous voulez"),
        (r"\bs'ils? (?:peuvent|peut)\b", "si vous pouvez"),
        (r"\bs'ils? (?:ont|a)\b", "si vous avez"),
        (r"\bs'ils? (?:sont|est)\b", "si vous êtes"),
        (r"\bs'ils? (?:viennent|vient)\b", "si vous venez"),
        (r"\bs'ils (\w+)ent\b", r"si vous \1ez"),
    ),
    lowered=frozenset(["le", "la", "les", "un", "une", "des", "notre", "nos", "nouveau", "nouvelle", "nouveaux"]),
)
SPANISH = Language(
    who=r"a (?:nuestros|los|todos los|todos nuestros|mis) (?:clientes|contactos|suscriptores)",
    following=r" y (?=(?:agradece|invita|ofrece|pide|pregunta|presenta|recuerda)\b)",
    rules=(
        (
            r"inv[ií]ta(?:r|les)? (?:{who} )?(?P<topic>(?:a|al)\b.+)",
            "Me gustaría invitarle {topic}",
            "Invitación {topic}",
        ),
        (r"invitación (?P<topic>(?:a|al)\b.+)", "Me gustaría invitarle {topic}", "Invitación {topic}"),
        (r"ofr[eé]ce(?:r|les)? (?:{who} )?(?P<topic>.+)", "Me gustaría ofrecerle {topic}", "{Topic}"),
        (r"agrad[eé]ce(?:r|les)? (?:{who} )?(?P<topic>.+)", "Le agradezco {topic}", "Gracias por {topic}"),
        (r"pres[eé]nta(?:r|les)? (?:{who} )?(?P<topic>.+)", "Me gustaría presentarle {topic}", "{Topic}"),
        (r"p[ií]de(?:les)? (?P<topic>.+)", "Me gustaría pedirle {topic}", "Una petición"),
        (
            r"preg[uú]nta(?:r|les)? (?:{who} )?(?P<topic>(?:por|sobre|si) .+)",
            "Me gustaría preguntarle {topic}",
            "Una pregunta",
        ),
        (r"rec(?:ue|ué)rda(?:les)? (?:{who} )?(?P<topic>.+)", "Quiero recordarle {topic}", "Recordatorio: {topic}"),
        (r"prop(?:ó|o)n(?:les)? (?P<topic>.+)", "Me gustaría proponerle {topic}", "{Topic}"),
    ),
    pronouns={},
    verbs=((r"\bsi (\w+[ae])n\b", r"si \1"),),
    lowered=frozenset(
        [
            "el",
            "la",
            "los",
            "las",
            "un",
            "una",
            "nuestro",
            "nuestra",
            "nuestros",
            "nuestras",
            "nuevo",
            "nueva",
            "nuevos",
            "nuevas",
        ]
    ),
)
LANGUAGES: Mapping[str, Language] = {"German": GERMAN, "French": FRENCH, "Spanish": SPANISH}
_RULES = {
    name: [
        (re.compile(pattern.replace("{who}", language.who), re.IGNORECASE | re.DOTALL), sentence, subject)
        for pattern, sentence, subject in language.rules
    ]
    for name, language in LANGUAGES.items()
}
_FOLLOWING = {name: re.compile(language.following, re.IGNORECASE) for name, language in LANGUAGES.items()}
_WORD = re.compile(r"[^\W\d_]+")


def read_instructions(text: str, name: str) -> list[Instruction]:
    """Return the instructions of a sentence in a language; none where any part of it is no known one."""
    parts = _FOLLOWING[name].split(text) if name in LANGUAGES else []
    instructions = [_instruction(part.strip(" .!?"), name) for part in parts]
    return [instruction for instruction in instructions if instruction] if all(instructions) else []


def topic_text(text: str, name: str) -> str:
    """Return words of a prompt with the letters that they have behind a colon."""
    language = LANGUAGES.get(name)
    if language is None:
        return text
    spelled = _WORD.sub(lambda match: _capital(match[0], language.capitals), text)
    if language is GERMAN:
        return spelled[:1].upper() + spelled[1:]
    first = spelled.split(" ", 1)[0]
    return spelled[:1].lower() + spelled[1:] if first.lower() in language.lowered else spelled


def _instruction(text: str, name: str) -> Instruction | None:
    language = LANGUAGES[name]
    for pattern, sentence, subject in _RULES[name]:
        if match := pattern.fullmatch(text):
            spelled = _WORD.sub(lambda word: _capital(word[0], language.capitals), match["topic"].strip())
            topic = _WORD.sub(lambda word: language.pronouns.get(word[0], word[0]), spelled)
            for verb, spoken in language.verbs:
                topic = re.sub(verb, spoken, topic, flags=re.IGNORECASE)
            values = {"topic": topic, "Topic": topic[:1].upper() + topic[1:]}
            return Instruction(topic, sentence.format(**values), subject.format(**values))
    return None


def _capital(word: str, capitals: frozenset[str]) -> str:
    return word.capitalize() if word in capitals else word
