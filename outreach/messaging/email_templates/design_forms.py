"""The forms of the email editor: the fields of each kind of block, and of the email's style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from core.text.labels.networks import NETWORKS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option

STYLE = "style"
"""The path of the style, next to those of blocks."""
PREFIX = "block-"
"""Beginning of the names of the shown block's fields."""
LINK = "link-"
BLOCK_LABELS = {
    "heading": (gettext_lazy("Heading"), "type"),
    "text": (gettext_lazy("Text"), "file-text"),
    "image": (gettext_lazy("Image"), "image"),
    "button": (gettext_lazy("Button"), "square"),
    "columns": (gettext_lazy("Columns"), "columns-3"),
    "divider": (gettext_lazy("Divider"), "minus"),
    "social": (gettext_lazy("Social links"), "share-2"),
    "footer": (gettext_lazy("Footer"), "panel-bottom"),
    "product": (gettext_lazy("Product"), "package"),
}
"""Kind of a block -> its label and icon."""
FONT_LABELS = {
    "arial": "Arial",
    "georgia": "Georgia",
    "tahoma": "Tahoma",
    "times": "Times New Roman",
    "trebuchet": "Trebuchet MS",
    "verdana": "Verdana",
}
MARKS = gettext_lazy("**bold**, *italic*, [words](https://…)")


def shown_kinds() -> list[tuple[str, str, str]]:
    """Return kind, label and icon of each kind of block."""
    return [(kind, str(label), icon) for kind, (label, icon) in BLOCK_LABELS.items()]


def _align() -> Field:
    options = [Option("left", _("Left")), Option("center", _("Center")), Option("right", _("Right"))]
    return Field("align", _("Alignment"), "select", required=True, options=options)


def _text(label: str, *, required: bool = True) -> Field:
    return Field("text", label, "textarea", required, help_text=str(MARKS))


def _picture() -> list[Field]:
    return [
        Field("alt", _("Description of the picture"), help_text=_("For readers who can't see the picture.")),
        Field("url", _("Address of a picture"), help_text=_("Instead of a picture of your files.")),
    ]


def _of_heading() -> list[Field]:
    levels = [Option("1", _("Large")), Option("2", _("Medium")), Option("3", _("Small"))]
    return [_text(_("Heading")), Field("level", _("Size"), "select", required=True, options=levels), _align()]


def _of_text() -> list[Field]:
    return [_text(_("Text")), _align()]


def _of_image() -> list[Field]:
    width = Field("width", _("Width in pixels"), "number", help_text=_("Leave empty to use the full width."))
    return [*_picture(), Field("link", _("Link"), placeholder="https://"), width, _align()]


def _of_button() -> list[Field]:
    return [
        Field("label", _("Label"), required=True),
        Field("url", _("Link"), required=True, placeholder="https://"),
        _align(),
    ]


def _of_columns() -> list[Field]:
    counts = [Option("2", _("Two")), Option("3", _("Three"))]
    return [Field("count", _("Number of columns"), "select", required=True, options=counts)]


def _of_social() -> list[Field]:
    links = [Field(f"{LINK}{network}", label, placeholder="https://") for network, label in NETWORKS.items()]
    return [*links, _align()]


def _of_footer() -> list[Field]:
    text = Field("text", _("Text"), "textarea", help_text=_("Leave empty to show your name and address."))
    return [text, _align()]


def _of_product() -> list[Field]:
    return [
        Field("name", _("Name"), required=True),
        Field("price", _("Price")),
        Field("description", _("Description"), "textarea", help_text=str(MARKS)),
        Field("label", _("Label of the button")),
        Field("link", _("Link"), placeholder="https://"),
        *_picture(),
        _align(),
    ]


def _of_style() -> list[Field]:
    fonts = [Option(key, label) for key, label in FONT_LABELS.items()]
    brand = _("Leave empty to use your brand.")
    return [
        Field("font", _("Font"), "select", options=fonts, placeholder="Arial"),
        Field("accent", _("Color of links and buttons"), placeholder="#2f5bea", help_text=brand),
        Field("background", _("Background"), placeholder="#f3f4f6", help_text=brand),
        Field("surface", _("Background of the text"), placeholder="#ffffff"),
        Field("text", _("Color of the text"), placeholder="#1f2937"),
        Field("width", _("Width in pixels"), "number", required=True),
        Field("logo", _("Show your logo at the top"), "switch"),
    ]


FIELDS: dict[str, Callable[[], list[Field]]] = {
    "heading": _of_heading,
    "text": _of_text,
    "image": _of_image,
    "button": _of_button,
    "columns": _of_columns,
    "divider": list,
    "social": _of_social,
    "footer": _of_footer,
    "product": _of_product,
    STYLE: _of_style,
}
STYLE_VALUES: JsonObject = {
    "font": "", "accent": "", "background": "", "surface": "", "text": "", "logo": True, "width": 600,
}  # fmt: skip
WITH_PICTURE = frozenset(("image", "product"))
NUMBERS = frozenset(("level", "width"))


def panel_fields(kind: str, pictures: Sequence[Option] = ()) -> list[Field]:
    """Return the fields of a block of the kind, or of the style."""
    fields = FIELDS[kind]()
    if kind in WITH_PICTURE:
        none = Option("", _("No picture of your files"))
        fields.insert(0, Field("file", _("Picture"), "radio", options=[none, *pictures]))
    return [field.copy(name=f"{PREFIX}{field.name}") for field in fields]


def panel_values(kind: str, block: Values) -> JsonObject:
    """Return a block's values by the names of the form's fields."""
    return {f"{PREFIX}{name}": value for name, value in _shown(kind, block).items()}


def _shown(kind: str, block: Values) -> JsonObject:
    """Return a block's values by the names of its fields."""
    if kind == "columns":
        return {"count": str(len(block.get("columns", [])))}
    if kind == "social":
        links = {f"{LINK}{entry.get('network')}": entry.get("url", "") for entry in block.get("links", [])}
        return {**block, **links}
    values = {**STYLE_VALUES, **block} if kind == STYLE else dict(block)
    return {name: str(value) if name == "level" else value for name, value in values.items()}


def read_panel(kind: str, block: Values, form: Form) -> JsonObject:
    """Return the block with the values of a bound form. The number of columns is left to the editor."""
    names = (field.name for field in form if field.name.startswith(PREFIX))
    values = {name.removeprefix(PREFIX): form.values[name] for name in names}
    changed: JsonObject = {}
    for name, value in values.items():
        if name in NUMBERS:
            changed[name] = _number(value)
        elif not name.startswith(LINK) and name != "count":
            changed[name] = value
    if kind in WITH_PICTURE:
        changed["file"] = values["file"] or None
    if kind == "social":
        addresses = {network: values[f"{LINK}{network}"] for network in NETWORKS}
        changed["links"] = [{"network": network, "url": url} for network, url in addresses.items() if url]
    return {**block, **changed}


def _number(value: Any) -> Any:
    """Return a whole number as such; anything else is left to the API to refuse."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 6 else (value or None)


def words_of(block: Values) -> str:
    """Return the words by which people know a block in the list."""
    kind = str(block.get("type"))
    texts: Sequence[str] = ("text", "label", "name", "alt", "url")
    words = next((str(block[name]) for name in texts if block.get(name)), "")
    return "" if kind in ("columns", "divider", "social") else " ".join(words.split())[:60]
