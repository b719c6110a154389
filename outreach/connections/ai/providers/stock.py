"""The offline composer's plain wording in languages other than English. English has its own tones and kinds.

`{topic}` and other values are inserted unchanged, in the language in which the company has written them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from outreach.connections.ai.providers.goal import Kind


@dataclass(frozen=True, slots=True)
class Stock:
    """The sentences of one language."""

    greetings: tuple[str, ...]
    formal_greeting: str
    nameless: str
    openings: tuple[str, ...]
    company: str
    city: str
    interest: str
    customer: str
    follow_ups: tuple[str, ...]
    again: str
    goals: Mapping[Kind, str]
    """Kind -> the sentence about `{topic}`; `general` is used for the others."""
    product: str
    introduction: str
    also: str
    mention: str
    closings: tuple[str, ...]
    question: str
    sign_offs: tuple[str, ...]
    formal_sign_off: str
    subjects: tuple[str, ...]
    plain_subject: str
    """The subject where none of the others fits."""
    following_up: str


STOCKS: Mapping[str, Stock] = {
    "German": Stock(
        greetings=("Hallo {name},", "Guten Tag {name},"),
        formal_greeting="Guten Tag {name},",
        nameless="Guten Tag,",
        openings=("ich hoffe, es geht Ihnen gut.", "ich melde mich mit einem kurzen Anliegen."),
        company="ich schreibe Ihnen bei {value}.",
        city="ich sende Ihnen Grüße nach {value}.",
        interest="ich schreibe Ihnen, weil Sie sich für {value} interessieren.",
        customer="danke, dass Sie mit {us} arbeiten.",
        follow_ups=("ich komme auf meine letzte Nachricht zurück.", "ich habe Ihnen vor Kurzem schon geschrieben."),
        again="ich melde mich wieder bei Ihnen.",
        goals={
            "invite": "Ich möchte Sie herzlich einladen: {topic}.",
            "thank": "Ich möchte Ihnen danken: {topic}.",
            "offer": "Ich habe ein Angebot für Sie: {topic}.",
            "ask": "Ich habe eine Frage an Sie: {topic}.",
            "feedback": "Ihre Meinung ist mir wichtig: {topic}.",
            "meet": "Ich würde mich gern mit Ihnen austauschen: {topic}.",
            "remind": "Ich möchte Sie erinnern: {topic}.",
            "general": "Darum geht es: {topic}.",
        },
        product="Ich möchte Ihnen {product} vorstellen.",
        introduction="Ich möchte Ihnen {us} vorstellen.",
        also="Bei uns finden Sie auch: {others}.",
        mention="Noch etwas: {said}.",
        closings=("Antworten Sie einfach auf diese Nachricht.", "Ich freue mich über eine kurze Antwort."),
        question="Passt das für Sie?",
        sign_offs=("Viele Grüße", "Beste Grüße"),
        formal_sign_off="Mit freundlichen Grüßen",
        subjects=("{topic}", "Kurze Nachricht von {us}", "Für Sie, {name}: {topic}"),
        plain_subject="Kurze Nachricht für Sie",
        following_up="Nachfrage: {subject}",
    ),
    "French": Stock(
        greetings=("Bonjour {name},",),
        formal_greeting="Bonjour {name},",
        nameless="Bonjour,",
        openings=("J'espère que vous allez bien.", "Je me permets de vous écrire brièvement."),
        company="Je vous écris chez {value}.",
        city="Je vous adresse mes salutations à {value}.",
        interest="Je vous écris car vous vous intéressez à {value}.",
        customer="Merci de travailler avec {us}.",
        follow_ups=("Je reviens vers vous après mon dernier message.", "Je vous ai écrit il y a peu."),
        again="Je reprends contact avec vous.",
        goals={
            "invite": "J'ai le plaisir de vous inviter : {topic}.",
            "thank": "Je tiens à vous remercier : {topic}.",
            "offer": "J'ai une offre pour vous : {topic}.",
            "ask": "J'ai une question à vous poser : {topic}.",
            "feedback": "Votre avis compte pour moi : {topic}.",
            "meet": "J'aimerais échanger avec vous : {topic}.",
            "remind": "Je souhaite vous rappeler ceci : {topic}.",
            "general": "Voici de quoi il s'agit : {topic}.",
        },
        product="J'aimerais vous présenter {product}.",
        introduction="J'aimerais vous présenter {us}.",
        also="Vous trouverez aussi chez nous : {others}.",
        mention="Encore une chose : {said}.",
        closings=("Il vous suffit de répondre à ce message.", "Une courte réponse me ferait plaisir."),
        question="Cela vous conviendrait-il ?",
        sign_offs=("Bien à vous", "Cordialement"),
        formal_sign_off="Bien cordialement",
        subjects=("{topic}", "Un mot de {us}", "Pour vous, {name} : {topic}"),
        plain_subject="Un mot pour vous",
        following_up="Relance : {subject}",
    ),
    "Spanish": Stock(
        greetings=("Hola, {name}:", "Buenos días, {name}:"),
        formal_greeting="Buenos días, {name}:",
        nameless="Buenos días:",
        openings=("Espero que se encuentre bien.", "Le escribo brevemente."),
        company="Le escribo a {value}.",
        city="Le envío un saludo a {value}.",
        interest="Le escribo porque le interesa {value}.",
        customer="Gracias por trabajar con {us}.",
        follow_ups=("Retomo mi último mensaje.", "Le escribí hace poco."),
        again="Me pongo de nuevo en contacto con usted.",
        goals={
            "invite": "Me gustaría invitarle: {topic}.",
            "thank": "Quiero darle las gracias: {topic}.",
            "offer": "Tengo una oferta para usted: {topic}.",
            "ask": "Tengo una pregunta para usted: {topic}.",
            "feedback": "Su opinión es importante para mí: {topic}.",
            "meet": "Me gustaría hablar con usted: {topic}.",
            "remind": "Quiero recordarle lo siguiente: {topic}.",
            "general": "Se trata de lo siguiente: {topic}.",
        },
        product="Me gustaría presentarle {product}.",
        introduction="Me gustaría presentarle {us}.",
        also="También encontrará con nosotros: {others}.",
        mention="Una cosa más: {said}.",
        closings=("Basta con responder a este mensaje.", "Me alegrará recibir una breve respuesta."),
        question="¿Le parece bien?",
        sign_offs=("Un saludo", "Saludos cordiales"),
        formal_sign_off="Atentamente",
        subjects=("{topic}", "Un mensaje de {us}", "Para usted, {name}: {topic}"),
        plain_subject="Un mensaje para usted",
        following_up="Seguimiento: {subject}",
    ),
}
"""English name of a language -> its sentences."""
