"""Refusals of a sender that does not exist, in contrast to those of a recipient."""

from __future__ import annotations

import time

import pytest

from outreach.connections.smtp.outcome import Rejected
from outreach.connections.smtp.refusals import Severity, judge_refusal

SENDER = """
550 5.1.1 From domain <us.example> cannot be found
550 Return path <a@us.example> is unknown
550 5.1.1 The reverse-path does not exist
550 Originator unknown
550 From <a@us.example> is not valid
550 The sending mail server does not exist
550 EHLO host not found
550 unknown domain in MAIL FROM
550 Invalid domain name in From address
550 Non-existent sender domain
550 The address of the sender no longer exists
550 The sender's user account does not exist
550 Your mail server is unknown
550 Absender-Domain nicht gefunden
550 Ihre Domain existiert nicht
550 L'adresse de l'expéditeur est introuvable
550 Votre domaine n'existe pas
550 No existe el dominio del remitente
550 Mittente sconosciuto
550 O domínio do remetente não existe
550 Het domein van de afzender bestaat niet
550 Nieznany nadawca
550 Doména odesílatele neexistuje
550 Ukendt afsender
550 Avsenderens domene finnes ikke
550 Lähettäjän verkkotunnusta ei löydy
550 Ismeretlen feladó
550 Domeniul expeditorului nu există
550 Домен отправителя не существует
550 Домен відправника не існує
550 Η διεύθυνση του αποστολέα δεν υπάρχει
550 Domena pošiljatelja ne obstaja
550 Gönderen adresi bulunamadı
550 发件人地址不存在
550 送信者のドメインが存在しません
550 Le domaine de l'émetteur n'existe pas
550 Adresse de l'émetteur inconnue
550 O domínio do emissor não existe
550 Het adres van de verzender bestaat niet
550 A küldő domain nem létezik
550 Il vostro dominio non esiste
550 The domain of your e-mail does not exist
550 The return address is invalid
550 callout to <a@us.example> failed: unknown user
550 Your account does not exist
550 Your account is disabled
550 Authenticated user unknown
550 Bounce address does not exist
550 Domaine émetteur introuvable
550 L'émetteur est inconnu
550 Endereço do emissor inválido
550 Emissor desconhecido
550 Emisor desconocido
550 Onbekende verzender
550 Verzender bestaat niet
550 Ismeretlen küldő
550 A küldő címe nem található
550 Il tuo indirizzo non esiste
550 La vostra casella non esiste
550 O seu domínio não existe
550 The domain in your message could not be found
550 The address you are sending from does not exist
550 Reply address unknown
550 Return address not found
550 Envelope address is invalid
550 sender callout failed: no such user
550 callback to <a@us.example>: user unknown
550 Your mailbox does not exist
550 Your user account has been disabled
550 Your login is unknown
550 Authenticating user not found
550 Auth user does not exist
550 Vuestro dominio no existe
550 Ihr Konto existiert nicht
550 Votre compte n'existe pas
550 보낸 사람의 도메인을 찾을 수 없습니다
550 Eure Domain ist unbekannt
550 Uw account bestaat niet
"""
RECIPIENT = """
550 Message returned to sender: no such address
550 Dear sender, this address no longer exists
550 Sender ok, recipient unknown
550 Sender accepted; mailbox does not exist
550 Mail from <a@us.example> to <x@y>: no such user
550 Your recipient does not exist
550 Response from server: address does not exist
550 No such user here. From address: <a@us.example>
550 the address you are sending to does not exist
550 Absender akzeptiert, Empfänger unbekannt
550 Ihre E-Mail konnte nicht zugestellt werden, Adresse existiert nicht
550 Expéditeur accepté, destinataire inconnu
550 Příjemce neexistuje
550 Prejemnik ne obstaja
550 Ο παραλήπτης δεν υπάρχει
550 Unbekannter Benutzer
550 Message from <a@us.example>: recipient not found
550 Casella inesistente
550 Indirizzo inesistente
550 Caixa postal inexistente
550 Käyttäjää ei löydy
550 Casella postale inesistente
550 L'indirizzo è inesistente
550 Destinatario inesistente
550 Caixa de correio inexistente
550 Usuário inexistente
550 Utilizador inexistente
550 Vastaanottajaa ei löydy
550 Osoitetta ei löydy
550 Postilaatikkoa ei löytynyt
550 Felhasználó nem található
550 Nincs ilyen felhasználó
550 A postafiók nem létezik
550 Neexistující schránka
550 Nieistniejąca skrzynka
550 Modtageren findes ikke
550 Brugeren er ukendt
550 Utilizator inexistent
550 Boîte inexistante
550 Kullanıcı bulunamadı
550 수신자를 찾을 수 없습니다
550 Mensagem devolvida ao emissor: usuário inexistente
550 Retour aan verzender: adres bestaat niet
550 Message retourné à l'émetteur: adresse inconnue
550 Recipient callout: unknown user
550 the address you sent it to does not exist
550 Uw e-mail kon niet worden bezorgd: ontvanger onbekend
550 Authenticated ok; user unknown
550 The recipient's account is disabled
550 This account does not exist
550 Account bob does not exist
"""


@pytest.mark.parametrize("said", SENDER.strip().splitlines())
def test_a_sender_that_does_not_exist_never_suppresses_the_recipient(said: str) -> None:
    assert judge_refusal("", said) is Severity.BLOCKED
    assert Rejected(False, 550, said.removeprefix("550 "), "rcpt").bad_address is False


@pytest.mark.parametrize("said", RECIPIENT.strip().splitlines())
def test_a_recipient_that_does_not_exist_is_hard_although_the_sender_is_named(said: str) -> None:
    assert judge_refusal("", said) is Severity.HARD
    assert Rejected(False, 550, said.removeprefix("550 "), "rcpt").bad_address is True


@pytest.mark.parametrize(
    "part",
    [
        "sender ",
        "absender",
        "unknown the ",
        "mail from ",
        "ehlo ",
        "不存在",
        "no such a b ",
        "return address ",
        "küldő ",
    ],
)
def test_long_replies_about_a_sender_are_judged_in_bounded_time(part: str) -> None:
    began = time.process_time()
    judge_refusal("", f"550 {part * 5000}")
    assert time.process_time() - began < 0.5
