"""The text of a reply: its new part, without quoted text and signature."""

from __future__ import annotations

import re
import unicodedata

from core.text.folding import limit_combining_marks
from outreach.connections.smtp.markup import sanitise_html, text_from_html
from outreach.messaging.inbox.analysis.mailing_words import with_tokens
from outreach.messaging.inbox.analysis.parsing import Mail
from outreach.messaging.inbox.analysis.signatures import without_greeting, without_signature
from outreach.messaging.inbox.analysis.stop_phrases import STOP
from outreach.messaging.inbox.analysis.stop_reasons import POLITE, REASONS

MAX_TEXT_LENGTH = 50_000
"""Characters that are looked through; the rest counts as quoted."""
_QUOTES = re.compile(
    r"<blockquote|<div[^>]{0,200}(?:class=\"?(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)"
    r"|id=\"?(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|reply-intro))"
    r"|<hr[^>]{0,200}id=\"?stopSpelling",
    re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"^[ \t]*>")
_HEADING = re.compile(
    r"^\s*(?:-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio"
    r" originale|forwarded message)\s*-{2,}|_{20,})\s*$",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"^\s*(?:on\b.{5,200}\bwrote|am\b.{5,200}\bschrieb.{0,200}|le\b.{5,200}\ba écrit|el\b.{5,200}\bescribió"
    r"|il\b.{5,200}\bha scritto|op\b.{5,200}\bschreef.{0,200}|em\b.{5,200}\bescreveu)\s*:\s*$",
    re.IGNORECASE | re.DOTALL,
)
_FROM = re.compile(r"^\s*\*?(?:from|von|de|da|van|från|fra|od)\s?:\*?\s*\S", re.IGNORECASE)
_SENT = re.compile(
    r"^\s*\*?(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha|inviato|data|verzonden|skickat|sendt|wysłano)"
    r"\s?:\*?\s*\S",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"^\s*(?:--\s*|sent from my .{1,60}|get outlook for .{1,60}|von meinem .{1,40} gesendet|gesendet mit .{1,60}"
    r"|envoyé de(?:puis)? mon .{1,40}|enviado desde mi .{1,40}|inviato da .{1,40})\s*$",
    re.IGNORECASE,
)
_MAX_STOP_LENGTH = 200
"""Characters of a message that contains nothing else."""
_STOP = re.compile("|".join(f"(?:{pattern})" for pattern in STOP.values()))
_REASON = re.compile("|".join(f"(?:{pattern})" for pattern in REASONS.values()))
_SENTENCE = re.compile(r"[^.!?;。！？\n]+\??")
_COMMA = re.compile(r"[,:、，]| [-–—] ")
_AND = re.compile(r"\b(?:and|so|und|also|daher|et|donc|y|e|en|dus|i|więc)\b", re.IGNORECASE)
"""Words between two clauses of a sentence."""
_BUT = re.compile(
    r"(?<=[.,] )(?:but|however|aber|mais|pero|ma|mas|maar|ale|men),? (?P<clause>[^.,!?;\n]{3,80})", re.IGNORECASE
)
_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")
"""An address that the wish names. Whose it is doesn't matter: the writer asks."""
_LETTERS = str.maketrans("łøđðı", "loddi")
"""Letters that consist of no other letter and an accent."""
_POLITE = re.compile(rf"(?<!\w)(?:{POLITE})(?!\w)")
_MAX_SIGNED_LENGTH = 700
"""Characters of such a message with its greeting and signature."""
_ADDS_MORE = re.compile(
    r"(?<!\w)(?:but(?! no thank)|however|instead|aber|jedoch|sondern|pero|sino|maar|(?<=, )(?:mais|mas|ma|ale|men)"
    r"|mais (?:\w+ez|je|vous|nous)|(?:call|phone|ring) (?:me|us)"
    r"|(?:and|und|et) (?:call|send|tell|let|rufen|senden|appelez"
    r"|envoyez)|rufen sie|appelez|llamen?me|chiamatemi|bel (?:me|mij))(?!\w)",
    re.IGNORECASE,
)
"""Words of an answer that goes on after the wish."""


def reply_and_quote(mail: Mail) -> tuple[str, str]:
    """Return the mail's new text, and the rest: the quoted text and the signature."""
    plain = next((text for text in mail.texts("plain") if text.strip()), "")
    if plain or not mail.html:
        return split_reply(plain)
    quote = _QUOTES.search(mail.html)
    before, after = (mail.html[: quote.start()], mail.html[quote.start() :]) if quote else (mail.html, "")
    said, quoted = _as_text(before), _as_text(after)
    if not said.strip():
        return split_reply(quoted)
    reply, rest = split_reply(said)
    return reply, f"{rest}\n{quoted}".strip()


