"""Make the MJML of a design. What people typed is escaped; only the markup of `inline.py` becomes HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.text.labels.networks import NETWORKS
from outreach.messaging.email_templates.designs.blocks import (
    AnyBlock,
    Button,
    Columns,
    Design,
    Divider,
    Footer,
    Heading,
    Image,
    Linked,
    Product,
    Social,
    SocialLink,
    Text,
)
from outreach.messaging.email_templates.designs.brands import LINE, Brand, Look, look_of
from outreach.messaging.email_templates.designs.inline import (
    escaped,
    inline_html,
    is_address,
    is_right_to_left,
    paragraphs_html,
)

SIZES = {1: 28, 2: 22, 3: 18}
"""Level of a heading -> its size in pixels."""
LOGO_HEIGHT = 48


@dataclass(frozen=True)
class Drawing:
    """Everything that blocks need besides themselves."""

    look: Look
    brand: Brand
    pictures: Mapping[str, str]
    """Id of a file -> its public address."""

    def picture(self, part: Linked) -> str:
        """Return the address of a part's picture; empty without one."""
        return self.pictures.get(part.file, "") if part.file else part.url


def mjml_of(design: Design, brand: Brand, pictures: Mapping[str, str]) -> str:
    """Return the MJML of a design. `pictures` has the public address of each of its files."""
    look = look_of(design.style, brand)
    drawing = Drawing(look, brand, pictures)
    preheader = f"<mj-preview>{escaped(design.preheader.strip())}</mj-preview>" if design.preheader.strip() else ""
    sections = list(_sections(design.blocks, drawing))
    # A section of its own, so that the logo stands above columns as well.
    if design.style.logo and brand.logo:
        sections.insert(0, _section(look, f"<mj-column>{_logo(brand)}</mj-column>"))
    return (
        f"<mjml><mj-head>{preheader}<mj-attributes>"
        f'<mj-all font-family="{escaped(look.font)}" />'
        f'<mj-text font-size="16px" line-height="1.5" color="{look.text}" padding="8px 24px" />'
        '<mj-image padding="8px 24px" /><mj-divider padding="16px 24px" /><mj-button padding="8px 24px" />'
        f'</mj-attributes></mj-head><mj-body background-color="{look.background}" width="{design.style.width}px">'
        f'<mj-wrapper background-color="{look.surface}" padding="16px 0">{"".join(sections)}</mj-wrapper>'
        "</mj-body></mjml>"
    )


def _sections(blocks: Iterable[AnyBlock], drawing: Drawing) -> Iterable[str]:
    """Return the sections: one of each run of blocks, and one of each block of columns."""
    # MJML puts columns into sections only, so that blocks between them share one column.
    run: list[str] = []
    for block in blocks:
        if not isinstance(block, Columns):
            run.append(_draw(block, drawing))
            continue
        if run:
            yield _section(drawing.look, f"<mj-column>{''.join(run)}</mj-column>")
            run = []
        columns = ("".join(_draw(inner, drawing) for inner in column.blocks) for column in block.columns)
        yield _section(drawing.look, "".join(f"<mj-column>{content}</mj-column>" for content in columns))
    if run:
        yield _section(drawing.look, f"<mj-column>{''.join(run)}</mj-column>")


def _section(look: Look, columns: str) -> str:
    return f'<mj-section background-color="{look.surface}" padding="0">{columns}</mj-section>'


def _draw(block: AnyBlock, drawing: Drawing) -> str:
    return _DRAWERS[type(block)](block, drawing)


def _logo(brand: Brand) -> str:
    # The website is free text of the settings: only an address becomes a link.
    link = f' href="{escaped(brand.website)}"' if is_address(brand.website) else ""
    return (
        f'<mj-text align="left"><a style="text-decoration:none"{link}><img src="{escaped(brand.logo)}"'
        f' alt="{escaped(brand.name)}" height="{LOGO_HEIGHT}" style="height:{LOGO_HEIGHT}px;border:0" /></a></mj-text>'
    )


def _side(text: str, align: str) -> str:
    """Return the side of a text: scripts from the right begin there unless another side was chosen."""
    return "right" if align == "left" and is_right_to_left(text) else align


