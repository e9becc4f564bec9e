"""Summaries for lists: a line or two of notes, without what a show says in many of its notes."""

import re
from collections import Counter
from collections.abc import Container, Sequence
from functools import partial
from itertools import chain, combinations, dropwhile, filterfalse, pairwise
from operator import itemgetter

from .addresses import BLANK, PlainText, addresses_in, link_address, without_addresses
from .normalize import letters, plain_letters, words
from .sentences import sentences
from .timecodes import IN_TEXT
from .urls import site_of

LONGEST = 165  # fits in the two lines of a card on a wide screen
MOST_READ = 1_000  # characters
FEW = 3  # different notes that have the same sentence or line: it is about none of them
# Of a show: there a sentence of two notes is, too, but no line of a list; and what no two notes have
# may still be about none of them.
FEW_EPISODES = 10
TELLING = 60  # characters of a paragraph that may do for a summary
MOST = 0.5  # the share of the notes of a show that may be the same text, and still say nothing
ANOTHER = 1 / 6  # the share of a heading's words that may be others than those of the title

# A day, and somebody's name on a site: a sentence with another one says the same.
VARIES = re.compile(r"(?<!\w)@\w[\w.]*|\d{1,4}[-./]\d\d?[-./]\d{1,4}")
# A day in words of any language: "9 juni 2020", "June 9, 2020".
DAY = re.compile(r"\b(?:\d\d?\.? [^\W\d_]{3,9}|[^\W\d_]{3,9} \d\d?,) \d{4}\b")
# A sentence, not a line of a list: several episodes may be about that.
IS_PROSE = re.compile(r".{20,}[.?!…。！？]\W{0,2}", re.DOTALL)

# Where the name of a show is that of a page of its own or of an offer to its listeners: a handle, all
# of a path, a word in capitals.
NAMED = re.compile(
    r"(?:@|\.[a-z]{2,}/@?)([\w-]{4,})/?(?![\w/])"
    r"|(?<![\w./@-])([^\W\d_]{4,})\d*(?!\w)"
)

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


def summaries(notes: Sequence[tuple[str, str]], show: str = "") -> list[str]:
    """The summary of each episode of a show, "" where its notes say nothing of it; `notes` are
    titles and texts, `show` is the title of the show.

    Thanks to sponsors, calls to subscribe, credits and legal lines are known by what they are in
    any language: sentences that other episodes have as well, and lines with the show's own name in
    an address or a code. Lines at the beginning that repeat the title or the day are left out too.
    """
    read = [_sentences(title, text[:MOST_READ]) for title, text in notes]
    furniture, names = _repeated(read), words(plain_letters(show.upper()))
    parts = combinations(range(len(names) + 1), 2)
    spellings = {"".join(names[start:end]) for start, end in parts}
    made = []
    for (title, _), own in zip(notes, read, strict=True):
        text = "".join(said for key, said in own if key not in furniture).strip()
        told = list(dropwhile(partial(_repeats, {*words(f"{title} {show}")}), text.split("\n")))
        lines = list(filterfalse(partial(_names, spellings, show), told)) or told
        made.append(teaser("\n".join(_story(lines) if len(notes) <= FEW_EPISODES else lines)))
    return made


def _repeats(known: Container[str], line: str) -> bool:
    """True for a line that has hardly any words but known ones, numbers and a day."""
    own = words(DAY.sub("", line))
    others = sum(word not in known and not word.isdigit() for word in own)
    return others <= ANOTHER * len(own)


def _names(spellings: Container[str], show: str, line: str) -> bool:
    """True for a line with words of the show's name in an address or a code, but for capitals that
    the name has itself."""
    return any(
        letters("".join(mark).upper()) in spellings
        for mark in {*NAMED.findall(line)} - {*NAMED.findall(show)}
        if mark[0] or mark[1].isupper()
    )


def _story(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to the first paragraph that is not shorter than what follows it."""
    for place, (line, following) in enumerate(pairwise(lines), 1):
        if IS_PROSE.fullmatch(line) and len(line) >= max(TELLING, len(following)):
            return lines[:place]
    return lines


def _repeated(read: Sequence[Sequence[tuple[str, str]]]) -> set[str]:
    """The sentences that are about no episode."""
    notes = [tuple(map(itemgetter(0), own)) for own in read]
    episodes = Counter(chain.from_iterable(map(set, notes)))
    # Parts and repeats of an episode share a text that is about them.
    texts = Counter(chain.from_iterable(map(set, set(notes))))
    usual = max(FEW, MOST * len(notes))
    if len(notes) <= FEW_EPISODES:
        texts.update({key for own in read for key, said in own if IS_PROSE.fullmatch(said.strip())})
    return {key for key, n in episodes.items() if texts[key] >= FEW or n >= usual} | {""}


def _sentences(title: str, text: str) -> list[tuple[str, str]]:
    """The sentences of notes, with the sign before each, behind its words as they are
    compared: without addresses and, in the last line, without the title."""
    before, line_break, last = without_addresses(text).rpartition("\n")
    # "The post … appeared first on …", but not the opening: "What is …?"
    hidden = last.replace(title, BLANK * len(title)) if line_break else last
    masked = f"{before}{line_break}{hidden}"
    return [
        (" ".join(words(VARIES.sub("", masked[start:end]))), text[max(0, start - 1) : end])
        for start, end in sentences(masked)
    ]


def teaser(text: str) -> str:
    """The opening of a text with sites in place of addresses, cut at a word; points between the
    lines of lists."""
    # All these patterns are slow, so they see no more than they must.
    opening, pieces, after = text[:MOST_READ], [], 0
    for span in addresses_in(PlainText(opening, ()), cut=False):
        site = site_of(link_address(span.address))
        pieces += [opening[after : span.start], f"{BLANK}{site}{BLANK}"]
        after = span.end
    prose = ADDRESS_APART.sub("", "".join(pieces) + opening[after:]).replace(BLANK, "")
    prose = ITEM.sub(r"\1 · ", MARKER.sub("· ", HANDLE.sub("", prose)))
    prose = NOTHING_TO_PART.sub("", " ".join(prose.split()))
    return cut(LEAD.sub("", prose).rstrip(), 0)


def cut(prose: str, start: int, longest: int = LONGEST) -> str:
    """A line or two of prose from a place on, up to the end of a word."""
    piece = prose[start : start + longest]
    if start + longest < len(prose):
        piece = piece[: piece.rfind(" ")] if " " in piece else piece
        piece = f"{piece.rstrip(' ,;:–-(·')}{' ' if piece[-1:] in '.?!' else ''}…"
    return piece
