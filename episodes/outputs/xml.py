"""XML that is well-formed whatever the text in it: what all XML formats are built with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

# What XML 1.0 cannot carry at all.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")

Element = ElementTree.Element


def xml_text(text: str) -> str:
    return NOT_XML.sub("", text)


def root(name: str, attributes: Mapping[str, str]) -> Element:
    return ElementTree.Element(name, dict(attributes))


def add(parent: Element, name: str, text: str = "", /, **attributes: str) -> Element:
    """A new last child. Names carry their prefix as written; the root declares what it stands for."""
    child = ElementTree.SubElement(parent, name, {key: xml_text(value) for key, value in attributes.items()})
    child.text = xml_text(text) or None
    return child


def document(element: Element) -> str:
    """The whole of it, a line an element."""
    ElementTree.indent(element, "")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(element, encoding="unicode")}\n'