def _heading(block: Heading, drawing: Drawing) -> str:
    direction = ' dir="rtl"' if is_right_to_left(block.text) else ""
    size = SIZES[block.level]
    words = inline_html(block.text, drawing.look.accent)
    return (
        f'<mj-text align="{_side(block.text, block.align)}" font-size="{size}px" line-height="1.25">'
        f'<h{block.level} style="margin:0;font-size:{size}px;line-height:1.25"{direction}>{words}</h{block.level}>'
        "</mj-text>"
    )


def _text(block: Text, drawing: Drawing) -> str:
    words = paragraphs_html(block.text, drawing.look.accent)
    return f'<mj-text align="{_side(block.text, block.align)}">{words}</mj-text>'


def _image(block: Image, drawing: Drawing) -> str:
    return _picture(block, drawing, block.align, block.width)


def _picture(block: Linked, drawing: Drawing, align: str, width: int | None) -> str:
    """Return the picture of a block; empty without one."""
    # A file may have been deleted since: the email goes without the picture.
    address = drawing.picture(block)
    if not address:
        return ""
    size = f' width="{width}px"' if width else ""
    link = f' href="{escaped(block.link)}"' if block.link else ""
    return f'<mj-image src="{escaped(address)}" alt="{escaped(block.alt)}" align="{align}"{size}{link} />'


def _button(block: Button, drawing: Drawing) -> str:
    return _link_button(block.label, block.url, block.align, drawing.look)


def _link_button(label: str, address: str, align: str, look: Look) -> str:
    return (
        f'<mj-button href="{escaped(address)}" align="{align}" background-color="{look.accent}"'
        f' color="{look.on_accent}" font-size="16px" font-weight="bold" border-radius="6px"'
        f' inner-padding="12px 24px">{escaped(label)}</mj-button>'
    )


def _divider(block: Divider, drawing: Drawing) -> str:
    return f'<mj-divider border-width="1px" border-color="{LINE}" />'


def _social(block: Social, drawing: Drawing) -> str:
    """Return the links to networks as words: pictures of them would be fetched from another company's server."""
    links = block.links or [
        SocialLink.model_construct(network=network, url=url)
        # Networks of the settings that this list does not know have no name to show.
        for network, url in drawing.brand.links.items()
        if network in NETWORKS and is_address(url)
    ]
    if not links:
        return ""
    style = f"color:{drawing.look.accent};text-decoration:underline"
    words = " &nbsp; ".join(
        f'<a href="{escaped(link.url)}" style="{style}">{NETWORKS[link.network]}</a>' for link in links
    )
    return f'<mj-text align="{block.align}" font-size="14px">{words}</mj-text>'


def _footer(block: Footer, drawing: Drawing) -> str:
    # Laws of many countries ask for name and address below commercial email.
    text = block.text or "\n".join(part for part in (drawing.brand.name, drawing.brand.address) if part)
    words = inline_html(text, drawing.look.muted)
    side = _side(text, block.align)
    return f'<mj-text align="{side}" font-size="13px" color="{drawing.look.muted}">{words}</mj-text>'


def _product(block: Product, drawing: Drawing) -> str:
    accent, side = drawing.look.accent, _side(block.name, block.align)
    price = f'<p style="margin:4px 0 0;font-weight:bold">{escaped(block.price)}</p>' if block.price else ""
    words = paragraphs_html(block.description, accent) if block.description else ""
    about = f'<div style="margin:8px 0 0">{words}</div>' if words else ""
    button = _link_button(block.label, block.link, side, drawing.look) if block.label and block.link else ""
    return (
        f"{_picture(block, drawing, block.align, None)}"
        f'<mj-text align="{side}"><h3 style="margin:0;font-size:18px;line-height:1.25">{escaped(block.name)}</h3>'
        f"{price}{about}</mj-text>{button}"
    )


_DRAWERS: dict[type[AnyBlock], Callable[[Any, Drawing], str]] = {
    Heading: _heading,
    Text: _text,
    Image: _image,
    Button: _button,
    Divider: _divider,
    Social: _social,
    Footer: _footer,
    Product: _product,
}
"""Kind of a block -> the function that draws it."""
