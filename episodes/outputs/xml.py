"""XML that is well-formed whatever the text in it: what all XML formats are built with."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What XML 1.0 cannot carry at all.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Element:
    """An element with text or with children, as what is written of it."""

    __slots__ = ("children", "name", "settled", "start", "text")

    def __init__(self, name: str, attributes: Mapping[str, str], text: str = "") -> None:
        self.name, self.text = name, _escaped(text) if text else ""
        self.children: list[Element] = []
        self.settled = ""  # what is written of earlier children
        quoted = [f' {key}="{_quoted(value)}"' for key, value in attributes.items()]
        self.start = f"<{name}{''.join(quoted)}"

    def lines(self, into: list[str]) -> None:
        """Add what is written, a line an element; those with children have a line for each end."""
        if self.children or self.settled:
            into.append(f"{self.start}>\n{self.settled}")
            for child in self.children:
                child.lines(into)
            into.append(f"</{self.name}>\n")
        else:
            into.append(f"{self.start}>{self.text}</{self.name}>\n" if self.text else f"{self.start} />\n")

    def settle(self) -> None:
        """Keep the text of the children in their place: the elements of a whole feed take several times its bytes."""
        lines: list[str] = []
        for child in self.children:
            child.lines(lines)
        self.children, self.settled = [], self.settled + "".join(lines)


def xml_text(text: str) -> str:
    # Most texts are a line: what is printable holds none of those, and Python knows it at once.
    return text if text.isprintable() else NOT_XML.sub("", text)


def _escaped(text: str) -> str:
    return xml_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(value: str) -> str:
    text = _escaped(value).replace('"', "&quot;")
    if text.isprintable():
        return text
    # A parser would read these as spaces.
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#09;")


def root(name: str, attributes: Mapping[str, str]) -> Element:
    return Element(name, attributes)


def add(parent: Element, name: str, text: str = "", /, **attributes: str) -> Element:
    """A new last child. Names carry their prefix as written; the root declares what it stands for."""
    child = Element(name, attributes, text)
    parent.children.append(child)
    return child


def document(element: Element) -> str:
    """The whole of it, a line an element."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>\n']
    element.lines(lines)
    return "".join(lines)
