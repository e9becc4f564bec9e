"""Values of a feed as they can be stored: without what no database takes, in one line, addresses
that can be followed."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from lxml import etree

from ...listings import absolute
from ...text.normalize import TURNING

Element: TypeAlias = etree._Element
ATOM_LINK = "{http://www.w3.org/2005/Atom}link"
# What feedparser lets through in broken XML, and no database or XML document takes.
UNSTORABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
WITHOUT_TURNING = str.maketrans("", "", TURNING)


def stored(value: Any) -> str:
    return UNSTORABLE.sub("", str(value or ""))


def one_line(value: Any) -> str:
    return " ".join(stored(value).translate(WITHOUT_TURNING).split())


def address(value: Any, base: str = "") -> str:
    """A whole http(s) address, seen from the page at `base`; "" for anything else."""
    return absolute(one_line(value), base)
