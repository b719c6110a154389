"""Sample data of the demo's made-up people."""

from __future__ import annotations

from typing import NamedTuple


class Country(NamedTuple):
    """A country of people. A national phone number is `prefix` and `digits` random digits."""

    name: str
    dial: str
    prefix: str
    digits: int
    given: tuple[str, ...]
    family: tuple[str, ...]
    cities: tuple[str, ...]


def _split(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


COUNTRIES = (
    Country(
        "Germany",
        "+49",
        "1713920",
        3,
        _split("Anna, Jonas, Lena, Felix, Marie, Paul, Clara, Moritz, Hannah, Lukas, Greta, Emil, Ayşe, Sören"),
        _split("Schneider, Vogel, Krüger, Brandt, Lorenz, Seidel, Hartmann, Böhm, Yılmaz, Petersen, Weiß, Arnold"),
        _split("Berlin, Hamburg, München, Köln, Leipzig, Freiburg, Bremen"),
    ),
    Country(
        "France",
        "+33",
        "61234",
        4,
        _split("Camille, Hugo, Inès, Louis, Chloé, Théo, Manon, Jules, Léa, Adrien, Zoé, Mathis"),
        _split("Moreau, Lefèvre, Garnier, Chevalier, Rousseau, Perrin, Besson, Marchand, Guérin, Barbier, Diallo"),
        _split("Paris, Lyon, Nantes, Lille, Toulouse, Bordeaux, Rennes"),
    ),
    Country(
        "United Kingdom",
        "+44",
        "740012",
        4,
        _split("Olivia, Harry, Isla, George, Amelia, Jack, Poppy, Oscar, Priya, Callum, Freya, Kwame"),
        _split("Hughes, Bennett, Clarke, Fraser, Patel, Whitfield, Osborne, Reid, Ashworth, Okafor, Marsh"),
        _split("London, Leeds, Bristol, Glasgow, Cardiff, Norwich, York"),
    ),
    Country(
        "United States",
        "+1",
        "20155501",
        2,
        _split("Emily, Mason, Sofia, Logan, Grace, Ethan, Maya, Caleb, Naomi, Diego, Harper, Wei"),
        _split("Carter, Nguyen, Brooks, Ramirez, Foster, Coleman, Bailey, Delgado, Chen, Hayes, Whitaker"),
        _split("Austin, Denver, Portland, Chicago, Boston, Atlanta, Seattle"),
    ),
    Country(
        "Netherlands",
        "+31",
        "61234",
        4,
        _split("Sanne, Daan, Fleur, Bram, Lotte, Thijs, Noor, Ruben, Eva, Sven, Maud, Jasper"),
        _split("de Vries, Bakker, Visser, Mulder, van Dijk, Smits, Kuipers, Hendriks, Postma, Dekker"),
        _split("Amsterdam, Utrecht, Rotterdam, Groningen, Eindhoven, Haarlem"),
    ),
    Country(
        "Spain",
        "+34",
        "61234",
        4,
        _split("Lucía, Mateo, Carmen, Pablo, Elena, Álvaro, Nuria, Javier, Marta, Sergio, Irene, Iñigo"),
        _split("Navarro, Ortega, Iglesias, Castillo, Serrano, Molina, Vidal, Peña, Ibáñez, Cabrera"),
        _split("Madrid, Valencia, Sevilla, Bilbao, Zaragoza, Málaga"),
    ),
    Country(
        "Sweden",
        "+46",
        "70174",
        4,
        _split("Elsa, Axel, Astrid, Nils, Maja, Gustav, Ebba, Oskar, Linnea, Viktor, Saga, Åke"),
        _split("Lindberg, Nyström, Sandberg, Hedlund, Ekström, Forsberg, Holm, Wallin, Åberg, Dahl"),
        _split("Stockholm, Göteborg, Malmö, Uppsala, Örebro, Umeå"),
    ),
)

COMPANY_FIRST = _split(
    "Alder, Bluebell, Copper, Delta, Ember, Fjord, Granite, Harbour, Indigo, Juniper, Kestrel, Lantern, Maple, North,"
    " Orchard, Pebble"
)
COMPANY_LAST = _split(
    "Analytics, Architects, Bakery, Clinics, Design, Engineering, Foods, Freight, Instruments, Legal, Media, Robotics,"
    " Studios, Tools"
)

JOBS = _split(
    "Office manager, Managing director, Head of purchasing, Facility manager, Team assistant, Head of people, Founder,"
    " Operations manager,"
    " Finance director, Workplace lead"
)

CATEGORIES = (("Prospect", "#2563eb", 6), ("Customer", "#16a34a", 3), ("Partner", "#9333ea", 1))
"""Name, colour, and share of all contacts."""

TAGS = (
    ("Newsletter", "#0891b2", 0.45),
    ("Trade fair", "#ea580c", 0.08),
    ("Key account", "#ca8a04", 0.1),
    ("Moved office", "#64748b", 0.06),
)
"""Name, colour, and probability of a contact to have it."""
FIELDS = (
    {"name": "Company", "unique_field_id": "company", "field_type": "text"},
    {"name": "Job title", "unique_field_id": "jobTitle", "field_type": "text"},
    {"name": "City", "unique_field_id": "city", "field_type": "text"},
    {"name": "Employees", "unique_field_id": "employees", "field_type": "number"},
    {"name": "Birthday", "unique_field_id": "birthday", "field_type": "date"},
    {"name": "Visited our stand", "unique_field_id": "visitedAt", "field_type": "datetime"},
)
