"""Sections of forms: rows of fields side by side, and a place for the rest."""

from __future__ import annotations

from core.web.forms import REST, Field, Fieldset, Form
from core.web.forms.fieldsets import in_rows

NAMES = ("name", "host", "port", "extra", "active")
SERVER = Fieldset("Server", (("host", "port"), ("gone", "active")), "From your provider.")


def drawn(*fieldsets: Fieldset) -> list[tuple[str, list[list[str]]]]:
    form = Form(fields=[Field(name, name.title()) for name in NAMES], fieldsets=fieldsets)
    return [(section.title, [[field.name for field in row] for row in section.rows]) for section in form.sections]


def test_a_form_without_sections_has_one_field_a_row() -> None:
    assert drawn() == [("", [["name"], ["host"], ["port"], ["extra"], ["active"]])]


def test_the_rest_stands_at_its_place_or_at_the_end() -> None:
    server = ("Server", [["host", "port"], ["active"]])
    assert drawn(Fieldset("About", ("name", REST)), SERVER) == [("About", [["name"], ["extra"]]), server]
    assert drawn(Fieldset("About", ("name",)), SERVER) == [("About", [["name"]]), server, ("", [["extra"]])]


def test_a_section_without_fields_is_left_out() -> None:
    assert drawn(Fieldset("About", ("nothing",)), Fieldset("All", (REST,))) == [("All", [[name] for name in NAMES])]


def test_headings_and_rows_are_drawn() -> None:
    html = str(Form(fields=[Field(name, name.title()) for name in NAMES], fieldsets=(SERVER,)))
    assert "<h2>Server</h2>" in html
    assert "From your provider." in html
    assert html.count('class="form-row"') == 1


def test_a_folded_section_opens_for_its_errors() -> None:
    folded = Fieldset("Server", ("host", "port"), folded=True)
    form = Form(fields=[Field(name, name.title()) for name in NAMES], fieldsets=(folded, Fieldset("All", (REST,))))
    assert str(form).count("<details>") == 1
    form.add_error("name", "Too long")
    assert "<details>" in str(form)
    form.add_error("port", "Too large")
    assert "<details open>" in str(form)


def test_rows_keep_the_order_of_fields() -> None:
    form = Form(fields=[Field(name, name.title()) for name in NAMES])
    rows = in_rows(form, [("host", "port"), ("active", "gone")])
    assert [[field.name for field in row] for row in rows] == [["name"], ["host", "port"], ["extra"], ["active"]]
