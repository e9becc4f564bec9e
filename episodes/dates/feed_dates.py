"""Reads the dates that programs write into feeds, where no page would print them so."""

from __future__ import annotations

import re

from ..records import PublicationDate
from .reading import read_date

# Each form as `read_date` knows it.
FORMS = (
    (r"\s*\([^()]*\)$", ""),  # a comment
    (r"^([A-Za-z]{3,9},)(?=\d)", r"\1 "),
    (r"\b(?:GMT|UTC)(?=[+-]\d\d:?\d\d$)", ""),  # JavaScript
    (r"(?<= [+-]0000) (?:UTC|GMT)$", ""),  # Go
    (
        r"^(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2} \d\d?) ([\d:]{8})( [A-Z]{2,5}| [+-]\d{4}|) (\d{4})$",
        r"\1 \4 \2\3",
    ),  # Unix
    (r"^(\d{4})(\d\d)(\d\d)(?=$|T\d)", r"\1-\2-\3"),
    (
        r"(?<=-\d\dT)(\d\d)(\d\d)(\d\d)?(?=$|Z$|[+-]\d\d:?\d\d$)",
        lambda m: ":".join(filter(None, m.groups())),
    ),
    (r"(?<=:\d\d),(?=\d{1,9}(?:$|Z$|[+-]\d))", "."),
    (r"(?<=[-T:])(\d)(?=[-T:]|Z?$)", r"0\1"),
    (r"[ T]24:00(?::00)?(?: ?Z| [A-Z]{2,4}| ?[+-]\d\d:?\d\d)?$", ""),  # the end of a day
)
COMPILED = tuple((re.compile(form), instead) for form, instead in FORMS)


def read_feed_date(text: str) -> PublicationDate | None:
    """The date that `text` is, as `read_date` has it, also where a program wrote it."""
    text = " ".join(text[:200].split())
    if known := read_date(text):
        return known
    for form, instead in COMPILED:
        text = form.sub(instead, text)
    return read_date(text)
