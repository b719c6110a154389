"""Made-up people, the same ones in each run."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import dataclass

from config.local.demo.sample_data import CATEGORIES, COMPANY_FIRST, COMPANY_LAST, COUNTRIES, JOBS, TAGS
from core.types import JsonObject

HEADERS = ("Name", "Email", "Country code", "Phone", "Company", "Job title", "City", "Employees")
SPECIAL = str.maketrans({"ı": "i", "ß": "ss", "ø": "o", "ł": "l"})


@dataclass(frozen=True)
class Person:
    """A person who doesn't exist, with an address in a domain that cannot be registered."""

    name: str
    email: str
    dial: str
    number: str
    company: str
    job: str
    city: str
    employees: int
    category: str
    tags: tuple[str, ...]

    def form_data(self) -> JsonObject:
        """Return the contact's values by their keys in formData."""
        return {
            "name": self.name,
            "email": self.email,
            "countryCode": self.dial,
            "number": self.number,
            "company": self.company,
            "jobTitle": self.job,
            "city": self.city,
            "employees": self.employees,
        }

    def cells(self) -> list[str]:
        """Return the row of a file under HEADERS."""
        return [self.name, self.email, self.dial, self.number, self.company, self.job, self.city, str(self.employees)]


def people(count: int) -> list[Person]:
    """Return the first `count` people. All addresses and numbers are different."""
    dice = random.Random(20240229)  # noqa: S311  sample data
    persons: list[Person] = []
    emails: set[str] = set()
    numbers: set[str] = set()
    while len(persons) < count:
        person = _person(dice)
        if person.email not in emails and person.dial + person.number not in numbers:
            persons.append(person)
            emails.add(person.email)
            numbers.add(person.dial + person.number)
    return persons


def _person(dice: random.Random) -> Person:
    country = dice.choice(COUNTRIES)
    given_name, family = dice.choice(country.given), dice.choice(country.family)
    first, last = dice.choice(COMPANY_FIRST), dice.choice(COMPANY_LAST)
    return Person(
        name=f"{given_name} {family}",
        email=f"{_to_ascii(given_name)}.{_to_ascii(family)}@{_to_ascii(first)}-{_to_ascii(last)}.example",
        dial=country.dial,
        number=country.prefix + "".join(dice.choice("0123456789") for _ in range(country.digits)),
        company=f"{first} {last}",
        job=dice.choice(JOBS),
        city=dice.choice(country.cities),
        employees=int(round(dice.lognormvariate(3.6, 1.0))) + 1,
        category=dice.choices([name for name, _, _ in CATEGORIES], [share for _, _, share in CATEGORIES])[0],
        tags=tuple(name for name, _, chance in TAGS if dice.random() < chance),
    )


def _to_ascii(text: str) -> str:
    """Reduce the text to lower-case ASCII letters and digits."""
    bare = unicodedata.normalize("NFKD", text.translate(SPECIAL)).encode("ascii", "ignore").decode()
    return "".join(letter for letter in bare.lower() if letter.isalnum())
