"""Tells whether a page, a list on it, or an entry is about a show."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from urllib.parse import unquote

from ...records import Show
from ...text.urls import host_of, safe_urlsplit
from ..document import PageDocument
from ..rows import highest_headings
from ..show_names import contains_name, is_lookalike, is_titled_after, normalize_show_name
from .find_entries import PageEntry
from .judge_entries import JudgedEntry, Verdict
from .page_lines import PageLine, key_of

MIN_TITLES = 3  # two shows may share a title or two
OTHER_SHOW = "it names another show"
NO_SHOW = "nothing says that it is the show's"


def is_series_of_show(series_names: Sequence[str], show: Show) -> bool:
    """Return True if one of the series names is the show's title, looks like it, or contains it or is in it."""
    for series_name in series_names:
        if is_lookalike(series_name, show.title) or contains_name(series_name, show.title):
            return True
        if contains_name(show.title, series_name):
            return True
    return False


def page_names_show(document: PageDocument, show: Show) -> bool:
    """Return True if the data of a page, its title, its highest headings or its address name a show."""
    if document.series:
        return is_series_of_show(document.series, show)
    rows = [row for row in document.rows.rows if row.heading and not row.in_menu]
    titles = [document.head.title, *document.head.declared_names, *highest_headings(rows)]
    is_in_title = any(is_titled_after(title, show) for title in titles)
    return is_in_title or _is_in_address(document.address, show)


def _is_in_address(address: str, show: Show) -> bool:
    """Return True if the name is a part of the host or of the path: beetalk.example, /shows/bee-talk."""
    path = unquote(safe_urlsplit(address).path).removesuffix(".html")
    labels = [*host_of(address).split("."), *path.split("/")]
    title_key = key_of(show.title)
    return title_key != "" and title_key in map(key_of, labels)


class ListsOfShow:
    """The lists on a page that are about a show: lists with titles of the show in most lines, and on a page
    about the show all lists."""

    def __init__(
        self,
        lines: Sequence[PageLine],
        judged_entries: Sequence[JudgedEntry],
        other_shows: Collection[str],
        *,
        is_about_show: bool,
        is_about_other_show: bool,
    ) -> None:
        """Set `kinds`: the kinds of lines with at least three episodes of the show, in most of their lines. On
        a page about another show there are none: only an entry that names the show is the show's.

        Set `most_name_show` if more than half of the entries print the name of the show.
        """
        self.is_about_show = is_about_show
        self.other_shows = set(map(normalize_show_name, other_shows))
        # By the kind of line: the episodes of the show, and the lines with their titles.
        episodes: dict[Hashable, set[int]] = defaultdict(set)
        title_lines: dict[Hashable, set[int]] = defaultdict(set)
        for entry, verdict in judged_entries:
            if verdict.episode and verdict.weight:
                kind = entry.title_line.kind
                episodes[kind].add(verdict.episode.number)
                title_lines[kind].add(entry.match.line)
        line_counts: Counter[Hashable] = Counter(line.kind for line in lines if line.may_be_title)
        self.kinds: set[Hashable] = set()
        for list_kind, numbers in episodes.items():
            has_most_lines = len(title_lines[list_kind]) * 2 > line_counts[list_kind]
            if len(numbers) >= MIN_TITLES and has_most_lines:
                self.kinds.add(list_kind)
        if is_about_other_show:
            self.kinds.clear()
        with_show_name = [entry for entry, _ in judged_entries if entry.values.has_show_name]
        self.most_name_show = len(with_show_name) * 2 > len(judged_entries)

    def reason_against(self, entry: PageEntry, verdict: Verdict) -> str:
        """Return the reason why an entry is not the show's, or "" if it is."""
        values, show = entry.values, entry.title_line.show
        if values.declared_shows and not is_series_of_show(sorted(values.declared_shows), show):
            return OTHER_SHOW
        if values.has_show_name and entry.is_row:
            return ""
        if not self.other_shows.isdisjoint(values.short_texts):
            return OTHER_SHOW
        if self.is_about_show:
            return ""
        # On a page that does not name the show a title is not enough.
        is_in_list = entry.title_line.kind in self.kinds and verdict.weight > 0
        # If most entries name the show, entries without its name are another show's.
        return "" if is_in_list and not self.most_name_show else NO_SHOW