def _as_text(html: str) -> str:
    return text_from_html(sanitise_html(html))


def split_reply(text: str) -> tuple[str, str]:
    """Return the new part of a text, and the rest of it. Text below a quotation is new as well."""
    text = text.strip()
    head = text[:MAX_TEXT_LENGTH]
    said = "\n".join(_lines(head)).strip()
    if not said:
        # Nothing above the quotation: an answer below it, or between its lines.
        lines = head.splitlines()
        above = next((place for place, line in enumerate(lines) if _QUOTED_LINE.match(line)), len(lines))
        said = "\n".join(_lines("\n".join(lines[above:]))).strip()
    return said, _text_after(text, said)


def _lines(text: str) -> list[str]:
    """Return the lines up to a signature or the heading of a quotation, without quoted ones."""
    kept: list[str] = []
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if _HEADING.match(line) or _SIGNATURE.match(line):
            break
        if any(_WROTE.match("\n".join(lines[place : place + many])) for many in (1, 2, 3)):
            break
        if _FROM.match(line) and any(_SENT.match(below) for below in lines[place + 1 : place + 4]):
            break
        if not _QUOTED_LINE.match(line):
            kept.append(line)
    return kept


def _text_after(text: str, said: str) -> str:
    """Return the text after the new part, or the whole text if the new part is between quoted lines."""
    if not said:
        return text
    last = said.splitlines()[-1].strip()
    first = said.splitlines()[0].strip()
    lines = text.splitlines()
    if lines and lines[0].strip() == first:
        after = len(said.splitlines())
        while after <= len(lines) and lines[after - 1].strip() != last:
            after += 1
        if after <= len(lines):
            return "\n".join(lines[after:]).strip()
    return "" if text == said else text


def asks_to_stop(reply: str) -> bool:
    """Return whether the reply asks for no more mails, and has only reasons, greetings and thanks next to it."""
    if len(reply) > _MAX_SIGNED_LENGTH:
        return False
    # A last line of a single word may be the wish, and not a name.
    return any(_says_stop(_ADDRESS.sub(" ", text)) for text in (without_signature(reply), without_greeting(reply)))


def _says_stop(text: str) -> bool:
    text = _BUT.sub(_without_but, text)
    if len(text) > _MAX_STOP_LENGTH or _ADDS_MORE.search(text):
        return False
    if _is_wish(text):
        return True
    clauses = [clause for sentence in _SENTENCE.findall(text) for clause in _clauses(sentence)]
    clauses = [clause for clause in clauses if _without_politeness(clause)]
    wishes = [clause for clause in clauses if _is_wish(clause)]
    return bool(wishes) and all(clause in wishes or _is_reason(clause) for clause in clauses)


def _without_but(match: re.Match[str]) -> str:
    """Return a clause without the "but" that stands before a reason ("Thanks, but we have no budget")."""
    return match["clause"] if _is_reason(match["clause"]) else match[0]


def _clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence, or the whole sentence if that is a wish or a reason."""
    if _is_wish(sentence):
        return [sentence]
    clauses = [clause for clause in _COMMA.split(sentence) if clause]
    if len(clauses) == 1 and _is_reason(sentence):
        return clauses
    return [part for clause in clauses for part in ([clause] if _is_reason(clause) else _AND.split(clause))]


def _is_wish(text: str) -> bool:
    candidates = (_without_politeness(text), _plain(text))
    return any(_STOP.fullmatch(with_tokens(candidate)) for candidate in candidates if candidate)


def _is_reason(text: str) -> bool:
    candidates = (_without_politeness(text), _plain(text))
    return not text.endswith("?") and any(_REASON.fullmatch(candidate) for candidate in candidates if candidate)


def _without_politeness(text: str) -> str:
    return " ".join(_POLITE.sub(" ", _plain(text)).split())


def _fold_text(text: str) -> str:
    """Return the text in lower case and without accents, of the same length where that is possible."""
    apart = unicodedata.normalize("NFKD", limit_combining_marks(text).lower())
    plain = "".join(character for character in apart if not "\u0300" <= character <= "\u036f").translate(_LETTERS)
    return unicodedata.normalize("NFC", plain)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", _fold_text(text)).split())
