"""Headers that exports use for columns: English, German, French and Spanish, in the form of mapping.normalise()."""

from __future__ import annotations

FIRST_NAME, LAST_NAME = "firstName", "lastName"


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


# Whole headers.
SYNONYMS: dict[str, frozenset[str]] = {
    "name": _phrases("""
        name, full name, fullname, contact, contact name, person, person name, customer, customer name, client,
        client name, display name, lead name, ansprechpartner, kontakt, kontaktname, kunde, kundenname,
        vollstandiger name, vor und nachname, nom complet, nom et prenom, prenom et nom, nom du contact,
        nombre completo, nombre y apellidos, nombre y apellido, contacto, nombre del contacto, cliente
    """),
    FIRST_NAME: _phrases("""
        first name, firstname, given name, forename, fname, vorname, rufname, prenom, nombre, nombres, nombre de pila,
        primer nombre
    """),
    LAST_NAME: _phrases("""
        last name, lastname, surname, family name, lname, nachname, familienname, zuname, nom, nom de famille,
        apellido, apellidos, primer apellido
    """),
    "email": _phrases("""
        email, e mail, mail, email address, e mail address, mail address, emailaddress, primary email, work email,
        business email, e mail adresse, email adresse, emailadresse, mailadresse, mail adresse, adresse e mail,
        adresse email, adresse mail, courriel, adresse electronique, correo, correo electronico, direccion de correo,
        direccion de correo electronico, direccion de email
    """),
    "countryCode": _phrases("""
        country code, countrycode, dial code, dialing code, dialling code, calling code, phone code,
        phone country code, phone prefix, country prefix, prefix, isd code, landervorwahl, laendervorwahl,
        landesvorwahl, vorwahl land, vorwahl, indicatif, indicatif pays, indicatif telephonique, prefijo,
        prefijo internacional, prefijo telefonico, codigo de pais, codigo pais
    """),
    "number": _phrases("""
        number, phone, phone number, phonenumber, phone no, telephone, telephone number, tel, tel no, tel nr, mobile,
        mobile number, mobile phone, mobile phone number, mobile no, mobilenumber, cell, cell phone, cellphone,
        cell number, cellular, contact number, contact no, whatsapp, whatsapp number, primary phone, work phone,
        business phone, direct phone, telefon, telefonnummer, telefon nr, telefonnr, rufnummer, handy, handynummer,
        handy nr, mobil, mobilnummer, mobiltelefon, mobilfunk, mobilfunknummer, festnetz, numero, numero de telephone,
        no de telephone, portable, telephone portable, telephone mobile, numero de portable, telefono, telefono movil,
        numero de telefono, movil, celular, numero de celular, numero de contacto
    """),
}

# Headers with one of these words and none of those that change the meaning.
WORDS: dict[str, frozenset[str]] = {
    "email": _phrases("email, mail, courriel, correo"),
    "number": _phrases(
        "phone, telephone, tel, mobile, cell, telefon, handy, mobil, telefono, movil, celular, whatsapp, portable"
    ),
}
OTHER_MEANING: frozenset[str] = _phrases("""
    opt, in, out, optin, optout, status, verified, consent, date, type, subject, template, sent, bounced, bounce,
    owner, count, id, list, open, opened, click, clicked, score, extension, ext, time, provider, valid, fax,
    unsubscribed, code, prefix, einwilligung, datum, betreff, versendet, vorwahl, statut, fecha, estado
""")
