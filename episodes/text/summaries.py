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

MAX_SUMMARY_LENGTH = 165  # characters, which fit in the two lines of a card on a wide screen
TRAILING = ".,;:!?)'\"”"

ADDRESS = re.compile(f"{BLANK_CHARACTER}[^{BLANK_CHARACTER}]*{BLANK_CHARACTER}")
# Behind a name: "(@ada)", "(see https://looms.example)".
ADDRESS_IN_BRACKETS = re.compile(
    rf"\s?\([^()\n{BLANK_CHARACTER}]{{0,20}}(?:{ADDRESS.pattern}|@[\w.]+)[^()\n{BLANK_CHARACTER}]{{0,20}}\)"
)
# The bullet or the time in the audio before a line of a list.
BULLET_OR_TIME = re.compile(
    rf"^[ \t]*(?:[-–—•*·][ \t]*(?=[^\W\d])|[(\[]?{TIMECODE_PATTERN}[)\]]?(?!\w)[ \t:–—-]*)",
    re.MULTILINE,
)
# A line of a list is short, and no sign ends it. Other lines may go on below.
ITEM = re.compile(r".{1,60}(?<![.!?…:;,。！？、：])(?<![.!?…][”\"’)])")


class Sentence(NamedTuple):
    """A sentence of notes, or a line of a list, as summaries show it."""

    text: str
    words: tuple[str, ...]  # folded, without numbers, days and names on sites
    ends_in_address: bool
    begins_line: bool

    @property
    def key(self) -> str:
        """Return a key that repeated sentences share: a hash of the first two words and of the last words.

        There are as many last words as the greatest power of two in half of the words. In between
        greetings count, in one word or in five: "Welcome to the twelfth episode of Loom Hour".
        """
        half = max(1, len(self.words) // 2)
        last_words = 1 << (half.bit_length() - 1)
        return _hash_words((*self.words[:2], *self.words[-last_words:]))

    @property
    def full_key(self) -> str:
        return _hash_words(self.words)


def _hash_words(words: Sequence[str]) -> str:
    return fingerprint(words)[:16]


def summarize(
    title: str, sentences: Sequence[Sentence], repeated_keys: Collection[str], show_title: str = ""
) -> str:
    """Return the summary of an episode from the sentences of its notes, without sentences that the show
    repeats (`keys_of_repeated_sentences`), sentences that end in an address, and headings that repeat the title."""
    unrepeated = [sentence for sentence in sentences if sentence.key not in repeated_keys]
    if not unrepeated:
        # `key` ignores the middle of a sentence. If nothing is left, compare whole sentences: notes may be
        # one sentence that differs only in the name of a guest in its middle.
        unrepeated = [sentence for sentence in sentences if sentence.full_key not in repeated_keys]
    title_words = {*folded_words(title), *folded_words(show_title)}

    def is_heading(sentence: Sentence) -> bool:
        return title_words.issuperset(sentence.words)

    without_first_headings = dropwhile(is_heading, unrepeated)
    return _summary_of_sentences(list(without_first_headings))


def keys_of_sentences(sentences: Iterable[Sentence]) -> frozenset[str]:
    keys: set[str] = set()
    for sentence in sentences:
        keys.update((sentence.key, sentence.full_key))
    return frozenset(keys)


def keys_of_repeated_sentences(keys: Sequence[Iterable[str]]) -> frozenset[str]:
    """Return the keys that a third of the notes have, and at least two: such a sentence is about
    none of the episodes. `keys` are the keys of each episode."""
    counts = Counter(chain.from_iterable(keys))
    min_count = max(2, len(keys) / 3)
    return frozenset(key for key, count in counts.items() if count >= min_count)


def summary_of_text(text: str) -> str:
    return _summary_of_sentences(read_first_sentences(text))


def shorten_prose(prose: str, start: int = 0, max_length: int = MAX_SUMMARY_LENGTH) -> str:
    """Return a line or two of prose from a position on, up to the end of a word, with "…" if the prose goes
    on."""
    excerpt = prose[start : start + max_length]
    if start + max_length >= len(prose):
        return excerpt
    # The cut may split the last word. An excerpt without a space is one long word.
    whole_words, _, _ = excerpt.rpartition(" ")
    shortened = (whole_words or excerpt).rstrip(" ,;:–-(·")
    ends_sentence = shortened.endswith((".", "?", "!"))
    return f"{shortened} …" if ends_sentence else f"{shortened}…"


def read_first_sentences(text: str) -> list[Sentence]:
    """Return the sentences and lines with words in the first 1,000 characters of a text."""
    # A BLANK_CHARACTER before and behind each site shows where an address begins and ends.
    marked_text = _replace_addresses_by_marked_sites(text[:1_000])
    marked_text = ADDRESS_IN_BRACKETS.sub("", marked_text)
    marked_text = BULLET_OR_TIME.sub("· ", marked_text)
    sentences = []
    for start, end in sentence_spans(marked_text):
        begins_line = marked_text[:start].endswith("\n")
        sentence = _read_sentence(marked_text[start:end], begins_line=begins_line)
        if sentence.words:
            sentences.append(sentence)
    return sentences


def _read_sentence(marked_sentence: str, *, begins_line: bool) -> Sentence:
    # Without the marks of addresses.
    text = marked_sentence.replace(BLANK_CHARACTER, "")
    without_closing_signs = marked_sentence.rstrip(TRAILING + " ")
    return Sentence(
        text=" ".join(text.split()),
        words=_words_to_compare(marked_sentence),
        ends_in_address=without_closing_signs.endswith(BLANK_CHARACTER),
        begins_line=begins_line,
    )


def _words_to_compare(marked_sentence: str) -> tuple[str, ...]:
    """Return the folded words of a sentence that a repetition of it shares: without addresses, numbers,
    days and names on sites."""
    prose = ADDRESS.sub("", marked_sentence)
    # "@ada.roe", "2024-08-04"
    prose = re.sub(r"(?<!\w)@\w[\w.]*|\d{1,4}[-./]\d\d?[-./]\d{1,4}", "", prose)
    return tuple(word for word in folded_words(prose) if not word.isdecimal())


def _replace_addresses_by_marked_sites(text: str) -> str:
    """Return a text with the site of each address between two BLANK_CHARACTERs, in place of the address."""
    marked_text = ""
    last_end = 0
    for blanks in re.finditer(f"{BLANK_CHARACTER}+", blank_addresses(text)):
        start, end = blanks.span()
        marked_text += text[last_end:start] + _site_between_blanks_unless_name(text[start:end])
        last_end = end
    return marked_text + text[last_end:]


def _site_between_blanks_unless_name(address: str) -> str:
    """Return the site of an address between two BLANK_CHARACTERs, and the signs behind it. A bare
    "Looms.example" is a name, and stays.

    The characters show later steps where an address was. They are removed in the end.
    """
    without_signs = address.rstrip(TRAILING)
    signs_behind = address[len(without_signs) :]
    is_bare_name = re.fullmatch(r"(?!www\.)(?:[\w-]+\.)+[^\W\d_]+", without_signs)
    if is_bare_name:
        return address
    site = site_of(add_scheme(without_signs))
    return f"{BLANK_CHARACTER}{site}{BLANK_CHARACTER}{signs_behind}"


def _summary_of_sentences(sentences: Sequence[Sentence]) -> str:
    """Return a summary of MAX_SUMMARY_LENGTH, with "·" between the lines of lists. Leave out
    sentences that end in an address, unless all do, and a heading at the end."""
    without_addresses = [sentence for sentence in sentences if not sentence.ends_in_address]
    prose = _join_sentences_and_list_items(without_addresses or sentences)
    # A short last sentence that ends in a colon, such as "Links:", is the heading of lines that were left out.
    without_heading = re.sub(r"(?:^|(?<=[.?!。] ))[^.?!。]{1,40}:$", "", prose).rstrip()
    return shorten_prose(without_heading)


def _join_sentences_and_list_items(sentences: Iterable[Sentence]) -> str:
    """Return "Springs · Weft and warp" for two lines of a list, and "We talk. See you!" for two sentences."""
    prose = ""
    last_text = ""
    for sentence in sentences:
        is_behind_list_item = sentence.begins_line and ITEM.fullmatch(last_text)
        # "goes on here", but not "iOS 17": the line before it was broken in the middle of a sentence.
        continues_line = re.match(r"[a-zß-ÿа-я](?:[a-zß-ÿа-я]|\W)", sentence.text)
        needs_separator = is_behind_list_item and not continues_line
        prose += " · " if needs_separator else " "
        prose += sentence.text
        last_text = sentence.text
    # A line with a bullet begins with "·" itself. It is dropped behind the separator, as in "Springs · · Wells", and
    # behind a sign that separates as well, as in "Hello. · World".
    return re.sub(r"(?<=[.?!…:,”·] )· ", "", prose).strip(" ·")
