"""The offline composer writes a short personal mail by rules, without network and without a model. It writes English.

It uses a contact's values only where they clearly fit into a sentence, and internal labels (tags, categories) only
where they match a product of the catalogue or a plain relation such as customer, since contacts should not read them.
"""

import random
from typing import ClassVar

from outreach.ai.connected_app import ai_app
from outreach.ai.providers import phrases
from outreach.ai.providers.base import AiProvider, CompanyBrief, ComposeBrief, ContactBrief, Draft
from outreach.ai.providers.cleaning import first_name, one_line, person_name, phrase, shorten, without_placeholders
from outreach.ai.providers.goal import Goal, read_goal
from outreach.ai.providers.phrases import Tone

WORD_LIMIT = 160
_SUBJECT_LENGTH = 78

_LABELS = {
    "company": {"company", "company name", "organisation", "organization", "employer", "account", "business", "firm"},
    "job": {"job", "job title", "title", "position", "role", "occupation"},
    "city": {"city", "town", "location"},
    "industry": {"industry", "sector", "branch"},
}


class OfflineComposer(AiProvider):
    """Composes by rules: different texts for different recipients, always the same for the same brief and seed."""

    key: ClassVar[str] = "offline-composer"
    name: ClassVar[str] = "Offline composer (no AI model is called)"
    calls_a_model: ClassVar[bool] = False

    def compose(self, brief: ComposeBrief) -> Draft:
        """Compose one message of at most 160 words."""
        rng = random.Random(  # noqa: S311  variation of texts, no secret
            f"{brief.seed}/{brief.contact.email}/{brief.step}/{brief.occurrence}"
        )
        tone = phrases.tone_named(brief.tone)
        goal = read_goal(brief.prompt) or _planned(brief, rng)
        greeting = _greeting(brief.contact, tone, rng)
        closing = rng.choice(phrases.CALLS[goal.kind][tone])
        if brief.channel != "email":
            return Draft(
                subject="", text=" ".join([greeting, *goal.sentences[:2], closing, f"– {_signatory(brief.company)[0]}"])
            )
        opening = " ".join(filter(None, [_follow_up(brief, rng), _personal_line(brief, tone, rng)]))
        body = " ".join(goal.sentences)
        sign_off = "\n".join([f"{rng.choice(phrases.SIGN_OFFS[tone])},", *_signatory(brief.company)])
        paragraphs = [greeting, opening, body, _about_company(brief, goal), closing, sign_off]
        return Draft(subject=_subject(brief, goal, rng), text=_within_limit(paragraphs))


def _greeting(contact: ContactBrief, tone: Tone, rng: random.Random) -> str:
    name = person_name(contact.name) if tone == "formal" else first_name(contact.name)
    return rng.choice(phrases.GREETINGS[tone]).format(name=name) if name else phrases.NAMELESS[tone]


def _follow_up(brief: ComposeBrief, rng: random.Random) -> str:
    if brief.step > 1:
        return rng.choice(phrases.FOLLOW_UPS)
    return rng.choice(phrases.AGAIN) if brief.occurrence > 1 else ""


def _personal_line(brief: ComposeBrief, tone: Tone, rng: random.Random) -> str:
    """Return a sentence that is specific to the contact, or a general opening when nothing is known about it."""
    known = _known(brief.contact)
    choices: list[str] = []
    if relation := _relation(brief.contact):
        choices.append(phrases.RELATIONS[relation].format(us=_company_name(brief.company)))
    if interest := _interest(brief):
        choices.append(f"I thought of you because of your interest in {interest}.")
    if known["job"] and known["company"]:
        choices += [line.format(**known) for line in phrases.JOB_AND_COMPANY]
    elif known["company"]:
        choices += [line.format(**known) for line in phrases.COMPANY]
    elif known["job"]:
        choices.append(f"I am writing to you in your role as {known['job']}.")
    if known["industry"]:
        choices.append(f"Since you work in {known['industry']}, I thought this might be of use to you.")
    if known["city"]:
        choices.append(rng.choice(phrases.CITY).format(**known))
    if tone == "direct":
        return choices[0] if choices else ""
    return rng.choice(choices[:3]) if choices else rng.choice(phrases.OPENINGS[tone])


def _known(contact: ContactBrief) -> dict[str, str]:
    known = dict.fromkeys(_LABELS, "")
    for label, value in list(contact.fields.items())[:200]:
        plain = " ".join(str(label).lower().replace("_", " ").replace("-", " ").split())
        for kind, names in _LABELS.items():
            if plain in names and not known[kind]:
                known[kind] = phrase(value)
    return known


