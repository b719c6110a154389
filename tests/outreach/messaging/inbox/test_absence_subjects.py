"""Subjects of absence notices that no header marks, in contrast to people's new subjects."""

from __future__ import annotations

import time

import pytest

from outreach.messaging.inbox.analysis.classification import Kind, classify
from outreach.messaging.inbox.analysis.parsing import read_mail
from outreach.messaging.inbox.analysis.subjects import announces_absence

SUBJECT = "Coffee for your team"
NOTICES = [
    f"Abwesenheit Re: {SUBJECT}",
    f"Vacaciones RE: {SUBJECT}",
    f"Frånvaro SV: {SUBJECT}",
    f"Dovolená Odp: {SUBJECT}",
    f"Vakantie Antw: {SUBJECT}",
    f"休假 回复: {SUBJECT}",
    "Ich bin momentan nicht im Haus",
    "Wir sind derzeit im Urlaub",
    "Nous sommes actuellement en congés",
    "Me encuentro actualmente de vacaciones",
    "Sono al momento in ferie",
    "Estou neste momento de férias",
    "Ik ben op dit moment op vakantie",
    "Jeg er i øjeblikket på ferie",
    "Olen tällä hetkellä lomalla",
    "Jsem momentálně na dovolené",
    "Przebywam obecnie na urlopie",
    "Я зараз у відпустці",
    "我现在休假中",
    "ただいま休暇をいただいております",
    "I'm presently on leave",
    "年末年始休業のご案内",
    "臨時休業のお知らせ",
    "We're closed until Monday",
    "Closed until 6 January",
    f"Office closed: {SUBJECT}",
    "Wir haben Betriebsferien bis 5.1.",
    "Fermeture annuelle jusqu'au 5 janvier",
    "Kantoor gesloten tot 5 januari",
    f"Out of Office AutoReply: {SUBJECT}",
    "Out of office from 3 May",
    "Out of office this week",
    "Ich bin derzeit nicht erreichbar und lese keine Mails",
    "Out of office Ann Smith",
    "Eingangsbestätigung Ihrer Anfrage",
]
ANSWERS = [
    "Out of office lunches in Hamburg",
    "Außer Haus Lieferung von Kaffee möglich",
    "Eingangsbestätigung für Mai fehlt",
    "Accusé de réception manquant pour la facture",
    "Automatic reply feature of your tool",
    "自动回复机器人怎么设置",
    "自動返信の機能について",
    "Urlaub - super Idee",
    "Vacances - je suis intéressé",
    "Dovolená: výborný nápad",
    "On vacation rentals in Spain",
    "We are closed minded about this",
    "Closed deal with Acme",
    "Wir sind derzeit im Gespräch",
    "I am currently looking at it",
    "我对这个感兴趣",
]


def kind_of(subject: str) -> Kind:
    raw = f"From: Ann <ann@example.org>\nSubject: {subject}\nMessage-ID: <x@example.org>\n\nBis bald."
    return classify(read_mail(raw.encode()), original=SUBJECT)


@pytest.mark.parametrize("subject", NOTICES)
def test_an_absence_notice_without_headers_is_automatic(subject: str) -> None:
    assert kind_of(subject) == Kind.AUTO


@pytest.mark.parametrize("subject", ANSWERS)
def test_a_persons_new_subject_is_a_reply(subject: str) -> None:
    assert kind_of(subject) == Kind.REPLY


@pytest.mark.parametrize("part", ["we are ", "derzeit ", "我", "12.1 ", "out of office ", "[a]", "re: ", "urlaub / "])
def test_long_subjects_are_read_in_bounded_time(part: str) -> None:
    began = time.process_time()
    announces_absence(part * 5000, SUBJECT)
    announces_absence(part * 5000)
    assert time.process_time() - began < 0.5
