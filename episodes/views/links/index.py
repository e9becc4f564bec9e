"""The index of links: what it lists, in which order, how it is narrowed, and how many of each kind there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import QueryDict

from ...models import EpisodeLink, Link
from ...search import MOST_TERMS
from ...text.link_labels import KINDS
from ..lists.facets import Chip, FacetChoice, choices
from ..lists.filters import LONGEST_QUERY, TOO_MANY_TERMS, AppliedFilters, storable
from .entries import LinkEntry
from .table import LinkPlace, LinkRow, LinkRows, LinkTable, Segments

NAMES = ("q", "kind", "repository", "directory")
MOST_CHOICES = 12


class LinkForm(forms.Form):
    """What the index of links can be asked."""

    q = forms.CharField(required=False, max_length=LONGEST_QUERY, validators=[storable])
    kind = forms.ChoiceField(required=False, choices=list(KINDS.items()))
    repository = forms.CharField(required=False, max_length=200, validators=[storable])
    directory = forms.CharField(required=False, max_length=1000, validators=[storable])

    def __init__(self, data: QueryDict, places: Callable[[], Iterable[LinkPlace]]) -> None:
        super().__init__(data)
        self.places = places

    def clean_repository(self) -> str:
        """A repository of which some link leads to something, in the catalog's spelling."""
        asked: str = self.cleaned_data["repository"]
        names = (place.repository for place in self.places() if place.repository.lower() == asked.lower())
        found = min(names, default="") if asked else ""
        if asked and not found:
            raise ValidationError("no such repository")
        return found

    def clean_directory(self) -> str:
        """A directory of a repository that holds a linked file, at any depth: `pytorch/pytorch:torch/csrc`."""
        asked: str = self.cleaned_data["directory"].rstrip("/")
        known = ":" in asked and any(place.directory and place.is_in(asked) for place in self.places())
        if asked and not known:
            raise ValidationError("no such directory")
        return asked


