"""The offline composer in German, French and Spanish: instructions become sentences, subjects are whole."""

from __future__ import annotations

import re

import pytest

from outreach.connections.ai.providers import CompanyBrief, ComposeBrief, ContactBrief, Draft, ProductBrief
from outreach.connections.ai.providers.instructions import read_instructions, topic_text
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.connections.ai.providers.text_language import may_be_in
from outreach.models import AiApp

COMPANY = CompanyBrief(
    name="Green Fields",
    description="We plan and plant gardens for offices.",
    website="https://greenfields.example",
    products=(ProductBrief(name="Roof garden", description="A garden on your roof"),),
    sender_name="Maria Lopez",
)
ANN = ContactBrief(name="Ann Lee", email="ann@example.org", fields={"City": "Berlin"})
ENGLISH = re.compile(r"\b(?:the|you|your|would|our|we|hello|regards|writing|about|and|for)\b", re.IGNORECASE)

PROMPTS = [
    (
        "German",
        "Lade unsere Kunden zur Eröffnung unseres neuen Ladens am 3. Mai ein",
        "Einladung zur Eröffnung unseres neuen Ladens am 3. Mai",
        "Ich möchte Sie herzlich zur Eröffnung unseres neuen Ladens am 3. Mai einladen.",
    ),
    ("German", "Biete allen Kunden 20 % Rabatt an", "20 % Rabatt", "Ich möchte Ihnen 20 % Rabatt anbieten."),
    ("German", "Bedanke dich für ihren Besuch", "Danke für Ihren Besuch", "Vielen Dank für Ihren Besuch."),
    ("German", "Frage, ob sie Zeit haben", "Eine Frage an Sie", "Ich möchte Sie fragen, ob Sie Zeit haben."),
    (
        "German",
        "Erinnere sie an die Rechnung",
        "Erinnerung an die Rechnung",
        "Ich möchte Sie an die Rechnung erinnern.",
    ),
    (
        "German",
        "Stelle unser neues Produkt vor und frage nach Interesse",
        "Unser neues Produkt",
        "Ich möchte Ihnen unser neues Produkt vorstellen. Ich möchte Sie nach Interesse fragen.",
    ),
    ("German", "webinar am dienstag", "Webinar am Dienstag", "Darum geht es: Webinar am Dienstag."),
    (
        "French",
        "Invitez nos clients à l'ouverture de notre magasin le 3 mai",
        "Invitation à l'ouverture de notre magasin le 3 mai",
        "J'ai le plaisir de vous inviter à l'ouverture de notre magasin le 3 mai.",
    ),
    (
        "French",
        "Remerciez-les pour leur visite au salon",
        "Merci pour votre visite au salon",
        "Je vous remercie pour votre visite au salon.",
    ),
    (
        "French",
        "Demandez s'ils veulent un rendez-vous",
        "Une question pour vous",
        "J'aimerais vous demander si vous voulez un rendez-vous.",
    ),
    (
        "French",
        "Notre nouveau catalogue",
        "Notre nouveau catalogue",
        "Voici de quoi il s'agit : notre nouveau catalogue.",
    ),
    (
        "Spanish",
        "Invita a nuestros clientes a la inauguración el 3 de mayo",
        "Invitación a la inauguración el 3 de mayo",
        "Me gustaría invitarle a la inauguración el 3 de mayo.",
    ),
    (
        "Spanish",
        "Pregunta si quieren una cita la próxima semana",
        "Una pregunta",
        "Me gustaría preguntarle si quiere una cita la próxima semana.",
    ),
    ("Spanish", "Recuérdales la factura", "Recordatorio: la factura", "Quiero recordarle la factura."),
    (
        "Spanish",
        "Nuestro nuevo catálogo",
        "Nuestro nuevo catálogo",
        "Se trata de lo siguiente: nuestro nuevo catálogo.",
    ),
]


def compose(prompt: str, language: str, seed: str) -> Draft:
    brief = ComposeBrief(contact=ANN, company=COMPANY, prompt=prompt, language=language, seed=seed)
    return OfflineComposer(AiApp()).compose(brief)


@pytest.mark.parametrize("seed", ["1", "2", "3", "4"])
@pytest.mark.parametrize(("language", "prompt", "subject", "sentence"), PROMPTS)
def test_an_instruction_is_a_sentence_to_the_recipient(
    language: str, prompt: str, subject: str, sentence: str, seed: str
) -> None:
    draft = compose(prompt, language, seed)
    assert sentence in draft.text
    assert not ENGLISH.search(draft.text.replace(COMPANY.website, "")), draft.text
    # A subject names the company, or has the whole topic.
    assert "Green Fields" in draft.subject or draft.subject.endswith(subject), draft.subject
    assert draft.subject[:1].isupper() or draft.subject[:1].isdecimal()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("German", "Wir eröffnen am 1. Dezember unsere Bäckerei und laden Sie zu einer Verkostung ein."),
        ("German", "Ich eröffne am 1. Dezember meine Bäckerei und lade Sie zu einer Verkostung ein."),
        ("French", "Nous ouvrons notre boulangerie le 1er décembre et vous invitons à une dégustation."),
        ("French", "Notre boulangerie ouvre le 1er décembre et offre une dégustation."),
        ("Spanish", "Abrimos nuestra panadería el 1 de diciembre y le invitamos a una degustación."),
        ("Spanish", "Nuestra panadería abre el 1 de diciembre y ofrece una degustación."),
    ],
)
def test_verbs_that_share_a_subject_stay_in_one_sentence(language: str, sentence: str) -> None:
    # Behind a colon, some first words have a small letter.
    assert sentence[1:] in compose(sentence, language, "1").text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("German", "Unser neuer Katalog"),
        ("German", "Stelle unser Produkt vor und tanze"),
        ("French", "Notre nouveau catalogue"),
        ("Spanish", "Nuestro nuevo catálogo"),
        ("English", "Invite them to lunch"),
        ("German", ""),
    ],
)
def test_other_texts_are_no_instructions(language: str, text: str) -> None:
    assert read_instructions(text, language) == []


def test_words_behind_a_colon() -> None:
    assert topic_text("webinar am dienstag", "German") == "Webinar am Dienstag"
    assert topic_text("La foire", "French") == "la foire"
    assert topic_text("Berlin y Roma", "Spanish") == "Berlin y Roma"
    assert topic_text("Our fair", "English") == "Our fair"


def test_a_text_of_two_languages_is_in_the_one_that_is_asked_for() -> None:
    assert may_be_in("la factura", "Spanish")
    assert may_be_in("la facture", "French")
    assert not may_be_in("our new office", "French")
    assert not may_be_in("Acme", "French")
