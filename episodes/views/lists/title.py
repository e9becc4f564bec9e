"""Titles of lists of episodes in words."""

from collections.abc import Mapping

from django.utils.text import get_text_list

from ...models import UNKNOWN
from ...site import Site
from ...text.formatting import episodes, isolated, lengths
from .selection import Selection

Names = Mapping[tuple[str, str], str]  # of values of filters


def heading(
    count: int,
    selection: Selection,
    names: Names,
    of_site: Site,
    *,
    relation: str = "",
    related: int = 0,
    more: bool = False,
) -> str:
    """The headline of a list: `PyTorch Developer Podcast: 82 episodes` for a whole show, else
    `12 episodes about Autograd and CUDA, 2021, up to 15 min`; `5,000+ episodes …` where there are
    `more`. `names` are those of values; `relation` as for `asked`. What is only about a
    topic with these words (`related`) is counted apart."""
    if not selection.replaced(podcast="").narrows():
        show = of_site.of(selection.one("podcast")) or of_site
        return f"{isolated(str(show))}: {episodes(count)}"
    apart = 0 if relation or more else related
    counted = f"{count:,}+ episodes" if more else episodes(count - apart)
    further = f", {apart:,} more on related topics" if apart else ""
    return f"{counted}{asked(selection, names, relation=relation)}{further}"


def asked(selection: Selection, names: Names, *, relation: str = "") -> str:
    """The selection in words, to be said after the word: ` about Autograd and CUDA, 2021`; ""
    where nothing is. `relation` is what the episodes are to words that they do not have."""

    def named(name: str) -> list[str]:
        return [isolated(names.get((name, value), value)) for value in selection.all(name)]

    parts = [
        f" {words} {get_text_list(values, 'and')}"
        for words, name in (
            ("about", "topic"),
            (relation or "matching", "q"),
            ("with", "person"),
            ("linking to", "link_kind"),
            ("listed by", "source"),
            ("from", "podcast"),
        )
        if (values := named(name))
    ]
    limits = (*map(str.lower, named("year")), *named("month"), length(selection))
    return "".join([*parts, *(f", {part}" for part in limits if part)])


def length(selection: Selection) -> str:
    """The lengths that are asked for: `15 to 20 min`; "" where none are."""
    limits = lengths(selection.one("min_minutes"), selection.one("max_minutes"))
    return ", ".join([*map(band, selection.all("length")), *filter(None, [limits])])


def band(name: str) -> str:
    """A band of lengths: `under 15 min`, `15 to 20 min`, `60 min or longer`, `length unknown`."""
    least, _, most = name.partition("-")
    if name == UNKNOWN:
        return "length unknown"
    return f"under {most} min" if most and not int(least) else lengths(least, most)
