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
    "Ich bin bis 5. Januar im Urlaub",
    "Ik ben vandaag niet op kantoor",
    "我在休假",
    "我正在出差",
    "Elternzeit",
    "Barsel",
    f"Elternzeit: {SUBJECT}",
    f"Barsel: {SUBJECT}",
    "Maternity leave",
    "Auf Dienstreise",
    "Krankheitsbedingt abwesend",
    "Congé maternité",
    "Буду в отпуске",
    "春节放假通知",
    "出張中",
    "育休中",
    "휴가 중입니다",
    "출장 중입니다",
    "אני בחופשה",
    "מענה אוטומטי",
    "לא נמצא במשרד",
    "خارج المكتب",
    "رد تلقائي",
    "أنا في إجازة",
    "Wir sind vom 24. Dezember bis 6. Januar im Urlaub",
    "Ich bin heute nicht im Büro",
    "Bin bis Ende Mai im Urlaub",
    "Je serai en congé",
    "Je suis en vacances jusqu'au 3 août",
    "Ik ben tot 5 januari op vakantie",
    "Ik ben morgen niet aanwezig",
    "Jag är idag inte på kontoret",
    "Będę na urlopie",
    "Budu na dovolené",
    "Сегодня меня нет в офисе",
    "Буду в отпуске до 5 января",
    "Я в командировке",
    "我在出差",
    "正在出差中",
    "国庆节放假通知",
    "我在休年假",
    "産休中",
    "出張のため不在",
    "現在出張中です",
    "育児休業中",
    "부재중입니다",
    "현재 휴가 중",
    "육아휴직",
    "Mutterschutz",
    f"Mutterschutz: {SUBJECT}",
    "Parental leave until May",
    "Sick leave",
    "Auf Geschäftsreise bis Freitag",
    "Krankheitsbedingt nicht im Büro",
    f"Congé parental: {SUBJECT}",
    "Baja por maternidad",
    "In trasferta",
    "Zwangerschapsverlof",
    "Föräldraledig",
    "Barselsorlov",
    "Urlop macierzyński",
    "Na služební cestě",
    "Out of town until Monday",
    "I'm on a business trip",
    f"הודעה אוטומטית: {SUBJECT}",
    "אני בחופשת לידה",
    f"الرد التلقائي: {SUBJECT}",
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
    "Vakantie-aanbieding",
    "Currently out of coffee",
    "Urlaubs-Angebot für Ihr Team",
    "Vakantie-actie",
    "Ferie-tilbud",
    "Holiday-Special",
    "Currently out of stock",
    "I'm out of coffee",
    "We are out of cups",
    "Elternzeit planen mit Ihrem Tool",
    "Dienstreisen buchen",
    "Business trip planning",
    "Maternity leave policy question",
    "Barsel-guide",
    "Congés payés et votre offre",
    "出差管理系统",
    "出張管理システムについて",
    "휴가 관리 시스템 문의",
    "Отпуск сотрудников и ваш сервис",
    "Today is fine",
    "Bis Freitag",
    "Morgen um zehn",
    "Mai passt gut",
    "I will be there",
    "Ich bin am 5. Januar da",
    "Буду рад встрече",
    "我在北京",
    "The printer is currently out of paper",
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


@pytest.mark.parametrize(
    "part",
    ["we are ", "derzeit ", "我", "12.1 ", "out of office ", "[a]", "re: ", "urlaub / ", "ich bin bis ", "1. mai "],
)
def test_long_subjects_are_read_in_bounded_time(part: str) -> None:
    began = time.process_time()
    announces_absence(part * 5000, SUBJECT)
    announces_absence(part * 5000)
    assert time.process_time() - began < 0.5
