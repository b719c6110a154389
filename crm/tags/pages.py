"""The pages of tags and contact categories."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.types import Values
from core.web.colors import color_options
from core.web.forms import Form
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records, counted
from crm.tags.serializers import NamedModelCreate

TAGS = Records("tag", "tags", "tag", "tags", "tag", "Use tags to group contacts and leads.")
CATEGORIES = Records(
    "contact-category",
    "categories",
    "category",
    "categories",
    "folder",
    "Categories describe contacts, such as customer or supplier.",
)


class NamedList(RecordList):
    """Shared parts of the lists of tags and categories."""

    rows = "web/tags/rows.html"
    hint = "Name, description"
    columns = (
        Column("name", "Name", "name"),
        Column("description", "Description"),
        Column("contactCount", "Contacts", css="right num"),
        Column("leadCount", "Leads", css="right num"),
        Column("updatedAt", "Changed", "updatedAt"),
    )


NamedModelForm = form_from_input(
    NamedModelCreate,
    {"name": "Name", "description": "Description", "color": "Colour"},
    kinds={"color": "select"},
    placeholders={"color": "None"},
    focus="name",
)


class NamedForm(RecordForm):
    """The form of a tag or category."""

    form_class = NamedModelForm

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        form.fields["color"].options = color_options((values or {}).get("color", ""))
        return form


class NamedEdit(EditRecord, NamedForm):
    """A tag or category; deleting it leaves its contacts without it."""

    def consequence(self) -> str:
        contacts, leads = self.record["contactCount"], self.record["leadCount"]
        losing = _("%(contacts)s and %(leads)s lose this label.") % {
            "contacts": counted(contacts, "contact"),
            "leads": counted(leads, "lead"),
        }
        return _("%(losing)s This cannot be undone.") % {"losing": losing}


class TagPage(Page):
    module = "tag"
    menu = MenuItem("Tags", SETTINGS, 20, "tag", "Data", "labels")
    kind = TAGS


class Tags(NamedList, TagPage):
    path = name = "tags"
    purpose = "Labels for contacts and leads."
    title = "Tags"
    adds = "tag-new"


class NewTag(NewRecord, NamedForm, TagPage):
    path = "tags/new"
    name = "tag-new"
    title = "New tag"
    action = title


class EditTag(NamedEdit, TagPage):
    path = "tags/<str:id>"
    name = "tag"
    record_kind = ("tag", "Tags")


class CategoryPage(Page):
    module = "contact-category"
    menu = MenuItem("Categories", SETTINGS, 30, "folder", "Data", "contact types")
    kind = CATEGORIES


class Categories(NamedList, CategoryPage):
    path = name = "categories"
    purpose = "Kinds of contacts."
    title = "Contact categories"
    adds = "category-new"


class NewCategory(NewRecord, NamedForm, CategoryPage):
    path = "categories/new"
    name = "category-new"
    title = "New category"


class EditCategory(NamedEdit, CategoryPage):
    path = "categories/<str:id>"
    name = "category"
    record_kind = ("contact-category", "Categories")


PAGES = [Tags, NewTag, EditTag, Categories, NewCategory, EditCategory]
