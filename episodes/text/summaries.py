"""Summaries for lists: the first sentences of notes, without sentences that a show repeats."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, dropwhile
from typing import NamedTuple

from .addresses import BLANK_CHARACTER, blank_addresses
from .fingerprints import fingerprint
from .normalize import folded_words
from .sentences import sentence_spans
from .timecodes import TIMECODE_PATTERN
from .urls import add_scheme, site_of

MAX_POSITION_SECONDS = 165  # fits in the two lines of a card on a wide screen
MAX_READ = 1_000  # characters
KEY_LENGTH = 16  # hex digits
SHARE = 3  # a sentence of a third of the notes is about none of the episodes
TRAILING = ".,;:!?)'\"”"

BLANKS = re.compile(f"{BLANK_CHARACTER}+")
ADDRESS = re.compile(f"{BLANK_CHARACTER}[^{BLANK_CHARACTER}]*{BLANK_CHARACTER}")
SITE = re.compile(r"(?!www\.)(?:[\w-]+\.)+[^\W\d_]+")
# Behind a name: "(@ada)", "(see https://looms.example)".
IN_BRACKETS = re.compile(
    rf"\s?\([^()\n{BLANK_CHARACTER}]{{0,20}}(?:{BLANK_CHARACTER}[^{BLANK_CHARACTER}]*{BLANK_CHARACTER}|@[\w.]+)[^()\n{BLANK_CHARACTER}]{{0,20}}\)"
)
# A day, and somebody's name on a site: a sentence with another one says the same.
VARIES = re.compile(r"(?<!\w)@\w[\w.]*|\d{1,4}[-./]\d\d?[-./]\d{1,4}")
# The bullet or the time in the audio before a line of a list.
MARKER = re.compile(
    rf"^[ \t]*(?:[-–—•*·][ \t]*(?=[^\W\d])|[(\[]?{TIMECODE_PATTERN}[)\]]?(?!\w)[ \t:–—-]*)",
    re.MULTILINE,
)
# A line of a list is short, and no sign ends it. Other lines may go on below.
ITEM = re.compile(r".{1,60}(?<![.!?…:;,。！？、：])(?<![.!?…][”\"’)])")
GOES_ON = re.compile(r"[a-zß-ÿа-я](?:[a-zß-ÿа-я]|\W)")
NO_POINT = re.compile(r"(?<=[.?!…:,”·] )· ")
LEAD = re.compile(r"(?:^|(?<=[.?!。] ))[^.?!。]{1,40}:$")


class Sentence(NamedTuple):
    """A sentence of notes, or a line of a list, as summaries show it."""

    text: str
    words: tuple[str, ...]  # folded, without numbers, days and names on sites
    ends_in_address: bool
    begins_line: bool

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for sentences that say the same: the first two words, and as many of the last as the
        greatest power of two in their half. In between greetings count, in one word or in five:
        "Welcome to the twelfth episode of Loom Hour"."""
        half = max(1, len(self.words) // 2)
        last = 1 << (half.bit_length() - 1)
        return (*self.words[:2], *self.words[-last:])


def summaries(notes: Sequence[tuple[str, str]], show: str = "") -> list[str]:
    """Return the summary of each episode of a show, "" if its notes say nothing of it.

    `notes` are titles and texts, `show` is the title of the show.
    """
    read = [read_sentences(text) for _, text in notes]
    shared = shared_keys([sentence_keys(sentences) for sentences in read])
    return [
        summarize(title, sentences, shared, show)
        for (title, _), sentences in zip(notes, read, strict=True)
    ]


def summarize(
    title: str, sentences: Sequence[Sentence], shared: Collection[str], show: str = ""
) -> str:
    """Return the summary of an episode, given the sentences of its notes and the keys of those that the
    show repeats. Leave out these, sentences that end in an address, and headings that repeat the
    title."""
    # Notes of one sentence, which names a guest in its middle, are no greetings.
    telling = [sentence for sentence in sentences if _hash_words(sentence.key) not in shared]
    telling = telling or [
        sentence for sentence in sentences if _hash_words(sentence.words) not in shared
    ]
    return _join(_drop_headings(telling, {*folded_words(title), *folded_words(show)}))


def sentence_keys(sentences: Iterable[Sentence]) -> frozenset[str]:
    """Return hashes of the keys and of the words of sentences, which other episodes may share."""
    keys: set[str] = set()
    for sentence in sentences:
        keys.update((_hash_words(sentence.key), _hash_words(sentence.words)))
    return frozenset(keys)


def _hash_words(sentence_words: Sequence[str]) -> str:
    return fingerprint(sentence_words)[:KEY_LENGTH]


def shared_keys(keys: Sequence[Iterable[str]]) -> frozenset[str]:
    """Return the keys of sentences that a third of the notes have, and at least two."""
    counts = Counter(chain.from_iterable(keys))
    least = max(2, len(keys) / SHARE)
    return frozenset(key for key, count in counts.items() if count >= least)


def teaser(text: str) -> str:
    """Return the first sentences of a text."""
    return _join(read_sentences(text))


def shorten_prose(prose: str, start: int, longest: int = MAX_POSITION_SECONDS) -> str:
    """Return a line or two of prose from a place on, up to the end of a word."""
    piece = prose[start : start + longest]
    if start + longest < len(prose):
        piece = piece[: piece.rfind(" ")] if " " in piece else piece
        piece = f"{piece.rstrip(' ,;:–-(·')}{' ' if piece[-1:] in '.?!' else ''}…"
    return piece


def read_sentences(text: str) -> list[Sentence]:
    """Return the sentences and lines with words at the beginning of a text."""
    text = text[:MAX_READ]
    masked = BLANKS.sub(
        lambda blanks: _site(text[blanks.start() : blanks.end()]), blank_addresses(text)
    )
    masked = MARKER.sub("· ", IN_BRACKETS.sub("", masked))
    result = []
    for start, end in sentence_spans(masked):
        sentence = masked[start:end]
        prose = VARIES.sub("", ADDRESS.sub("", sentence))
        telling = [word for word in folded_words(prose) if not word.isdecimal()]
        if telling:
            prose_text = " ".join(sentence.replace(BLANK_CHARACTER, "").split())
            ends_in_address = sentence.rstrip(TRAILING + " ").endswith(BLANK_CHARACTER)
            begins_line = masked[start - 1 : start] == "\n"
            result.append(Sentence(prose_text, tuple(telling), ends_in_address, begins_line))
    return result


def _site(address: str) -> str:
    """Return the site of an address, between blanks, and the signs behind it. A bare "Looms.example" is
    a name, and stays."""
    bare = address.rstrip(TRAILING)
    if SITE.fullmatch(bare):
        return address
    return f"{BLANK_CHARACTER}{site_of(add_scheme(bare))}{BLANK_CHARACTER}{address[len(bare) :]}"


def _drop_headings(sentences: Iterable[Sentence], title_words: set[str]) -> list[Sentence]:
    """Return the sentences from the first on that says more than the title."""
    return list(dropwhile(lambda sentence: title_words.issuperset(sentence.words), sentences))


def _join(sentences: Sequence[Sentence]) -> str:
    """Return a line or two of prose, with points between the lines of lists. Leave out sentences
    that end in an address, if there are others, and a heading above nothing."""
    telling = [sentence for sentence in sentences if not sentence.ends_in_address] or sentences
    prose, last = "", ""
    for sentence in telling:
        is_behind_item = sentence.begins_line and ITEM.fullmatch(last)
        separator = " · " if is_behind_item and not GOES_ON.match(sentence.text) else " "
        prose += separator + sentence.text
        last = sentence.text
    return shorten_prose(LEAD.sub("", NO_POINT.sub("", prose).strip(" ·")).rstrip(), 0)
