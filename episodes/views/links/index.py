"""The index of links: what it lists, in which order, how it is narrowed, and how many of each kind
there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Lower
from django.http import QueryDict

from ...models import USED, Link, query_words
from ...search import MOST_TERMS
from ...text.link_labels import KINDS
from ..lists.facets import Chip, FacetChoice, chips, facet
from ..lists.filters import LONGEST_QUERY, TOO_MANY_TERMS, AppliedFilters, ListFilter, storable
from .entries import LinkEntry

MOST_CHOICES = 12
USED_LINKS = Link.objects.filter(USED)


class KnownRepository(forms.CharField):
    """A repository of which some link leads to something, in the catalog's spelling."""

    def clean(self, value: str | None) -> str:
        asked: str = super().clean(value)
        alike = USED_LINKS.alias(folded=Lower("repository")).filter(folded=asked.lower())
        spelled: str | None = alike.aggregate(first=Min("repository"))["first"] if asked else ""
        if spelled is None:
            raise ValidationError("no such repository")
        return spelled


class KnownDirectory(forms.CharField):
    """A directory of a repository that holds a linked file, at any depth:
    `pytorch/pytorch:torch/csrc`."""

    def clean(self, value: str | None) -> str:
        asked: str = super().clean(value).rstrip("/")
        if asked and not USED_LINKS.in_directory(asked).exists():
            raise ValidationError("no such directory")
        return asked


@dataclass(frozen=True)
class LinkGroup:
    """The links of a repository, of source files those in one directory; both "" for links of no
    repository."""

    repository: str
    directory: str
    entries: list[LinkEntry]


@dataclass(frozen=True)
class Section:
    """The links of one kind on a page in their groups, with how many there are on all pages."""

    kind: str
    heading: str
    count: int
    groups: list[LinkGroup]


class LinkIndex(AppliedFilters):
    """The links that an address asks for."""

    q = ListFilter(forms.CharField, "with_words", max_length=LONGEST_QUERY, validators=[storable])
    kind = ListFilter(forms.ChoiceField, choices=list(KINDS.items()))
    repository = ListFilter(KnownRepository, max_length=200, validators=[storable])
    directory = ListFilter(KnownDirectory, "in_directory", max_length=1000, validators=[storable])

    names = ("q", "kind", "repository", "directory")

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, USED_LINKS.all())

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(query_words(self.selection.one("q"))) > MOST_TERMS:
            yield TOO_MANY_TERMS

    def ids(self) -> QuerySet[Link, int]:
        """By kind and repository; under a heading and in a directory the most mentioned first."""
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
        """How many links pass every filter."""
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
            ("Directory", self.directories()),
        )
        return [(name, lines) for name, lines in columns if lines]

    @cached_property
    def of_kind(self) -> Counter[str]:
        """How many links of each kind there are, were none chosen."""
        # An index has the links in this order.
        rows = (
            self.narrowed("kind")
            .order_by()
            .values_list("kind_order", "kind")
            .annotate(n=Count("pk"))
        )
        return Counter({kind: n for _, kind, n in rows})

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        asked = self.selection.all("repository")
        # An index has the links of a repository side by side.
        kept = self.narrowed("repository").filter(repository__gt="").values_list("repository")
        kept = kept.annotate(n=Count("pk"))
        largest = kept.order_by("-n", "repository")[:MOST_CHOICES]
        counts = dict([*largest, *kept.filter(repository__in=asked)])
        counts |= {name: 0 for name in asked if name not in counts}
        return facet(
            self.selection, "repository", [(name, name, count) for name, count in counts.items()]
        )

    def directories(self) -> list[FacetChoice]:
        """The directories one step below the one chosen, which leads the list; the uppermost where
        none is chosen."""
        chosen, repository = self.selection.one("directory"), self.selection.one("repository")
        counts: Counter[str] = Counter()
        files = (
            self.narrowed().exclude(directory="").order_by().values_list("repository", "directory")
        )
        for kept_by, directory, n in files.annotate(n=Count("pk")):
            path = f"{kept_by}:{directory}/"
            # Right in the chosen directory no further "/" follows: -1 is the one at its end.
            counts[path[: path.find("/", len(chosen or kept_by) + 1)]] += n
        above = f"{chosen}/" if chosen else repository and f"{repository}:"
        here = [(chosen, f"{chosen.partition(':')[2]}/", counts.total())] if chosen else []
        del counts[chosen]
        steps = [
            (name, f"{name.removeprefix(above).replace(':', '/', 1)}/", counts[name])
            for name in most(counts)
        ]
        return facet(self.selection, "directory", here + steps)

    def chips(self) -> list[Chip]:
        """What is chosen, each with the address of the index without it."""
        named = {("kind", kind): label for kind, label in KINDS.items()}
        directory = self.selection.one("directory")
        return chips(self.selection, named | {("directory", directory): f"{directory}/"})

    def sections(self, shown: Iterable[LinkEntry]) -> list[Section]:
        """The links of a page under their kinds, repositories and directories."""
        sections = []
        for kind, entries in groupby(shown, key=lambda entry: entry.link.kind):
            groups = groupby(entries, key=lambda entry: (entry.link.heading, entry.link.directory))
            in_groups = [LinkGroup(*place, list(group)) for place, group in groups]
            sections.append(Section(kind, KINDS.get(kind, kind), self.of_kind[kind], in_groups))
        return sections


def most(counts: Counter[str]) -> list[str]:
    """The names that count most, those of equal counts by name."""
    return sorted(counts, key=lambda name: (-counts[name], name.lower()))[:MOST_CHOICES]
