"""Texts of the unsubscribe page, in the languages that companies write in."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Your messages",
        "ask": "Unsubscribe?",
        "ask_text": "You won't receive any more messages from {name} at this address.",
        "unsubscribe": "Unsubscribe",
        "done": "You are unsubscribed",
        "done_text": "{name} won't send you any more messages. You can close this page.",
        "again_text": "Was that a mistake?",
        "again": "Subscribe again",
        "back": "You are subscribed again",
        "listed": "You don't receive messages",
        "listed_text": "This address is blocked for another reason. Write to {name} to get messages again.",
        "so_far": "Messages sent to you: {count}. Last message: {date}.",
        "address": "Address",
        "invalid": "This link doesn't work",
        "invalid_text": "The link is incomplete. Use the full link from the message.",
    },
    "de": {
        "title": "Ihre Nachrichten",
        "ask": "Abmelden?",
        "ask_text": "Sie erhalten an diese Adresse keine Nachrichten von {name} mehr.",
        "unsubscribe": "Abmelden",
        "done": "Sie sind abgemeldet",
        "done_text": "{name} schickt Ihnen keine Nachrichten mehr. Sie können diese Seite schließen.",
        "again_text": "War das ein Versehen?",
        "again": "Wieder Nachrichten erhalten",
        "back": "Sie erhalten wieder Nachrichten",
        "listed": "Sie erhalten keine Nachrichten",
        "listed_text": "Diese Adresse ist aus einem anderen Grund gesperrt. Schreiben Sie {name}, wenn Sie wieder"
        " Nachrichten erhalten möchten.",
        "so_far": "Nachrichten an Sie bisher: {count}. Die letzte: {date}.",
        "address": "Adresse",
    },
    "fr": {
        "title": "Vos messages",
        "ask": "Vous désabonner ?",
        "ask_text": "Vous ne recevrez plus de messages de {name} à cette adresse.",
        "unsubscribe": "Me désabonner",
        "done": "Vous êtes désabonné",
        "done_text": "{name} ne vous envoie plus de messages. Vous pouvez fermer cette page.",
        "again_text": "Était-ce une erreur ?",
        "again": "Recevoir à nouveau les messages",
        "back": "Vous recevez à nouveau les messages",
        "listed": "Vous ne recevez pas de messages",
        "listed_text": "Cette adresse est bloquée pour une autre raison. Écrivez à {name} pour recevoir à nouveau des"
        " messages.",
        "so_far": "Messages reçus jusqu’ici : {count}. Le dernier : {date}.",
        "address": "Adresse",
    },
    "es": {
        "title": "Sus mensajes",
        "ask": "¿Darse de baja?",
        "ask_text": "No recibirá más mensajes de {name} en esta dirección.",
        "unsubscribe": "Darme de baja",
        "done": "Se ha dado de baja",
        "done_text": "{name} no le enviará más mensajes. Puede cerrar esta página.",
        "again_text": "¿Ha sido un error?",
        "again": "Volver a recibir mensajes",
        "back": "Vuelve a recibir mensajes",
        "listed": "No recibe mensajes",
        "listed_text": "Esta dirección está bloqueada por otro motivo. Escriba a {name} si desea volver a recibir"
        " mensajes.",
        "so_far": "Mensajes recibidos hasta ahora: {count}. El último: {date}.",
        "address": "Dirección",
    },
    "it": {
        "title": "I Suoi messaggi",
        "ask": "Annullare l’iscrizione?",
        "ask_text": "Non riceverà più messaggi da {name} a questo indirizzo.",
        "unsubscribe": "Annulla l’iscrizione",
        "done": "Iscrizione annullata",
        "done_text": "{name} non Le invierà più messaggi. Può chiudere questa pagina.",
        "again_text": "È stato un errore?",
        "again": "Ricevi di nuovo i messaggi",
        "back": "Riceve di nuovo i messaggi",
        "listed": "Non riceve messaggi",
        "listed_text": "Questo indirizzo è bloccato per un altro motivo. Scriva a {name} se desidera ricevere di nuovo"
        " messaggi.",
        "so_far": "Messaggi ricevuti finora: {count}. L’ultimo: {date}.",
        "address": "Indirizzo",
    },
    "nl": {
        "title": "Uw berichten",
        "ask": "Afmelden?",
        "ask_text": "U ontvangt op dit adres geen berichten van {name} meer.",
        "unsubscribe": "Afmelden",
        "done": "U bent afgemeld",
        "done_text": "{name} stuurt u geen berichten meer. U kunt deze pagina sluiten.",
        "again_text": "Was dat een vergissing?",
        "again": "Weer berichten ontvangen",
        "back": "U ontvangt weer berichten",
        "listed": "U ontvangt geen berichten",
        "listed_text": "Dit adres is om een andere reden geblokkeerd. Schrijf {name} om weer berichten te ontvangen.",
        "so_far": "Berichten aan u tot nu toe: {count}. Het laatste: {date}.",
        "address": "Adres",
    },
}
"""Language -> the page's texts; missing ones are in English."""


def words_in(language: str) -> tuple[str, dict[str, str]]:
    """Return the language of the page and its texts: English where there are no others."""
    code = language if language in WORDS else "en"
    return code, {**WORDS["en"], **WORDS[code]}
