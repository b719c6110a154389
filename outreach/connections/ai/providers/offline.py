"""The offline composer writes a short personal mail by rules, without network and without a model.

It writes English, and simple text in the languages of outreach.connections.ai.providers.stock. A message stays in the
language of the description or company profile that it repeats. For any other language it writes English.

It uses a contact's values only if they clearly fit into a sentence. Contacts should not read internal labels (tags,
categories). These are used only if they match a product of the catalogue or a plain relation such as customer.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from outreach.connections.ai.connected_app import ai_app
from outreach.connections.ai.providers import phrases
from outreach.connections.ai.providers.base import AiProvider, Claim, ComposeBrief, Draft
from outreach.connections.ai.providers.cleaning import first_name, one_line, person_name, phrase
from outreach.connections.ai.providers.goal import Goal, read_goal
from outreach.connections.ai.providers.hints import KNOWN, Hint, read_hint
from outreach.connections.ai.providers.passages import (
    Passage,
    company_line,
    company_name,
    interest_of,
    join_passages,
    known_of,
    relation_of,
    sentence_of,
    signatory,
    signatory_claims,
    whole_subject,
    within_limit,
)
from outreach.connections.ai.providers.phrases import Tone
from outreach.connections.ai.providers.stock import STOCKS
from outreach.connections.ai.providers.text_language import in_language, message_language
from outreach.connections.ai.providers.translated import write_translated


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
        hint = read_hint(brief.hint)
        language = message_language(brief)
        stock = STOCKS.get(language)
        brief = replace(brief, company=in_language(brief.company, language if stock else "English"))
        hint_tone = phrases.tone_named(hint.tone)
        tone = phrases.tone_named(brief.tone) if hint_tone == "neutral" else hint_tone
        if stock is not None:
            subject, passages = write_translated(brief, language, stock, tone, rng)
            if brief.language not in (None, language):
                passages[0] = _with_language_claim(passages[0])
            if brief.channel == "email":
                return _mail(brief, hint, subject, passages, stock.mention, stock.also)
            greeting, _, body, _, closing, _ = passages
            return _draft("", [greeting, body, closing, _chat_sign_off(brief)], between=" ")
        goal = read_goal(brief.prompt) or _choose_goal(brief, rng)
        greeting = _greeting(brief, tone, rng)
        closing = _closing(brief, phrases.CALLS[goal.kind][tone], rng)
        if brief.channel != "email":
            short = _body(Goal(goal.kind, goal.topic, goal.sentences[:2], goal.claims))
            return _draft("", [greeting, short, closing, _chat_sign_off(brief)], between=" ")
        opening = join_passages([_follow_up(brief, rng), _personal_line(brief, tone, rng)], " ")
        sign_off = Passage(
            "\n".join([f"{rng.choice(phrases.SIGN_OFFS[tone])},", *signatory(brief.company)]),
            signatory_claims(brief.company),
        )
        passages = [greeting, opening, _body(goal), _about_company(brief, goal), closing, sign_off]
        return _mail(brief, hint, _subject(brief, goal, rng), passages, phrases.MENTION, phrases.ALSO)

    def hint_warning(self, hint: str) -> str:
        """Return a message about the parts of the hint without a rule."""
        ignored = read_hint(hint).ignored
        return f"hint: the built-in writer ignores “{ignored}”; it knows {KNOWN}" if ignored else ""


def _mail(brief: ComposeBrief, hint: Hint, subject: Passage, passages: list[Passage], mention: str, also: str) -> Draft:
    """Join greeting, opening, body, company, closing and sign-off to a mail, as the hint asks."""
    greeting, opening, body, company, closing, sign_off = passages
    if hint.shorter:
        opening, company = (opening if brief.step > 1 else Passage()), Passage()
    if hint.longer:
        company = join_passages([company, _offers(brief, body.text, also)], " ")
    said = hint.mention.rstrip(".")
    mention_passage = Passage(mention.format(said=said), (Claim(text=said, source="hint"),)) if said else Passage()
    kept = within_limit([greeting, opening, body, company, mention_passage, closing, sign_off])
    return _draft(subject.text, kept, between="\n\n", said=subject.claims)


def _chat_sign_off(brief: ComposeBrief) -> Passage:
    return Passage(f"– {signatory(brief.company)[0]}", signatory_claims(brief.company)[:1])


def _with_language_claim(greeting: Passage) -> Passage:
    """Return the greeting with the claim that the message is not in the requested language."""
    return Passage(greeting.text, (Claim(text=greeting.text, source="outreach.language"), *greeting.claims))


def _offers(brief: ComposeBrief, said: str, also: str) -> Passage:
    """Return a sentence about products that the message has not named; nothing without any."""
    products = [
        (phrase(product.name), f"catalogue.{number}") for number, product in enumerate(brief.company.products[:20], 1)
    ]
    others = [(name, source) for name, source in products if name and name not in said][:3]
    text = also.format(others=", ".join(name for name, _ in others))
    return Passage(text, tuple(Claim(text=name, source=source) for name, source in others)) if others else Passage()


def _draft(subject: str, passages: list[Passage], *, between: str, said: tuple[Claim, ...] = ()) -> Draft:
    """Join the passages to a draft. `said` are the claims of its subject."""
    whole = join_passages(passages, between)
    return Draft(subject=subject, text=whole.text, claims=(*said, *whole.claims))


def _closing(brief: ComposeBrief, lines: Sequence[str], rng: random.Random) -> Passage:
    """Return how the message ends: with a question only where it may ask one."""
    fit = lines if brief.may_ask else [line for line in lines if "?" not in line]
    return Passage(rng.choice(fit)) if fit else Passage()


def _body(goal: Goal) -> Passage:
    claims = goal.claims or tuple(Claim(text=sentence, source="prompt") for sentence in goal.sentences)
    return Passage(" ".join(goal.sentences), claims)


def _greeting(brief: ComposeBrief, tone: Tone, rng: random.Random) -> Passage:
    """Return the greeting, with a claim if the message is not in the requested language."""
    name = person_name(brief.contact.name) if tone == "formal" else first_name(brief.contact.name)
    text = rng.choice(phrases.GREETINGS[tone]).format(name=name) if name else phrases.NAMELESS[tone]
    greeting = Passage(text, (Claim(text=name, source="contact.name"),) if name else ())
    return greeting if brief.language in (None, "English") else _with_language_claim(greeting)


def _follow_up(brief: ComposeBrief, rng: random.Random) -> Passage:
    if brief.step > 1:
        text, source = rng.choice(phrases.FOLLOW_UPS), "outreach.step"
    elif brief.occurrence > 1:
        text, source = rng.choice(phrases.AGAIN), "outreach.occurrence"
    else:
        return Passage()
    return Passage(text, (Claim(text=text, source=source),))


def _personal_line(brief: ComposeBrief, tone: Tone, rng: random.Random) -> Passage:
    """Return a sentence that is specific to the contact, or a general opening when nothing is known about it."""
    fields = known_of(brief.contact)
    values = {kind: value for kind, (value, _) in fields.items()}
    choices: list[Passage] = []

    def offer(text: str, *kinds: str) -> None:
        claims = tuple(Claim(text=fields[kind][0], source=f"contact.{fields[kind][1]}") for kind in kinds)
        choices.append(Passage(text, tuple(sorted(claims, key=lambda claim: text.find(claim.text)))))

    relation, labelled = relation_of(brief.contact)
    if relation:
        text = phrases.RELATIONS[relation].format(us=company_name(brief.company))
        choices.append(Passage(text, (Claim(text=text, source=labelled),)))
    interest, labelled = interest_of(brief)
    if interest:
        choices.append(
            Passage(
                f"I thought of you because of your interest in {interest}.",
                (Claim(text=f"your interest in {interest}", source=labelled),),
            )
        )
    if values["job"] and values["company"]:
        for line in phrases.JOB_AND_COMPANY:
            offer(line.format(**values), "job", "company")
    elif values["company"]:
        for line in phrases.COMPANY:
            offer(line.format(**values), "company")
    elif values["job"]:
        offer(f"I am writing to you in your role as {values['job']}.", "job")
    if values["industry"]:
        offer(f"Since you work in {values['industry']}, I thought this might be of use to you.", "industry")
    if values["city"]:
        offer(rng.choice(phrases.CITY).format(**values), "city")
    if tone == "direct":
        return choices[0] if choices else Passage()
    return rng.choice(choices[:3]) if choices else Passage(rng.choice(phrases.OPENINGS[tone]))


def _choose_goal(brief: ComposeBrief, rng: random.Random) -> Goal:
    """Choose the goal without a prompt: a product that interests the contact, else the company's business."""
    company = brief.company
    us = company_name(company)
    products = {
        f"catalogue.{number}": product
        for number, product in enumerate(company.products[:200], 1)
        if phrase(product.name)
    }
    if products:
        interest, _ = interest_of(brief)
        chosen = next((key for key, product in products.items() if phrase(product.name) == interest), None)
        chosen = chosen or rng.choice(list(products))
        name = phrase(products[chosen].name)
        sentences = [rng.choice(phrases.PRODUCT_GOALS).format(product=name, us=us)]
        if about := sentence_of(products[chosen].description, 30):
            sentences.append(about)
        claims = [Claim(text=sentence, source=chosen) for sentence in sentences]
        others = [(phrase(product.name), key) for key, product in products.items() if key != chosen][:2]
        if others:
            sentences.append(f"You will also find {' and '.join(other for other, _ in others)} with us.")
            claims += [Claim(text=other, source=key) for other, key in others]
        return Goal("present", name, tuple(sentences), tuple(claims))
    about = sentence_of(company.description, 40)
    introduction = f"I would like to introduce {us} to you."
    claims = [Claim(text=us, source="company.name")] if us == company_line(company) else []
    claims += [Claim(text=about, source="company.description")] if about else []
    return Goal("present", us, tuple(filter(None, (introduction, about))), tuple(claims))


