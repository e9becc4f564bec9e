"""The index of links: what it lists, in which order, how it is narrowed, and how many of each kind
there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count, F, Min, Q, QuerySet, Value, Window
from django.db.models.functions import Concat, Lower, Substr
from django.http import QueryDict

from ...models import USED, EpisodeLink, Link
from ...search import MOST_TERMS
from ...text.link_labels import KINDS
from ..lists.facets import Chip, FacetChoice, facet
from ..lists.filters import LONGEST_QUERY, TOO_MANY_TERMS, AppliedFilters, storable
from .entries import LinkEntry

MOST_CHOICES = 12
CHIPS = {"q": "“{}”", "kind": "{}", "repository": "{}", "directory": "{}/"}


class LinkForm(forms.Form):
    """What the index of links can be asked."""

    q = forms.CharField(required=False, max_length=LONGEST_QUERY, validators=[storable])
    kind = forms.ChoiceField(required=False, choices=list(KINDS.items()))
    repository = forms.CharField(required=False, max_length=200, validators=[storable])
    directory = forms.CharField(required=False, max_length=1000, validators=[storable])

    def clean_repository(self) -> str:
        """A repository of which some link leads to something, in the catalog's spelling."""
        asked: str = self.cleaned_data["repository"]
        if not asked:
            return ""
        alike = (
            Link.objects.filter(USED).alias(folded=Lower("repository")).filter(folded=asked.lower())
        )
        spelled: str | None = alike.aggregate(first=Min("repository"))["first"]
        if spelled is None:
            raise ValidationError("no such repository")
        return spelled

    def clean_directory(self) -> str:
        """A directory of a repository that holds a linked file, at any depth:
        `pytorch/pytorch:torch/csrc`."""
        asked: str = self.cleaned_data["directory"].rstrip("/")
        if asked and not in_directory(Link.objects.filter(USED), asked).exists():
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

    names = tuple(CHIPS)

    def __init__(self, data: QueryDict) -> None:
        self.data, self.form = data, LinkForm(data)

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(terms(self.selection.one("q"))) > MOST_TERMS:
            yield TOO_MANY_TERMS

    def narrowed(self, **without: str) -> QuerySet[Link]:
        """The links that pass every filter, but for those that are given as ""."""
        asked = self.selection.replaced(**without)
        links = searched(asked.one("q"))
        if kind := asked.one("kind"):
            links = links.filter(kind=kind)
        if repository := asked.one("repository"):
            links = links.filter(repository=repository)
        if directory := asked.one("directory"):
            links = in_directory(links, directory)
        return links

    def ids(self) -> QuerySet[Link, int]:
        """By kind, the largest repository first; under a heading and in a directory the most
        mentioned first."""
        # Among the links that have some words, the largest repository has most of those.
        size = (
            Window(Count("pk"), partition_by=["kind", "heading"])
            if self.selection.one("q")
            else F("heading_size")
        )
        order = (
            "kind_order",
            "kind",
            "-size",
            "heading",
            "directory",
            "-episode_count",
            "sort_key",
            "key",
        )
        return self.narrowed().annotate(size=size).order_by(*order).values_list("pk", flat=True)

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
            self.narrowed(kind="")
            .order_by()
            .values_list("kind_order", "kind")
            .annotate(n=Count("pk"))
        )
        return Counter({kind: n for _, kind, n in rows})

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        asked = self.selection.all("repository")
        kept: Any = (
            self.narrowed(repository="").exclude(repository="").order_by().values_list("repository")
        )
        kept = kept.annotate(n=Count("pk"))
        largest = kept.order_by("-n", Lower("repository"))[:MOST_CHOICES]
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
        asked = self.selection
        return [
            Chip(
                CHIPS[name].format(KINDS[value] if name == "kind" else value),
                asked.toggled(name, value).query(),
            )
            for name, value in asked.pairs()
        ]

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


def in_directory(links: QuerySet[Link, Any], place: str) -> QuerySet[Link, Any]:
    """The source files in a directory, at any depth."""
    repository, _, directory = place.partition(":")
    begins = Substr(Concat("directory", Value("/")), 1, len(directory) + 1)
    return (
        links.exclude(directory="")
        .alias(begins=begins)
        .filter(repository=repository, begins=f"{directory}/")
    )


def terms(words: str) -> list[str]:
    return list(dict.fromkeys(words.split()))


def searched(words: str) -> QuerySet[Link]:
    """The links that have each of the first words somewhere in key, kind, title or the addresses
    that publish them."""
    links = Link.objects.filter(USED)
    for word in terms(words)[:MOST_TERMS]:
        # No joins: a long query would need more of them than a database takes.
        mentions = EpisodeLink.objects.filter(
            Q(url__icontains=word) | Q(text__icontains=word)
        ).order_by()
        links = links.filter(
            Q(key__icontains=word)
            | Q(kind__icontains=word)
            | Q(title__icontains=word)
            | Q(pk__in=mentions.values("link"))
        )
    return links
