"""Tells what a text file says about itself, in front matter and headings, from what is spoken."""

import re

# Between two lines of "---" (YAML) or "+++" (TOML) at the beginning of a file.
_FRONT = re.compile(
    r"\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LINE = re.compile(r"([A-Za-z][\w-]{0,40})[ \t]*[:=][ \t]*([\"']?)(\S[^\n]{0,2000}?)\2\s*")
_HEADING = re.compile(r"^#[ \t]+(\S[^\n]{0,500}?)[ \t#]*(?:\n|\Z)", re.MULTILINE)
# A heading further down comes in the middle of what is said.
_BEFORE = 2_000  # characters
# "**Ada:** text", "## Part", "> quote", "[words](https://…)", "* * *": marks around words.
_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>(?!>)[ \t]?|(?:[-*_][ \t]*){3,}$)|\*\*"
    r"|!?\[([^\[\]\n]{0,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)",
    re.MULTILINE,
)
# "*words*", "_words_", "`code`" within a line; a whole line between stars is a sound.
_STRESS = re.compile(
    r"(?!^\*[^*\n]*\*$)(?<![\w*`])(\*|_|`{1,3})(?!\1|\s)([^\n]{1,300}?)(?<!\s)\1(?![\w*`])",
    re.MULTILINE,
)
_FIRST_LINE = re.compile(r"\s*(?!#)(\S[^\n]{0,100})\n[ \t]*\n")


def facts_of(text: str) -> dict[str, str]:
    """The values of the front matter by their names in lower case, `-` as `_`; lists and nested
    values are left out."""
    lines = map(_LINE.fullmatch, _parted(text)[0].split("\n"))
    return {line[1].lower().replace("-", "_"): line[3] for line in lines if line}


def headings_of(text: str) -> tuple[str, str]:
    """The heading over a text in Markdown, and a short first line that an empty one follows; ""
    where there is none."""
    body = _parted(text)[1][:_BEFORE]
    heading, line = _HEADING.search(body), _FIRST_LINE.match(body)
    return heading[1] if heading else "", line[1] if line else ""


def spoken_part(text: str) -> str:
    """A text without its front matter and without its heading and what is before it; marks of
    Markdown are left out."""
    body = _parted(text)[1]
    heading = _HEADING.search(body, 0, _BEFORE)
    said = body[heading.end() :] if heading else body
    return _STRESS.sub(r"\2", _MARKS.sub(lambda found: found[1] or "", said))


def _parted(text: str) -> tuple[str, str]:
    """The front matter of a text, and what follows it."""
    front = _FRONT.match(text)
    return (front[2], text[front.end() :]) if front else ("", text)
