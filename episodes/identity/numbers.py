"""Gives an entry the number that its title prints, if it declares none. Pure."""

from dataclasses import replace

from ..fields import NUMBER_FIELD
from ..records import RankedEntry, SourceEntry
from ..text.normalize import fold
from ..text.numbering import (
    NAME_SEPARATORS,
    leading_episode_number_or_none,
    text_after_show_title_or_none,
)
from .match_keys import MatchKeys


def entry_with_plain_text_and_number(entry: SourceEntry, keys: MatchKeys) -> RankedEntry:
    """Return a copy of an entry with its notes as text and with the number that its title prints,
    if it declares none.

    A number that a title prints counts only in the show's own sources, and not for a trailer or
    bonus: the title of a page may begin with a rank.
    """
    # Read once here, as every later step would read the markup anew.
    values = replace(entry.values, text=keys.text)
    is_numbered = entry.is_publisher and values.episode_type not in ("trailer", "bonus")
    if is_numbered and NUMBER_FIELD.value_of_entry(values) is None:
        values = replace(values, number=number_at_title_start(values.title, keys.show.title))
    return RankedEntry(replace(entry, values=values), keys.title)


def number_at_title_start(title: str, show_title: str) -> int | None:
    """Return the number that a title begins with, also behind the show's name, or None."""
    title = fold(title)
    rest = text_after_show_title_or_none(title, fold(show_title))
    if rest is None:
        return leading_episode_number_or_none(title)
    # "Apollo - 12" of the show Apollo is number 12. "Apollo 13" is a subject, so without a separator the
    # number does not count if nothing follows it.
    is_separated = rest.lstrip()[:1] in NAME_SEPARATORS
    title_without_show = rest.strip(f"{NAME_SEPARATORS} ")
    return leading_episode_number_or_none(title_without_show, may_be_alone=is_separated)
