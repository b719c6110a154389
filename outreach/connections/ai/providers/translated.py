"""Messages of the offline composer in a language that it has stock sentences of."""

from __future__ import annotations

import random

from outreach.connections.ai.providers import passages as parts
from outreach.connections.ai.providers.base import Claim, ComposeBrief
from outreach.connections.ai.providers.cleaning import first_name, one_line, person_name, phrase
from outreach.connections.ai.providers.goal import Kind, read_goal
from outreach.connections.ai.providers.instructions import read_instructions, topic_text
from outreach.connections.ai.providers.passages import Passage
from outreach.connections.ai.providers.phrases import Tone
from outreach.connections.ai.providers.stock import Stock


def write_translated(
    brief: ComposeBrief, language: str, stock: Stock, tone: Tone, rng: random.Random
) -> tuple[Passage, list[Passage]]:
    """Return the subject, and greeting, opening, body, company, closing and sign-off."""
    topic, source, body = _body(brief, language, stock, rng)
    greeting = _greeting(brief, stock, tone, rng)
    about = parts.sentence_of(brief.company.description, 30)
    knows_company = brief.step > 1 or about in body.text or bool(parts.relation_of(brief.contact)[0])
    company = Passage(
        "" if knows_company else about, () if knows_company else (Claim(text=about, source="company.description"),)
    )
    closings = [*stock.closings, stock.question] if brief.may_ask else stock.closings
    sign_off = stock.formal_sign_off if tone == "formal" else rng.choice(stock.sign_offs)
    signed = Passage("\n".join([sign_off, *parts.signatory(brief.company)]), parts.signatory_claims(brief.company))
    passages = [greeting, _opening(brief, stock, rng), body, company, Passage(rng.choice(closings)), signed]
    return _subject(brief, stock, topic, source, rng), passages


def _greeting(brief: ComposeBrief, stock: Stock, tone: Tone, rng: random.Random) -> Passage:
    formal = tone == "formal"
    name = person_name(brief.contact.name) if formal else first_name(brief.contact.name)
    line = stock.formal_greeting if formal else rng.choice(stock.greetings)
    return Passage(line.format(name=name), (_claim(name, "contact.name"),)) if name else Passage(stock.nameless)


def _opening(brief: ComposeBrief, stock: Stock, rng: random.Random) -> Passage:
    """Return the opening: for a follow-up a reference to the last message, else a fact about the contact."""
    if brief.step > 1 or brief.occurrence > 1:
        text = rng.choice(stock.follow_ups) if brief.step > 1 else stock.again
        return Passage(text, (_claim(text, "outreach.step" if brief.step > 1 else "outreach.occurrence"),))
    fields = parts.known_of(brief.contact)
    choices = []
    if parts.relation_of(brief.contact)[0] in ("customer", "client"):
        choices.append(Passage(stock.customer.format(us=parts.company_name(brief.company))))
    interest, labelled = parts.interest_of(brief)
    candidates = [(stock.interest, interest, labelled)]
    candidates += [(stock.company, fields["company"][0], f"contact.{fields['company'][1]}")]
    candidates += [(stock.city, fields["city"][0], f"contact.{fields['city'][1]}")]
    choices += [
        Passage(line.format(value=value), (_claim(value, source),)) for line, value, source in candidates if value
    ]
    return rng.choice(choices) if choices else Passage(rng.choice(stock.openings))


def _body(brief: ComposeBrief, language: str, stock: Stock, rng: random.Random) -> tuple[str, str, Passage]:
    """Return the topic, its source, and the sentences about it."""
    goal = read_goal(brief.prompt)
    said = [(kind, entry.rstrip(" .!?")) for kind, entry in goal.topics if entry.strip(" .!?")] if goal else []
    if said:
        return _from_prompt(said, language, stock)
    company = brief.company
    products = {f"catalogue.{number}": phrase(entry.name) for number, entry in enumerate(company.products[:200], 1)}
    named = {source: name for source, name in products.items() if name}
    if named:
        interest, _ = parts.interest_of(brief)
        chosen = next((source for source, name in named.items() if name == interest), "") or rng.choice(list(named))
        others = [(name, source) for source, name in named.items() if source != chosen][:2]
        lines = [stock.product.format(product=named[chosen])]
        lines += [stock.also.format(others=", ".join(name for name, _ in others))] if others else []
        claims = (_claim(named[chosen], chosen), *(_claim(name, source) for name, source in others))
        return named[chosen], chosen, Passage(" ".join(lines), claims)
    us, about = parts.company_name(company), parts.sentence_of(company.description, 40)
    claims = tuple([_claim(us, "company.name")] if parts.company_line(company) else [])
    claims += (_claim(about, "company.description"),) if about else ()
    return us, "company.name", Passage(" ".join(filter(None, [stock.introduction.format(us=us), about])), claims)


def _from_prompt(said: list[tuple[Kind, str]], language: str, stock: Stock) -> tuple[str, str, Passage]:
    """Return the topic, its source, and the sentences about what the prompt says."""
    topics, lines, claims = [], [], []
    for kind, entry in said:
        instructions = read_instructions(entry, language)
        lines += [f"{instruction.sentence}." for instruction in instructions]
        topics += [instruction.subject or stock.plain_subject for instruction in instructions]
        claims += [_claim(instruction.topic, "prompt") for instruction in instructions]
        if not instructions:
            topic = topic_text(entry, language)
            lines.append(stock.goals.get(kind, stock.goals["general"]).format(topic=topic))
            topics.append(topic)
            claims.append(_claim(topic, "prompt"))
    return topics[0], "prompt", Passage(" ".join(lines), tuple(claims))


def _subject(brief: ComposeBrief, stock: Stock, topic: str, source: str, rng: random.Random) -> Passage:
    topic = one_line(topic)
    sourced = {
        "topic": (topic[:1].upper() + topic[1:], source),
        "us": (parts.company_name(brief.company), "company.name"),
        "name": (first_name(brief.contact.name), "contact.name"),
    }
    values = {key: value for key, (value, _) in sourced.items()}
    prefix = stock.following_up if brief.step > 1 else "{subject}"
    line, subject = parts.whole_subject(stock.subjects, stock.plain_subject, values, prefix, rng)
    claims = tuple(
        Claim(text=value, source=source, part="subject")
        for key, (value, source) in sourced.items()
        if f"{{{key}}}" in line and (source != "company.name" or parts.company_line(brief.company))
    )
    return Passage(subject, claims)


def _claim(text: str, source: str) -> Claim:
    return Claim(text=text, source=source)
