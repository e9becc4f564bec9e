"""An episode as a line of Markdown and as a BibTeX entry, to be pasted elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")
TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


@dataclass(frozen=True)
class Cited:
    """What a citation says of an episode; `speakers` are its hosts, the show's author where nobody
    is credited."""

    title: str
    show: str
    address: str
    key: str
    number: str = ""
    day: datetime | None = None
    speakers: Sequence[str] = ()
    author: str = ""


def markdown(cited: Cited) -> str:
    """`[vmap](https://…), PyTorch Developer Podcast, episode 34, 21 June 2021`."""
    parts = [f"[{escaped_markdown(cited.title)}]({cited.address})", escaped_markdown(cited.show)]
    if cited.number:
        parts.append(f"episode {cited.number}")
    if cited.day:
        parts.append(f"{cited.day.day} {cited.day:%B} {cited.day.year}")
    return ", ".join(parts)


def bibtex(cited: Cited) -> str:
    """A `@misc` entry, which every style knows; what is not known is left out."""
    number = f", no. {cited.number}" if cited.number else ""
    day = cited.day
    fields = {
        # Braces keep the case of a title, and a show's author whole: "Edward Yang, Team PyTorch" is
        # no family name.
        "author": " and ".join(map(_tex, cited.speakers))
        or (f"{{{_tex(cited.author)}}}" if cited.author else ""),
        "title": f"{{{_tex(cited.title)}}}",
        "howpublished": f"Podcast episode, {_tex(cited.show)}{number}",
        "year": str(day.year) if day else "",
        "url": cited.address,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    if day:
        lines.insert(-1, f"  month = {MONTHS[day.month - 1]},")
    return "\n".join([f"@misc{{{re.sub('[^-a-zA-Z0-9:]', '-', cited.key)},", *lines, "}"])


def escaped_markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _tex(text: str) -> str:
    return " ".join(text.split()).translate(TEX)
