"""The pages of tags and contact categories."""

from __future__ import annotations

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.forms import Form
from core.web.forms.colors import color_options
from core.web.forms.from_input import form_from_input
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from crm.tags.serializers import NamedModelCreate

TAGS = Records("tag", "tags", "tag", gettext_lazy("Use tags to group contacts and leads."))
CATEGORIES = Records(
    "contact-category",
    "categories",
    "folder",
    gettext_lazy("Categories describe contacts, such as customer or supplier."),
)
CONTACTS_LOSE = ngettext_lazy("%(count)s contact loses this label.", "%(count)s contacts lose this label.")
LEADS_LOSE = ngettext_lazy("%(count)s lead loses this label.", "%(count)s leads lose this label.")


class NamedList(RecordList):
    """Shared parts of the lists of tags and categories."""

    rows = "web/tags/rows.html"
    hint = gettext_lazy("Name, description")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("description", gettext_lazy("Description")),
        Column("contactCount", gettext_lazy("Contacts"), css="right num"),
        Column("leadCount", gettext_lazy("Leads"), css="right num"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


NamedModelForm = form_from_input(
    NamedModelCreate,
    {"name": gettext_lazy("Name"), "description": gettext_lazy("Description"), "color": gettext_lazy("Color")},
    kinds={"color": "select"},
    placeholders={"color": gettext_lazy("None")},
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
        counts = ((CONTACTS_LOSE, self.record["contactCount"]), (LEADS_LOSE, self.record["leadCount"]))
        sentences = [text.of(count) for text, count in counts if count]
        return " ".join((*sentences, super().consequence()))


class TagPage(Page):
    module = "tag"
    menu = MenuItem(gettext_lazy("Tags"), SETTINGS, 20, "tag", gettext_lazy("Data"), "labels")
    kind = TAGS


class Tags(NamedList, TagPage):
    path = name = "tags"
    purpose = gettext_lazy("Labels for contacts and leads.")
    title = gettext_lazy("Tags")
    adds = "tag-new"
    add_label = gettext_lazy("New tag")
    none = gettext_lazy("No tags yet")
    count = ngettext_lazy("%(count)s tag", "%(count)s tags")


class NewTag(NewRecord, NamedForm, TagPage):
    path = "tags/new"
    name = "tag-new"
    title = gettext_lazy("New tag")
    action = title
    added = gettext_lazy("Tag added")


class EditTag(NamedEdit, TagPage):
    path = "tags/<str:id>"
    name = "tag"
    tab_name = gettext_lazy("Tag")
    saved = gettext_lazy("Tag saved")
    deleted = gettext_lazy("Tag deleted")
    record_kind = ("tag", gettext_lazy("Tags"))


class CategoryPage(Page):
    module = "contact-category"
    menu = MenuItem(
        gettext_lazy("Categories"), SETTINGS, 30, "folder", gettext_lazy("Data"), gettext_lazy("contact types")
    )
    kind = CATEGORIES


class Categories(NamedList, CategoryPage):
    path = name = "categories"
    purpose = gettext_lazy("Kinds of contacts.")
    title = gettext_lazy("Contact categories")
    adds = "category-new"
    add_label = gettext_lazy("New category")
    none = gettext_lazy("No categories yet")
    count = ngettext_lazy("%(count)s category", "%(count)s categories")


class NewCategory(NewRecord, NamedForm, CategoryPage):
    path = "categories/new"
    name = "category-new"
    title = gettext_lazy("New category")
    added = gettext_lazy("Category added")


class EditCategory(NamedEdit, CategoryPage):
    path = "categories/<str:id>"
    name = "category"
    tab_name = gettext_lazy("Category")
    saved = gettext_lazy("Category saved")
    deleted = gettext_lazy("Category deleted")
    record_kind = ("contact-category", gettext_lazy("Categories"))


PAGES = [Tags, NewTag, EditTag, Categories, NewCategory, EditCategory]
