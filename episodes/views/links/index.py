"""The index of links: what it lists, in which order, how it is narrowed and called, and how many of
each kind there are."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet
from django.http import QueryDict

from ...models import USED, EpisodeLink, Link, Podcast, query_words
from ...search import MOST_TERMS
from ...text.formatting import counted
from ...text.link_labels import KINDS, ONE
from ..lists.facets import FacetChoice, chips, facet
from ..lists.filters import (
    LONGEST_QUERY,
    TOO_MANY_TERMS,
    AppliedFilters,
    InShow,
    KnownValue,
    ListFilter,
)
from ..lists.selection import Selection
from .entries import LinkEntry, entries

NOUNS = {kind: (ONE[kind].lower(), KINDS[kind].lower()) for kind in KINDS} | {
    "": ("link", "links"),
    "docs": ("link to documentation", "links to documentation"),
    "gdoc": ("Google document", "Google documents"),
}


def title(count: int, selection: Selection) -> str:
    """The title of the index: `13 pull requests in pytorch/pytorch that match “vmap”`."""
    where = f" in {selection.one('repository')}" if selection.one("repository") else ""
    words = f" matching “{selection.one('q')}”" if selection.one("q") else ""
    return f"{counted(count, *NOUNS[selection.one('kind')])}{where}{words}"


MOST_CHOICES = 12
USED_LINKS = Link.objects.filter(USED)


@dataclass(frozen=True)
class Section:
    """The links of one kind on a page by their repositories ("" for none), with how many there are
    on all pages."""

    kind: str
    heading: str
    count: int
    groups: list[tuple[str, list[LinkEntry]]]


class LinkIndex(AppliedFilters):
    """The links that an address asks for."""

    q = ListFilter(forms.CharField, "with_words", max_length=LONGEST_QUERY)
    kind = ListFilter(forms.ChoiceField, choices=list(KINDS.items()))
    repository = ListFilter(KnownValue, model=Link, column="repository")
    podcast = InShow(EpisodeLink, "link")

    names = ("q", "kind", "repository", "podcast")

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, USED_LINKS.all())

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(query_words(self.selection.one("q"))) > MOST_TERMS:
            yield TOO_MANY_TERMS

    def ids(self) -> QuerySet[Link, int]:
        """By kind and repository, files by directory; else the most mentioned first."""
        order = (
            "kind_order",
            "kind",
            "heading",
            "directory",
            "-episode_count",
            "sort_key",
            "key",
        )
        links: QuerySet[Link] = self.narrowed()
        return links.order_by(*order).values_list("pk", flat=True)

    @property
    def total(self) -> int:
        """The number of links that pass every filter."""
        kind = self.selection.one("kind")
        return self.of_kind[kind] if kind else self.of_kind.total()

    def columns(self) -> list[tuple[str, list[FacetChoice]]]:
        """The choices beside the index."""
        kinds = facet(
            self.selection,
            "kind",
            [(kind, label, self.of_kind[kind]) for kind, label in KINDS.items()],
        )
        columns = (
            ("Kind", kinds),
            ("Repository", self.repositories()),
        )
        return [(name, lines) for name, lines in columns if lines]

    @cached_property
    def of_kind(self) -> Counter[str]:
        """The number of links of each kind, were none chosen."""
        # An index has the links in this order; PostgreSQL reads it alone where no row is named.
        rows = (
            self.narrowed("kind")
            .order_by()
            .values_list("kind_order", "kind")
            .annotate(n=Count("*"))
        )
        return Counter({kind: n for _, kind, n in rows})

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        asked = self.selection.all("repository")
        # An index has the links of a repository side by side.
        kept = self.narrowed("repository").filter(repository__gt="").values_list("repository")
        kept = kept.annotate(n=Count("*"))
        largest = kept.order_by("-n", "repository")[:MOST_CHOICES]
        # The chosen one stays among them.
        counts = dict.fromkeys(asked, 0) | dict([*largest, *kept.filter(repository__in=asked)])
        return facet(
            self.selection, "repository", [(name, name, count) for name, count in counts.items()]
        )

    def shown(self, page: Page[int]) -> dict[str, Any]:
        """A page of the index beside its filters. The search in the masthead is for episodes: what
        is asked of the links has names of its own."""
        asked = self.selection
        # Chips name what was chosen.
        shows = Podcast.objects.filter(slug__in=asked.all("podcast")).values_list("slug", "title")
        named = {("podcast", slug): title for slug, title in shows}
        named |= {("kind", kind): label for kind, label in KINDS.items()}
        named["q", asked.one("q")] = f"“{asked.one('q')}”"
        return {
            "chosen": asked,
            "asked": asked,
            "sought": asked.one("q"),
            "title": title(self.total, asked),
            "complaints": self.complaints(),
            "chips": chips(asked, named),
            "columns": self.columns(),
            "groups": [],
            "sections": self.sections(entries(page)),
            "query": asked.query(),
        }

    def sections(self, shown: Iterable[LinkEntry]) -> list[Section]:
        """The links of a page under their kinds, repositories and directories."""
        sections = []
        for kind, of_kind in groupby(shown, key=lambda entry: entry.link.kind):
            groups = groupby(of_kind, key=lambda entry: entry.link.heading)
            in_groups = [(repository, list(group)) for repository, group in groups]
            sections.append(Section(kind, KINDS.get(kind, kind), self.of_kind[kind], in_groups))
        return sections
