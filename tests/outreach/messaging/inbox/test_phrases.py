"""Whether a subject announces an absence, and whether a reply asks for no more mails."""

from __future__ import annotations

import pytest

from outreach.messaging.inbox.analysis.absences import NOTICES
from outreach.messaging.inbox.analysis.stop_phrases import STOP
from outreach.messaging.inbox.analysis.subjects import announces_absence
from outreach.messaging.inbox.analysis.words import asks_to_stop, split_reply

AUTOMATIC = [
    ("Absence : Re: Coffee", "Coffee"),
    ("Nicht im Büro", "Coffee"),
    ("Autosvar:", "Coffee"),
    ("Autosvar: Coffee", "Coffee"),
    ("Odpowiedź automatyczna: Coffee", "Coffee"),
    ("自动回复: Coffee", "Coffee"),
    ("自动回复：Coffee", None),
    ("I'm out of the office Re: Coffee", "Coffee"),
    ("I’m out of the office Re: Coffee", None),
    ("OOO: Coffee", "Coffee"),
    ("Automatic reply: Out of office coffee tastings", "Out of office coffee tastings"),
    ("Out of Office: Re: Out of office coffee tastings", "Out of office coffee tastings"),
    ("Max Mustermann ist außer Haus.", "x"),
    ("AUTO: Ann Smith is out of the office (returning 24.12.)", "x"),
    ("Re: Out of office", "Coffee"),
    ("Automatische Antwort: Abwesenheitsmanagement", "Abwesenheitsmanagement"),
    ("不在通知: Coffee", None),
    ("自動返信 Coffee", "Coffee"),
    ("Réponse automatique : Coffee", "Coffee"),
    ("Abwesenheit", None),
    ("Abwesenheit: Abwesenheit im Team", "Abwesenheit im Team"),
    ("Автоответ: x", "y"),
    ("Автоответ: x", "y"),
    ("Automaattinen vastaus: x", "x"),
    ("Ann Smith is away", "hi"),
    ("Otomatik Yanıt: x", "x"),
    ("OTOMATİK YANIT: x", "x"),
    ("Fuera de la oficina Re: x", "x"),
    ("[EXT] Automatic reply: x", "x"),
    ("Re: [EXT] Automatic reply: x", "x"),
    ("Urlaub bis 24.12.", None),
    ("Urlaub: Re: x", None),
    ("Away: Re: Coffee", "Coffee"),
    ("Меня нет в офисе", None),
    ("Отсъствам", None),
    ("Отсъствам до понеделник", None),
    ("Zastępstwo / Nieobecność: Coffee", None),
    ("Vertretung / Urlaub: Coffee", "Coffee"),
    ("Urlaub / Vertretung", None),
    ("Dovolená / zástup: x", None),
    ("Away from office: Coffee", None),
    ("Aut.: Coffee", None),
    ("Aut. odp.: Coffee", None),
    ("Autom. Antwort: Coffee", None),
    ("Мене немає в офісі", None),
    ("Απουσιάζω έως 24/12", None),
    ("Nie ma mnie w biurze", None),
    ("Non sono in ufficio", None),
    ("Je ne suis pas au bureau", None),
    ("Nejsem v práci", None),
    ("Távol vagyok", None),
    ("Jag är på semester", None),
    ("En ole toimistolla", None),
    ("Nu sunt în birou", None),
    ("İzinliyim", None),
    ("Не сум во канцеларија", None),
    ("Absent jusqu'au 5 janvier", None),
    ("Absent jusqu’à lundi", "Coffee"),
    ("来自张三的自动回复：Coffee?", "Tea"),
    ("來自王五的自動回覆：x", None),
    ("Derzeit nicht im Büro", None),
    ("Bin bis 5.1. nicht im Büro", None),
    ("Momentan abwesend", None),
    ("Assente fino al 5", None),
    ("Ausente hasta el 5 de enero", None),
    ("Ausente até 5 de janeiro", None),
    ("Afwezig tot 5 januari", "Coffee"),
    ("Automatické odpovědi: Coffee", None),
    ("Odpowiedzi automatyczne: Coffee", None),
    ("[自動返信] Coffee", None),
    ("【自動返信】Coffee", "Coffee"),
    ("[Auto-Reply] Coffee", None),
    ("[Out of Office] Coffee", "Coffee"),
    ("不在のため", None),
    ("On holiday", None),
    ("OOO until Monday", "Coffee"),
    ("OOO", "Coffee"),
    ("Out of office!", "Coffee"),
    ("Urlaub bis Montag!", None),
    ("Automatic reply: Can we talk?", "Talk"),
    ("Out of office: Re: Can we talk?", None),
    ("Nicht im Büro, bitte wenden Sie sich an Max", "Coffee"),
    ("Currently on holiday", None),
    ("Abwesenheitsnotiz: Haben Sie Fragen?", None),
    ("Out of Office: Any questions?", None),
]
"""Subject, and the subject of the message that it answers; None: it names none."""
PERSONAL = [
    ("Re: Out of office coffee tastings", "Out of office coffee tastings"),
    ("AW: Abwesenheitsmanagement für Ihr HR-Team", "Abwesenheitsmanagement für Ihr HR-Team"),
    ("AW: Abwesenheitsmanagement fuer Ihr HR-Team", "Abwesenheitsmanagement für Ihr HR-Team"),
    ("AW: Abwesenheitsmanagement fuer Ihr HR-Team", None),
    ("Re: Out of office coffee tastings", None),
    ("RE: Autoreply is dead - long live AI", "Autoreply is dead - long live AI"),
    ("Antw: Vacation notice board for teams", "Vacation notice board for teams"),
    ("Re: Automatic response times in your shop", "Automatic response times in your shop"),
    ("回复: 自动回复机器人", "自动回复机器人"),
    ("SV: Autosvar til jeres kunder", "Autosvar til jeres kunder"),
    ("Re: [sales] Out of office coffee", "Out of office coffee"),
    ("RE: Coffee", "Coffee"),
    ("Absence management question", None),
    ("Re: Out of office coffee tast...", "Out of office coffee tastings"),
    ("Automation", None),
    ("Vacation homes in Spain", None),
    ("Autonomous", None),
    ("Odp: Odpowiedź automatyczna w e-mailach", "Odpowiedź automatyczna w e-mailach"),
    ("Re[2]: Out of office coffee", "Out of office coffee"),
    ("Urlaubsplanung", None),
    ("out of office coffee tastings", "Out of office coffee tastings"),
    ("Semesterferien Angebot", None),
    ("Re: Меня нет в офисе", None),
    ("Re: Отсъствам", None),
    ("Odp: Zastępstwo / Nieobecność: moduł", None),
    ("AW: Away from office: what we offer", None),
    ("Re: Aut.: Coffee", None),
    ("HR / Absence: a question", None),
    ("Vertretung / Außendienst: eine Frage", None),
    ("Austria: Coffee", None),
    ("Aut: Vienna", None),
    ("Отсъствие в екипа", None),
    ("Ooo, nice idea!", "Coffee"),
    ("Ooo, lovely", "Coffee"),
    ("Not in the office tomorrow, call me Friday", "Coffee"),
    ("I'm away tomorrow, can we do Friday?", "Coffee"),
    ("Nicht erreichbar? Ihre Nummer", "Coffee"),
    ("Auto: Angebot bitte", "Coffee"),
    ("Auto: Angebot", "Coffee"),
    ("Im Urlaub, können wir im Januar reden", "Coffee"),
    ("En vacances demain, appelez-moi vendredi", "Coffee"),
    ("Estoy fuera mañana, ¿hablamos el viernes?", "Coffee"),
    ("Sono fuori domani, mi chiami venerdì", "Coffee"),
    ("Na urlopie, możemy w piątek", "Coffee"),
    ("В отпуске, позвоните в пятницу", "Coffee"),
    ("休假中，能否周五谈", "Coffee"),
    ("外出中です、金曜日にお願いします", "Coffee"),
    ("On vacation, great offer!", "Coffee"),
    ("On holiday homes", None),
]
STOPS = [
    "Unsubscribe me please, thanks.",
    "Bitte keine weiteren Mails.",
    "STOP.",
    "Abmelden!",
    "Please remove me",
    "stop",
    "unsubscribe",
    "Please take me off your list.",
    "Remove me from your mailing list, please. Thanks, Ann",
    "No more emails please",
    "Please stop emailing me",
    "Don't contact me again.",
    "Do not email me again",
    "I don't want any more emails.",
    "Please unsubscribe me from this list",
    "Opt out",
    "Keine weiteren E-Mails bitte",
    "Bitte nehmen Sie mich aus dem Verteiler.",
    "Bitte streichen Sie mich von der Liste",
    "Bitte keine Mails mehr.",
    "Ich möchte keine weiteren Mails erhalten.",
    "Bitte löschen Sie mich aus Ihrem Verteiler.",
    "Désabonnez-moi, merci.",
    "Merci de ne plus m'écrire.",
    "Plus de mails, s'il vous plaît.",
    "Se désabonner",
    "No más correos, por favor.",
    "Darme de baja",
    "Dar de baja por favor",
    "Cancellatemi dalla lista, grazie.",
    "Niente più mail.",
    "Rimuovetemi",
    "Não enviem mais emails",
    "Geen mails meer aub",
    "Uitschrijven graag",
    "Afmeld mig tak",
    "Ingen flere eposter takk",
    "Inga fler mejl tack",
    "Poistakaa minut listalta",
    "Ei enää viestejä, kiitos.",
    "Proszę mnie wypisać",
    "Proszę usunąć mnie z listy",
    "Odhlaste mě prosím",
    "Prosím odhlásit",
    "Leiratkozás",
    "Kérem töröljenek a listáról",
    "Odjavite me",
    "Dezabonare",
    "Отпишите меня, пожалуйста",
    "Не пишите мне больше",
    "Відпишіть мене",
    "Διαγραφή",
    "Lütfen beni listeden çıkarın",
    "退订",
    "请不要再给我发邮件",
    "配信停止してください",
    "配信停止希望",
    "メールを送らないでください",
    "Hi,\nplease unsubscribe me.\nBest regards\nAnn Smith",
    "Bitte abmelden. Danke, Max Mustermann",
    "Stop sending me emails",
    "Please don't send me any more emails.",
    "Kindly remove me from your database",
    "Palun eemaldage mind",
    "UNSUBSCRIBE!!!",
    "Stopp",
    "Bitte austragen",
    "baja",
    "remove",
    "Disiscrivimi",
    "Désinscription",
    "descadastrar",
]
SIGNED = [
    "Please unsubscribe me.\n\nBest,\nAnn",
    "Hi,\n\nplease unsubscribe me.\n\nBest,\nAnn",
    "Please unsubscribe me.\n\nBest regards\nAnn Lee\nCEO, Acme",
    "Hello Sales,\nplease remove me from your mailing list.\nThanks",
    "Bitte entfernen Sie mich aus Ihrem Verteiler.\n\nMit freundlichen Grüßen\n\nMax Mustermann\nGeschäftsführer\n"
    "Acme GmbH\nTel. +49 30 123456",
    "Ya no quiero recibir más correos",
    "Hi Bob, please take me off your list. Best, Ann",
    "Dear Mr. Smith,\n\nKindly remove me from your database.\n\nYours sincerely,\nJo Park\nHead of Sales\nAcme Inc.\n"
    "12 Main Street\njo@acme.example\nwww.acme.example",
    "Please unsubscribe me\n\nAnn",
    "Please unsubscribe me. I don't want any more emails.\n\nKind regards,\nAnn Lee\nsales manager",
    "Sehr geehrte Frau Müller,\n\nbitte keine weiteren E-Mails.\n\nViele Grüße\nEva Klein",
    "Guten Tag Herr Maier,\nbitte melden Sie mich ab.\nBeste Grüße aus Berlin\nJan",
    "Bonjour Madame Dupont,\n\nmerci de me retirer de votre liste.\n\nBien cordialement,\nLuc Petit\nDirecteur\n"
    "Tél. 01 23 45 67 89",
    "Hi Dana, please unsubscribe me. Thanks, Bob",
    "Hi Dana, please unsubscribe me.\nThanks, Bob",
    "Hi Dana,\nplease unsubscribe me.\nThanks,\nBob",
    "Hi Dana. Please unsubscribe me. Thanks. Bob",
    "Dear Mr. Smith, please remove me from your list. Regards, Bob Jones",
    "Hallo Dana, bitte keine weiteren Mails. Danke, Bob",
    "Sehr geehrte Frau Dr. Müller, bitte keine Mails mehr. Viele Grüße, Max Muster",
    "Bonjour Dana, désabonnez-moi. Merci, Anne",
    "Hola Dana, no más correos, por favor. Gracias, Ana",
    "Buongiorno Dana, cancellatemi dalla lista. Grazie, Giulia",
    "Hallo Dana, geen mails meer aub. Groeten, Piet",
    "Dzień dobry Pani Dano, proszę usunąć mnie z listy. Pozdrawiam, Anna",
    "您好，请不要再给我发邮件。谢谢",
    "Bonjour,\nveuillez ne plus me contacter.\nCordialement\nAnne",
    "Estimado Juan:\n\nNo quiero recibir más correos.\n\nSaludos cordiales,\nMaría López\nDirectora de ventas",
    "Buongiorno Marco,\ncancellatemi dalla lista.\nCordiali saluti\nGiulia Rossi\nAcme S.r.l.",
    "Beste Jan,\n\ngeen mails meer.\n\nMet vriendelijke groet,\nPiet de Vries\nEigenaar",
    "Bom dia João,\nnão quero mais receber e-mails.\nAtenciosamente,\nAna Souza",
    "Dzień dobry Panie Janie,\nproszę usunąć mnie z listy.\nPozdrawiam\nAnna Nowak\nKierownik sprzedaży",
]
ANSWERS = [
    "Please unsubscribe me from the newsletter but call me on Tuesday",
    "How do your customers unsubscribe?",
    "I want to unsubscribe from the newsletter but call me on Tuesday",
    "Please unsubscribe me.\nThanks\nbut call me on Tuesday",
    "Please unsubscribe me.\n\nBest,\nAnn\nPS: the offer for June is fine, send it over",
    "Please remove me.\nThanks,\nAnn\nCall me on +49 30 123456",
    "Hi Dana, please unsubscribe me from the list, but call me. Thanks, Bob",
    "Hi Dana, how do I unsubscribe? Thanks, Bob",
    "Hi Dana, please send the offer. Thanks, Bob",
    "Hi Bob,\ncan we talk on Tuesday?\nBest,\nAnn",
    "Best,\nAnn",
    "Hi Ann,",
    "Désabonnez-moi de la liste, mais appelez-moi",
    "Bitte entfernen Sie mich aus dem Verteiler, aber rufen Sie an.\nViele Grüße\nMax",
    "Thanks, the offer is fine.\nBest\nAnn Lee\nCEO, Acme",
    "Unsubscribe rates?\nBest,\nAnn",
    "",
]
OTHERS = [
    "Please don't stop: I want to hear more about it.",
    "Stop by on Tuesday",
    "Do not unsubscribe me",
    "Can you stop at our office?",
    "How do I unsubscribe?",
    "We will cancel on Friday",
    "Please remove the attachment",
    "Bitte melden Sie mich für Dienstag an",
    "Bitte melden Sie sich",
    "Yes please",
    "Delete the old offer and send a new one",
    "Please send more mails",
    "Keine Ahnung",
    "Nein danke",
    "No thanks",
    "Ich nehme drei",
    "Remove me from the Tuesday meeting but keep the rest",
    "Thanks, unsubscribing rates look good",
    "Non voglio lo sconto, mi serve prima",
    "Nehmen Sie mich mit auf die Liste",
    "Melden Sie mich an",
    "Poista lasku",
    "Usunąć fakturę",
    "quiero darme un tiempo",
    "Ich will mich anmelden",
    "Schicken Sie mir mehr",
    "Bitte streichen Sie den Termin",
    "Please stop the order",
    "Cancel my order",
    "cancel",
    "Je veux plus d'informations",
    "Ne m'écrivez pas, appelez-moi",
    "Ik wil geen suiker",
    "Não quero receber ligações, pode me mandar email",
]


