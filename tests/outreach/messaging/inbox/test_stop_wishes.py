"""Wishes for no more mails next to reasons and thanks, of several people and in many languages."""

from __future__ import annotations

import pytest

from outreach.messaging.inbox.analysis.words import asks_to_stop, parted

WISHES = [
    "Please delete us from your database.",
    "Kindly take us off this mailing list",
    "Please don't contact us anymore",
    "We do not wish to receive further messages from you.",
    "Please remove our address from your list",
    "Please stop sending us messages",
    "Opt out bob@example.net",
    "Please delete this address.",
    "Please remove bob@example.net from your list.",
    "No interest, thanks. Please stop emailing us.",
    "We're not interested. Take us off your list.",
    "Thanks for your message. We are not interested, please unsubscribe us.",
    "We have no need for this - please remove us from your database.",
    "I never asked for this. Remove me!",
    "Can you please remove us? We're not interested.",
    "No, thanks. Unsubscribe me.",
    "Hi Ann,\nno interest.\nUnsubscribe",
    "This is spam. Stop.",
    "Bitte streichen Sie uns von Ihrer Liste.",
    "Wir möchten keine weiteren E-Mails erhalten.",
    "Vielen Dank für Ihre Nachricht. Wir haben keinen Bedarf, bitte löschen Sie uns aus der Datenbank.",
    "Nicht interessiert, bitte abmelden.",
    "Hiermit widerspreche ich der Verwendung meiner Adresse.",
    "Merci de nous retirer de votre liste",
    "Nous souhaitons nous désinscrire",
    "Pas intéressés, ne nous contactez plus.",
    "Cela ne m'intéresse pas. Désinscription, merci.",
    "Dejen de escribirme",
    "No nos interesa. Por favor, eliminen mi correo de su lista.",
    "Non ci interessa, non contattateci più",
    "Nessun interesse. Rimuoveteci dalla lista.",
    "Sem interesse, remova-nos da lista.",
    "Parem de enviar emails",
    "Remova da lista, por favor",
    "Eliminen de su lista de contactos",
    "Supprimez de votre liste, merci",
    "Gelieve ons niet meer te contacteren",
    "Geen belangstelling, graag afmelden.",
    "Proszę usunąć mój adres z listy",
    "Nie interesuje mnie to. Proszę nie pisać więcej.",
    "Prosím o vyřazení z databáze",
    "Nemám zájem, prosím odhlaste mě",
    "Sluta skicka mejl",
    "Inte intresserad, ta bort mig",
    "Slutt å sende oss meldinger",
    "Ikke interesseret. Slet os.",
    "Poistakaa meidät listalta",
    "Уберите нас из рассылки",
    "Не интересно. Отпишите меня.",
    "Listeden çıkmak istiyoruz",
    "不感兴趣，请退订",
    "请停止发送邮件",
    "メルマガの配信停止をお願いいたします。",
    "お世話になります。メール配信の停止を希望します。",
    "今後のメールは不要です",
]
OTHERS = [
    "Please remove the logo",
    "How can my customers unsubscribe?",
    "Not interested in the premium plan. Send the basic one.",
    "We're not interested.",
    "Kein Interesse.",
    "No interest? Unsubscribe rates are low.",
    "Please remove us from the Tuesday meeting",
    "Take us to the next step",
    "Stop. Tell me more first",
    "Thanks for your email. Can we talk on Tuesday?",
    "Remove my name from the speaker list",
    "We don't want to receive the invoice by email",
    "Can you stop the second delivery? Thanks.",
    "Do you remove us from the list when we cancel?",
    "Kein Interesse. Rufen Sie nächstes Jahr an.",
    "Bitte nehmen Sie uns in den Verteiler auf",
    "Wie widerspreche ich der Nutzung meiner Daten?",
    "Nein, Dienstag passt nicht.",
    "Ich widerspreche dem Angebot",
    "配信停止の機能はありますか",
    "Merci de supprimer la ligne 3",
    "Eliminen la segunda página",
    "Quiten de la presentación el logo",
    "Remova da apresentação o slide",
    "Retirez de la commande les tasses",
    "Proszę nie wysyłać faktury",
    "Удалите второй слайд",
    "Not interested in mugs, but in plates. Remove the mugs",
    "We already have a supplier. Do you sell plates?",
    "Remove me from the thread with Bob",
    "I don't need this, remove the second line",
]


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_with_a_reason_unsubscribes(text: str) -> None:
    reply, _ = parted(f"{text}\n\n> Our new offer\n> Bye")
    assert asks_to_stop(reply) is True


@pytest.mark.parametrize("text", OTHERS)
def test_questions_and_other_requests_unsubscribe_nobody(text: str) -> None:
    assert asks_to_stop(text) is False


def test_a_reason_alone_and_a_wish_with_more_unsubscribe_nobody() -> None:
    assert asks_to_stop("Not interested. " * 5) is False
    assert asks_to_stop("Not interested. Remove me. The invoice of May is still open.") is False