def _about_company(brief: ComposeBrief, goal: Goal) -> Passage:
    """Return the company's business for contacts who don't know it yet; an empty passage for others."""
    about = sentence_of(brief.company.description, 30)
    if not about or brief.step > 1 or about in goal.sentences or relation_of(brief.contact)[0]:
        return Passage()
    first = about.split(" ", 1)[0].lower().rstrip(",")
    us = company_name(brief.company)
    plain = first in {"we", "our", "at"} or about.lower().startswith(us.lower())
    text = about if plain else f"A word about {us}: {about}"
    return Passage(text, (Claim(text=about, source="company.description"),))


def _subject(brief: ComposeBrief, goal: Goal, rng: random.Random) -> Passage:
    topic = goal.topic
    for article in ("our ", "the ", "a ", "an ", "if ", "whether ", "to ", "for ", "about "):
        if topic.lower().startswith(article):
            topic = topic[len(article) :]
            break
    topic = one_line(topic)
    values = {
        "topic": topic[:1].upper() + topic[1:],
        "rest": topic,
        "name": first_name(brief.contact.name),
        "us": company_name(brief.company),
    }
    lines = [line for line in phrases.SUBJECTS[goal.kind] if brief.may_ask or "?" not in line]
    prefix = "Following up: {subject}" if brief.step > 1 else "{subject}"
    line, subject = whole_subject(lines, phrases.PLAIN_SUBJECT, values, prefix, rng)
    source = goal.claims[0].source if goal.claims else "prompt"
    sources = {"topic": source, "rest": source, "name": "contact.name", "us": "company.name"}
    claims = [
        Claim(text=values[key], source=source, part="subject")
        for key, source in sources.items()
        if f"{{{key}}}" in line and not (key == "us" and not company_line(brief.company))
    ]
    return Passage(subject, tuple(claims))


AI_OFFLINE = ai_app("ai-offline", OfflineComposer)