@dataclass(frozen=True)
class LinkGroup:
    """The links of a repository, of source files those in one directory; both "" for links of no repository."""

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

    names = NAMES

    def __init__(self, data: QueryDict) -> None:
        self.data = data
        self.form = LinkForm(data, lambda: self.all.segments)

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(terms(self.selection.one("q"))) > MOST_TERMS:
            yield TOO_MANY_TERMS

    @cached_property
    def all(self) -> LinkTable:
        return LinkTable(Link.objects.all())

    @cached_property
    def found(self) -> LinkTable:
        """Every link that the words find, whatever its kind."""
        words = self.selection.one("q")
        return LinkTable(searched(words)) if words else self.all

    def narrowed(self, but: str = "") -> Segments:
        """The links that pass every filter, the one named in `but` aside."""
        kind, repository, directory = ("" if name == but else self.selection.one(name) for name in NAMES[1:])
        if not (kind or repository or directory):
            return self.found.segments
        return {
            place: ranks
            for place, ranks in self.found.segments.items()
            if kind in ("", place.kind)
            and repository in ("", place.repository)
            and (not directory or place.is_in(directory))
        }

    def sorted(self) -> LinkRows:
        return LinkRows(self.found, self.narrowed())

    def columns(self) -> list[tuple[str, list[FacetChoice]]]:
        makers = (("Kind", self.kinds), ("Repository", self.repositories), ("Directory", self.directories))
        return [(name, found) for name, make in makers if (found := make())]

    def kinds(self) -> list[FacetChoice]:
        counts = count((place.kind, ranks) for place, ranks in self.narrowed("kind").items())
        return self._choices("kind", [(kind, label, counts[kind]) for kind, label in KINDS.items()])

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        within = self.narrowed("repository")
        counts = count((place.repository, ranks) for place, ranks in within.items() if place.repository)
        shown = most(counts)
        chosen = self.selection.one("repository")
        if chosen and chosen not in shown:
            shown.append(chosen)
        return self._choices("repository", [(name, name, counts[name]) for name in shown])

    def directories(self) -> list[FacetChoice]:
        """The directories one step below the one chosen, which leads the list; the uppermost where none is chosen."""
        chosen = self.selection.one("directory")
        within = {place: ranks for place, ranks in self.narrowed("directory").items() if place.directory}
        counts = count((step, ranks) for place, ranks in within.items() if (step := _step(place, chosen)))
        rows = [(name, f"{name.rpartition('/')[2]}/", counts[name]) for name in most(counts)]
        if chosen:
            here = sum(len(ranks) for place, ranks in within.items() if place.is_in(chosen))
            rows.insert(0, (chosen, f"{chosen.partition(':')[2]}/", here))
        elif not self.selection.one("repository"):
            rows = [(name, f"{name.replace(':', '/', 1)}/", count) for name, _, count in rows]
        else:
            rows = [(name, f"{name.partition(':')[2]}/", count) for name, _, count in rows]
        return self._choices("directory", rows)

    def _choices(self, name: str, rows: list[tuple[str, str, int]]) -> list[FacetChoice]:
        asked = self.selection
        return choices(
            (
                label,
                count,
                asked.replaced(**{name: "" if value == asked.one(name) else value}).query(),
                value == asked.one(name),
                "",
            )
            for value, label, count in rows
        )

    def chips(self) -> list[Chip]:
        """What is chosen, each with the address of the index without it."""
        words = {"q": "“{}”", "kind": "{}", "repository": "{}", "directory": "{}/"}
        return [
            Chip(
                words[name].format(KINDS.get(value, value) if name == "kind" else value),
                self.selection.toggled(name, value).query(),
            )
            for name, value in self.selection.pairs()
        ]

    def sections(self, page: Sequence[LinkRow], shown: dict[int, LinkEntry]) -> list[Section]:
        """The links of a page under their kinds, repositories and directories, without those that were deleted meanwhile."""
        totals = count((place.kind, ranks) for place, ranks in self.narrowed().items())
        found = []
        for kind, links in groupby((link for link in page if link.pk in shown), key=lambda link: link.kind):
            groups = [
                LinkGroup(*place, [shown[link.pk] for link in group])
                for place, group in groupby(links, key=lambda link: (link.heading, link.directory))
            ]
            found.append(Section(kind, KINDS.get(kind, kind), totals[kind], groups))
        return found


def most(counts: Counter[str]) -> list[str]:
    """The names that count most, those of equal counts by name."""
    return sorted(counts, key=lambda name: (-counts[name], name.lower()))[:MOST_CHOICES]


def count(rows: Iterable[tuple[str, Sized]]) -> Counter[str]:
    """How many links there are under each name."""
    counts: Counter[str] = Counter()
    for name, links in rows:
        counts[name] += len(links)
    return counts


def _step(place: LinkPlace, chosen: str) -> str:
    """The directory that leads from the chosen one towards a file; "" for a file elsewhere, or right in it."""
    whole = f"{place.repository}:{place.directory}"
    base = f"{chosen}/" if chosen else f"{place.repository}:"
    step = whole.removeprefix(base).partition("/")[0]
    return base + step if whole.startswith(base) else ""


def terms(words: str) -> list[str]:
    return list(dict.fromkeys(words.split()))


def searched(words: str) -> QuerySet[Link]:
    """The links that have each of the first words somewhere in key, kind, title or the addresses that publish them."""
    found = Link.objects.all()
    for word in terms(words)[:MOST_TERMS]:
        # No joins: a long query would need more of them than a database takes.
        mentions = EpisodeLink.objects.filter(Q(url__icontains=word) | Q(text__icontains=word)).order_by()
        found = found.filter(
            Q(key__icontains=word)
            | Q(kind__icontains=word)
            | Q(title__icontains=word)
            | Q(pk__in=mentions.values("link"))
        )
    return found