@pytest.mark.parametrize(("subject", "original"), AUTOMATIC)
def test_an_absence_notice_is_automatic(subject: str, original: str | None) -> None:
    assert announces_absence(subject, original) is True


@pytest.mark.parametrize(("subject", "original"), PERSONAL)
def test_words_of_the_subject_that_was_sent_say_nothing(subject: str, original: str | None) -> None:
    assert announces_absence(subject, original) is False


@pytest.mark.parametrize("language", NOTICES)
def test_each_phrase_is_recognised_before_the_subject_that_was_sent(language: str) -> None:
    for phrase in NOTICES[language]:
        assert announces_absence(f"{phrase.upper()}: Re: New opening hours", "New opening hours"), phrase
        assert announces_absence(f"Re: {phrase}", phrase) is False, phrase


@pytest.mark.parametrize("words", STOPS)
def test_a_short_wish_for_no_more_mails_unsubscribes(words: str) -> None:
    assert asks_to_stop(words) is True


@pytest.mark.parametrize("words", OTHERS)
def test_other_replies_unsubscribe_nobody(words: str) -> None:
    assert asks_to_stop(words) is False


@pytest.mark.parametrize("text", SIGNED)
def test_greetings_and_signatures_do_not_hide_the_wish(text: str) -> None:
    reply, _ = split_reply(f"{text}\n\n> Our new offer\n> Bye")
    assert asks_to_stop(reply) is True


@pytest.mark.parametrize("text", ANSWERS)
def test_signed_answers_that_say_more_unsubscribe_nobody(text: str) -> None:
    reply, _ = split_reply(f"{text}\n\n> Unsubscribe me\n> Bye") if text else ("", "")
    assert asks_to_stop(reply) is False


def test_a_quoted_wish_unsubscribes_nobody() -> None:
    reply, _ = split_reply("Tuesday is fine.\nBest,\nAnn\n\nOn 1 May 2026 Bob wrote:\n> please unsubscribe me")
    assert asks_to_stop(reply) is False


def test_a_long_mail_that_has_the_words_unsubscribes_nobody() -> None:
    assert asks_to_stop("Please unsubscribe me. " * 20) is False
    assert asks_to_stop("") is False


def test_all_languages_of_absence_notices_have_a_wish_to_stop() -> None:
    assert NOTICES.keys() == STOP.keys()