def _relation(contact: ContactBrief) -> str:
    labels = {label.lower().strip() for label in (contact.category, *contact.tags[:50])}
    for relation in phrases.RELATIONS:
        if labels & {relation, f"{relation}s"}:
            return relation
    return ""


def _interest(brief: ComposeBrief) -> str:
    """Return a product of the catalogue that a tag or the category of the contact names, or ""."""
    labels = [label.lower().strip() for label in (*brief.contact.tags[:50], brief.contact.category) if label.strip()]
    for product in brief.company.products[:200]:
        name = phrase(product.name)
        if name and name.lower() in labels:
            return name
    return ""


def _planned(brief: ComposeBrief, rng: random.Random) -> Goal:
    """Plan the goal without a prompt: a product that interests the contact, else what the company does."""
    company = brief.company
    us = _company_name(company)
    products = [product for product in company.products[:200] if phrase(product.name)]
    if products:
        interest = _interest(brief)
        chosen = next((product for product in products if phrase(product.name) == interest), None) or rng.choice(
            products
        )
        name = phrase(chosen.name)
        sentences = [rng.choice(phrases.PRODUCT_GOALS).format(product=name, us=us)]
        if about := _sentence(chosen.description, 30):
            sentences.append(about)
        others = [phrase(product.name) for product in products if product is not chosen][:2]
        if others:
            sentences.append(f"You will also find {' and '.join(others)} with us.")
        return Goal("present", name, tuple(sentences))
    about = _sentence(company.description, 40)
    return Goal("present", us, tuple(filter(None, (f"I would like to introduce {us} to you.", about))))


def _about_company(brief: ComposeBrief, goal: Goal) -> str:
    """Return what the company does, for contacts who don't know it yet; "" for others."""
    about = _sentence(brief.company.description, 30)
    if not about or brief.step > 1 or about in goal.sentences or _relation(brief.contact):
        return ""
    first = about.split(" ", 1)[0].lower().rstrip(",")
    us = _company_name(brief.company)
    return (
        about if first in {"we", "our", "at"} or about.lower().startswith(us.lower()) else f"A word about {us}: {about}"
    )


def _sentence(value: str, words: int) -> str:
    """Return the first sentence of a company's own text, ended with a full stop."""
    text = one_line(without_placeholders(value[:2000]))
    first = shorten(text.split(". ")[0].rstrip(" .,;:"), words)
    if not any(character.isalnum() for character in first):
        return ""
    return first[:1].upper() + first[1:] + ("" if first[-1] in "…!?" else ".")


def _signatory(company: CompanyBrief) -> list[str]:
    name, us = phrase(company.sender_name, 100), _company_name(company)
    website = one_line(company.website)[:100]
    lines = [name, us] if name and name.lower() != us.lower() else [us]
    return [*lines, website] if website.startswith(("http://", "https://", "www.")) and " " not in website else lines


def _company_name(company: CompanyBrief) -> str:
    return one_line(without_placeholders(company.name))[:100].strip() or "our team"


def _subject(brief: ComposeBrief, goal: Goal, rng: random.Random) -> str:
    topic = goal.topic
    for article in ("our ", "the ", "a ", "an ", "if ", "whether ", "to ", "for ", "about "):
        if topic.lower().startswith(article):
            topic = topic[len(article) :]
            break
    topic = shorten(one_line(topic), 9, 48)
    known = {
        "topic": topic[:1].upper() + topic[1:],
        "rest": topic,
        "name": first_name(brief.contact.name)[:20],
        "us": shorten(_company_name(brief.company), 6, 40),
    }
    missing = [f"{{{key}}}" for key, value in known.items() if not value]
    lines = [line for line in phrases.SUBJECTS[goal.kind] if not any(key in line for key in missing)]
    subject = rng.choice(lines).format(**known)
    if brief.step > 1:
        subject = f"Following up: {subject}"
    return shorten(subject, 20, _SUBJECT_LENGTH)


def _within_limit(paragraphs: list[str]) -> str:
    """Join the paragraphs to one text.

    When it is too long, the company's paragraph is left out, then the opening, then words.
    """
    for droppable in (3, 1):
        if _words(paragraphs) <= WORD_LIMIT:
            break
        paragraphs[droppable] = ""
    excess = _words(paragraphs) - WORD_LIMIT
    if excess > 0:
        paragraphs[2] = shorten(paragraphs[2], max(5, len(paragraphs[2].split()) - excess))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _words(paragraphs: list[str]) -> int:
    return sum(len(paragraph.split()) for paragraph in paragraphs)


AI_OFFLINE = ai_app("ai-offline", OfflineComposer)
