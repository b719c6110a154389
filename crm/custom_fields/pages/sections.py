"""The pages of sections, which are titles above fields."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _
from core.types import JsonObject, Values
from core.web.forms.from_input import form_from_input
from core.web.records import EditRecord, NewRecord, RecordForm, Records
from crm.custom_fields.pages.fields import FieldPage
from crm.custom_fields.section_serializers import SectionCreate

SECTIONS = Records("custom-section", "fields", "rows-3", _("A section is a title above fields."))


class SectionForm(FieldPage, RecordForm):
    module = "custom-section"
    kind = SECTIONS

    form_class = form_from_input(
        SectionCreate,
        {"name": _("Name"), "description": _("Description"), "hide": _("Hidden")},
    )


class NewSection(NewRecord, SectionForm):
    path = "settings/sections/new"
    name = "section-new"
    title = _("New section")
    added = _("Section added")

    def body(self, values: Values) -> JsonObject:
        return {**values, "panel": self.panel}


class EditSection(EditRecord, SectionForm):
    path = "settings/sections/<str:id>"
    name = "section"
    tab_name = _("Section")
    saved = _("Section saved")
    deleted = _("Section deleted")

    @property
    def panel(self) -> str:
        return str(self.record["panel"])

    def consequence(self) -> str:
        return _("Fields are kept without a section. This can't be undone.")


PAGES = [NewSection, EditSection]
