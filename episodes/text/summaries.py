"""Summaries for lists: a line or two of notes, without what a show says in many of its notes."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter

from .addresses import BLANK, PlainText, addresses_in, link_address, without_addresses
from .normalize import words
from .sentences import sentences
from .timecodes import IN_TEXT
from .urls import site_of

LONGEST = 165  # fits in the two lines of a card on a wide screen
MOST_READ = 1_000  # characters
FEW = 3  # different notes that have the same sentence: it is about none of them
FEW_EPISODES = 10  # of a show: there a sentence of two notes is, too, but no line of a list
OFTEN = 0.2  # the share of notes whose line is about none of them, wherever it stands
MOST = 0.5  # the share of the notes of a show that may be the same text, and still say nothing

# A day, and somebody's name on a site: a sentence with another one says the same.
VARIES = re.compile(r"(?<!\w)@\w[\w.]*|\d{1,4}[-./]\d\d?[-./]\d{1,4}")
# A sentence, not a line of a list: several episodes may be about that.
IS_PROSE = re.compile(r".{20,}[.?!…。！？]\W{0,2}", re.DOTALL)

# An address between blanks that no sentence needs: in brackets, behind a label that only names it,
# or a line of its own.
ADDRESS_APART = re.compile(
    rf"\s?\({BLANK}[^{BLANK}]+{BLANK}\s?\)"
    rf"|(?:^|(?<=[.?!]\s)|(?<=[。{BLANK}]))[^.?!。\n{BLANK}]{{1,60}}[:：]\s*{BLANK}[^{BLANK}]+{BLANK}"
    rf"|^\s*{BLANK}[^{BLANK}]+{BLANK}$",
    re.MULTILINE,
)
# A name on a site, or the address of one, in brackets or behind all else that a line says.
HANDLE = re.compile(
    r"\s?\(@[^()\s]+\s?\)(?!\w)"
    r"|(?:(?<=[.?!。！？])|,)[ \u3000]?(?:\w{1,12}[:：]\s?)?@\w[\w.]*$",
    re.MULTILINE,
)
# A lead above what is not shown, such as a list of addresses.
LEAD = re.compile(r"(?:^|(?<=[.?!。]\s))[^.?!。]{1,40}[:：]$")
# The bullet or the time in the audio before a line of a list.
MARKER = re.compile(
    rf"^[ \t]*(?:[-–—•*·][ \t]*(?=[^\W\d])|[(\[]?{IN_TEXT}[)\]]?(?!\w)[ \t:–—-]*)", re.MULTILINE
)
# A short line that no sign ends, a heading or one of a list, above one that does not go on with it.
ITEM = re.compile(
    r"^(?!.*[.!?…:;,。！？、：]\W{0,3}$)(.{1,60})\n+(?!· |[a-z]{2}|[a-z]\W|[ß-ÿа-я]|\Z)",
    re.MULTILINE,
)
NOTHING_TO_PART = re.compile(r"(?:\A|(?<=[.!?…:,] ))· ")


def summaries(notes: Sequence[tuple[str, str]]) -> list[str]:
    """The summary of each episode of a show, "" where its notes say nothing of it; `notes` are
    titles and texts.

    Thanks to sponsors, calls to subscribe, credits and legal lines are known by what they are in
    any language: sentences that other episodes have as well.
    """
    read = [_sentences(title, text) for title, text in notes]
    furniture, often = _repeated(read)
    made = []
    for own in read:
        telling = [place for place, (key, _) in enumerate(own) if key not in furniture]
        between = own[telling[0] : telling[-1] + 1] if telling else []
        made.append(teaser("\n".join(said for key, said in between if key not in often)))
    return made


def _repeated(read: Sequence[Sequence[tuple[str, str]]]) -> tuple[set[str], set[str]]:
    """The sentences that are about no episode where notes begin or end with them, and those that
    are about none anywhere."""
    notes = [tuple(map(itemgetter(0), own)) for own in read]
    episodes = Counter(chain.from_iterable(map(set, notes)))
    # Parts and repeats of an episode share a text that is about them.
    texts = Counter(chain.from_iterable(map(set, set(notes))))
    usual = max(FEW, MOST * len(notes))
    prose = {key for key, said in chain.from_iterable(read) if IS_PROSE.fullmatch(said)}
    texts.update(prose if len(notes) <= FEW_EPISODES else ())
    furniture = {key for key, n in episodes.items() if texts[key] >= FEW or n >= usual}
    often = {key for key in furniture if episodes[key] >= OFTEN * len(notes)}
    return furniture | {""}, often | furniture & prose | {""}


def _sentences(title: str, text: str) -> list[tuple[str, str]]:
    """The first sentences of notes, each behind its words as they are compared: without addresses
    and, in the last line, without the title. Lines that are the title alone are left out."""
    name = words(title)
    opening = "\n".join(line for line in text[:MOST_READ].splitlines() if words(line) != name)
    *before, last = without_addresses(opening).split("\n")
    # "The post … appeared first on …", but not the opening: "What is …?"
    last = last.replace(title or BLANK, BLANK * len(title)) if before else last
    masked = "\n".join((*before, last))
    return [
        (" ".join(words(VARIES.sub("", masked[start:end]))), opening[start:end])
        for start, end in sentences(masked)
    ]


def teaser(text: str) -> str:
    """The opening of a text with sites in place of addresses, cut at a word; points between the
    lines of lists."""
    # All these patterns are slow, so they see no more than they must.
    opening = _with_sites(text[:MOST_READ])
    prose = ITEM.sub(r"\1 · ", MARKER.sub("· ", HANDLE.sub("", opening)))
    prose = NOTHING_TO_PART.sub("", " ".join(prose.split()))
    return cut(LEAD.sub("", prose).rstrip(), 0)


def _with_sites(text: str) -> str:
    """The text with only the site of each address, and none where no sentence needs it."""
    pieces, after = [], 0
    for span in addresses_in(PlainText(text, ()), cut=False):
        pieces += [text[after : span.start], f"{BLANK}{site_of(link_address(span.address))}{BLANK}"]
        after = span.end
    return ADDRESS_APART.sub("", "".join(pieces) + text[after:]).replace(BLANK, "")


def cut(prose: str, start: int, longest: int = LONGEST) -> str:
    """A line or two of prose from a place on, up to the end of a word."""
    piece = prose[start : start + longest]
    if start + longest < len(prose):
        piece = piece[: piece.rfind(" ")] if " " in piece else piece
        piece = f"{piece.rstrip(' ,;:–-(·')}{' ' if piece[-1:] in '.?!' else ''}…"
    return piece
