"""XML that is well-formed whatever the text in it: what all XML formats are built with."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

# What XML 1.0 cannot carry at all.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    return NOT_XML.sub("", text)


def root(name: str, attributes: dict[str, str]) -> Element:
    return Element(name, attributes)


def add(parent: Element, name: str, text: str = "", /, **attributes: str) -> Element:
    """A new last child; attributes without a value are left out. Names carry their prefix as
    written; the root declares what it stands for."""
    child = SubElement(
        parent, name, {key: xml_text(value) for key, value in attributes.items() if value}
    )
    child.text = xml_text(text) or None
    return child


def add_known(parent: Element, name: str, text: str = "", /, **attributes: str) -> None:
    """The same, but nothing where there is neither a text nor a value."""
    if text or any(attributes.values()):
        add(parent, name, text, **attributes)


def document(element: Element) -> str:
    """The whole of it, a line an element."""
    indent(element, "")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(element, encoding="unicode")}\n'
