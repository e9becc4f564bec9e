"""Tells whether a page, a list on it, or an entry is about a show."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from ...records import Show
from ...text.urls import host_of, safe_urlsplit
from ..document import PageDocument
from ..rows import highest_headings
from ..show_names import contains_name, has_show_name_as_part, normalize_show_name
from .find_entries import PageEntry
from .judge_entries import JudgedEntry, Verdict
from .page_lines import PageLine, key_of

OTHER_SHOW = "it names another show"


def is_series_of_show(series_names: Collection[str], show: Show) -> bool:
    """Return True if one of the series names has the show's title in it, or is a part of the title."""
    return any(
        contains_name(name, show.title) or contains_name(show.title, name) for name in series_names
    )


def does_page_name_show(document: PageDocument, show: Show) -> bool:
    # The page's own data say it surely, so its titles and address do not count then.
    if document.series:
        return is_series_of_show(document.series, show)
    rows = [row for row in document.rows.rows if row.heading and not row.in_menu]
    titles = [document.head.title, *document.head.declared_names, *highest_headings(rows)]
    is_in_title = any(has_show_name_as_part(title, show) for title in titles)
    return is_in_title or _is_in_address(document.address, show)


def _is_in_address(address: str, show: Show) -> bool:
    """Return True if the name is a part of the host or of the path: beetalk.example, /shows/bee-talk."""
    path = unquote(safe_urlsplit(address).path).removesuffix(".html")
    labels = [*host_of(address).split("."), *path.split("/")]
    title_key = key_of(show.title)
    return title_key != "" and title_key in map(key_of, labels)


class ListsOfShow:
    """The lists on a page that are about a show. On a page about the show these are all lists."""

    def __init__(
        self,
        lines: Sequence[PageLine],
        judged_entries: Sequence[JudgedEntry],
        other_shows: Collection[str],
        *,
        is_about_show: bool,
        is_about_other_show: bool,
    ) -> None:
        self.is_about_show = is_about_show
        self.other_shows = set(map(normalize_show_name, other_shows))
        self.list_line_kinds: set[Hashable] = set()  # of lines in lists of the show's episodes
        # On a page about another show, only an entry that names the show is the show's.
        if not is_about_other_show:
            self.list_line_kinds = _line_kinds_that_list_show(lines, judged_entries)

    def refusal_reason_or_blank(self, entry: PageEntry, verdict: Verdict) -> str:
        """Return why an entry is not the show's, or "" if it is. The first rule that fits decides."""
        values = entry.values
        show = entry.title_line.show
        # The page's data may name the show of each entry: {"podcastName": "Bee Talk"}.
        if values.declared_shows and not is_series_of_show(values.declared_shows, show):
            return OTHER_SHOW
        # A name in one of several rows is about this row. Elsewhere it may be about the whole page.
        if values.has_show_name and entry.is_row:
            return ""
        # A line or a link of the entry has the name of another show of the catalog, and nothing else.
        names_other_show = not self.other_shows.isdisjoint(values.short_texts)
        if names_other_show:
            return OTHER_SHOW
        # Lines of one kind are one list. On a page that does not name the show, a title in its list is not
        # enough: a date or the like must agree.
        is_in_list_of_show = entry.title_line.kind in self.list_line_kinds
        if self.is_about_show or (is_in_list_of_show and verdict.has_more_than_title):
            return ""
        return "nothing says that it is the show's"


@dataclass(slots=True)
class _AgreeingTitles:
    """Titles of episodes that agree in a further value, in lines of one kind."""

    episode_indexes: set[int] = field(default_factory=set)
    line_indexes: set[int] = field(default_factory=set)


def _line_kinds_that_list_show(
    lines: Sequence[PageLine], judged_entries: Sequence[JudgedEntry]
) -> set[Hashable]:
    """Return the kinds of lines that list the show, such as the headings of cards.

    More than half of the lines of such a kind are titles of at least three of its episodes, and of each
    a further value agrees, such as its date.
    """
    line_counts: Counter[Hashable] = Counter(line.kind for line in lines if line.may_be_title)
    titles_by_kind: dict[Hashable, _AgreeingTitles] = defaultdict(_AgreeingTitles)
    for entry, verdict in judged_entries:
        if verdict.has_more_than_title:
            titles = titles_by_kind[entry.title_line.kind]
            titles.episode_indexes.add(verdict.episode_index)
            titles.line_indexes.add(entry.match.line_index)
    min_episodes = 3  # two shows may share a title or two
    kinds: set[Hashable] = set()
    for kind, titles in titles_by_kind.items():
        has_enough_episodes = len(titles.episode_indexes) >= min_episodes
        is_majority_of_lines = len(titles.line_indexes) * 2 > line_counts[kind]
        if has_enough_episodes and is_majority_of_lines:
            kinds.add(kind)
    return kinds
