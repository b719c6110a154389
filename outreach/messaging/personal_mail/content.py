"""The words of a member's mail: placeholders are filled for the person, and the signature stands below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import NamedError, renamed_fields
from crm.models import Contact
from outreach.connections.smtp.markup import html_from_text, sanitise_html, text_from_html
from outreach.messaging.email_templates.compiler import is_html
from outreach.messaging.email_templates.rendering import Rendered, ValueReader, compile_words, render
from outreach.messaging.inbox.models import InboundMessage
from outreach.messaging.personal_mail.models import PersonalMail

SUBJECT_LENGTH = 200
_REPLY = "re:"


@dataclass(frozen=True)
class Thread:
    """The mails before a reply: Message-IDs, the oldest first, and the vendor's name of the thread."""

    subject: str = ""
    references: str = ""
    vendor_id: str = ""


def thread_of(mail: PersonalMail) -> Thread:
    """Return the thread that a mail continues; an empty one for a new mail."""
    if mail.answers_mail is not None:
        return _after_reply(mail.answers_mail)
    sent = mail.answers_message
    if sent is None:
        return Thread()
    references = f"{sent.reference_ids} {sent.message_id}".strip()
    return Thread(reply_subject(sent.subject), references, sent.provider_thread_id)


# RFC 5322, 3.6.4: the former references, our message, and the one that is answered.
def _after_reply(received: InboundMessage) -> Thread:
    sent = received.send_job
    before = f"{sent.reference_ids} {sent.message_id}" if sent else ""
    own_id = f"<{received.message_id}>" if received.message_id else ""
    references = " ".join(f"{before} {own_id}".split())
    return Thread(reply_subject(received.subject), references, sent.provider_thread_id if sent else "")


def reply_subject(subject: str) -> str:
    """Return the subject of a reply."""
    if subject.lower().startswith(_REPLY):
        return subject[:SUBJECT_LENGTH]
    return f"Re: {subject}".strip()[:SUBJECT_LENGTH]


def render_mail(mail: PersonalMail, contact: Contact) -> Rendered:
    """Return the mail as its recipient gets it.

    Raises InvalidVariables_400 for an unknown placeholder, and InvalidEmailTemplate_400 for HTML or MJML that cannot be
    read.
    """
    reader = ValueReader.load()
    required = _required_variables(mail)
    words = _fill(mail.subject, mail.html, "html", contact, reader, required) if mail.html else None
    if words is None or mail.text:
        plain = _fill(mail.subject, mail.text, "text", contact, reader, required)
        words = replace(words, text=plain.text) if words else plain
    return _with_signature(words, mail.signature)


def _fill(
    subject: str, body: str, field: str, contact: Contact, reader: ValueReader, required: Sequence[str]
) -> Rendered:
    with renamed_fields({"body": field}):
        compiled, variables = compile_words(subject, body, reader, required)
    return render(subject, compiled, variables, reader.of(contact, variables))


def _required_variables(mail: PersonalMail) -> Sequence[str]:
    """Return the names of the variables without which the template's mail is not sent."""
    if mail.template is None:
        return ()
    return [variable["name"] for variable in mail.template.variables if variable["required"]]


def _with_signature(words: Rendered, signature: str) -> Rendered:
    """Return the mail with the signature below its words."""
    if not signature.strip():
        return words
    in_html = is_html(signature)
    plain = text_from_html(sanitise_html(signature)) if in_html else signature.strip()
    text = f"{words.text.rstrip()}\n\n{plain}\n"
    if not words.html and not in_html:
        return Rendered(words.subject, text, "", words.missing)
    body = words.html or html_from_text(words.text)
    below = sanitise_html(signature) if in_html else html_from_text(signature.strip())
    return Rendered(words.subject, text, f"{body}\n<br>\n{below}", words.missing)


def check_sendable(words: Rendered) -> None:
    """Raise InvalidPayload_400 for a mail without subject, and InvalidVariables_400 where a needed value is missing."""
    if not words.subject:
        raise NamedError("InvalidPayload_400", "enter a subject", field="subject")
    if words.missing:
        raise NamedError("InvalidVariables_400", f"has no value for {', '.join(words.missing)}", field="to")
