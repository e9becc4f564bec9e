"""The index of links: what it lists, in which order, how it is narrowed, and how many of each kind there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from ...models import CatalogVersion, EpisodeLink, Link
from ...search import MOST_TERMS
from ...text import link_labels
from ...text.link_labels import KINDS
from ..lists.facets import Chip, FacetChoice, choices
from ..lists.filters import LONGEST_QUERY, TOO_MANY_TERMS, AppliedFilters, storable
from .entries import KEPT, LinkEntry

NAMES = ("q", "kind", "repository", "directory")
MOST_CHOICES = 12


class RepositoryField(forms.CharField):
    """A repository of which some link leads to something, in the catalog's spelling."""

    def clean(self, value: str | None) -> str:
        asked = super().clean(value) or ""
        if not asked:
            return ""
        within = Q(key__iexact=f"gh:{asked}")
        for sign in ":#@/":
            within |= Q(key__istartswith=f"gh:{asked}{sign}")
        key = Link.objects.filter(within).order_by("key").values_list("key", flat=True).first()
        if not key or link_labels.repository(key).lower() != asked.lower():
            raise ValidationError("no such repository")
        return link_labels.repository(key)


class DirectoryField(forms.CharField):
    """A directory of a repository that holds a linked file, at any depth: `pytorch/pytorch:torch/csrc`."""

    def clean(self, value: str | None) -> str:
        asked = (super().clean(value) or "").rstrip("/")
        below = f"gh:{asked}/"
        # SQLite's LIKE takes letters of any case.
        keys = Link.objects.filter(key__startswith=below).values_list("key", flat=True).iterator() if asked else ()
        if asked and (":" not in asked or not any(key.startswith(below) for key in keys)):
            raise ValidationError("no such directory")
        return asked


class LinkForm(forms.Form):
    """What the index of links can be asked."""

    q = forms.CharField(required=False, max_length=LONGEST_QUERY, validators=[storable])
    kind = forms.ChoiceField(required=False, choices=list(KINDS.items()))
    repository = RepositoryField(required=False, max_length=200, validators=[storable])
    directory = DirectoryField(required=False, max_length=1000, validators=[storable])


@dataclass(frozen=True)
class LinkRow:
    """A link before its page is fetched."""

    pk: int
    kind: str
    key: str
    mentions: int

    @cached_property
    def repository(self) -> str:
        return link_labels.repository(self.key)

    @property
    def heading(self) -> str:
        """The repository under whose name it is listed; "" where it is listed under its kind."""
        return self.repository if self.kind in KEPT else ""

    @cached_property
    def directory(self) -> str:
        return link_labels.directory(self.key)

    @cached_property
    def natural(self) -> list[tuple[int, str]]:
        return natural(self.key)

    def is_in(self, directory: str) -> bool:
        return self.key.startswith(f"gh:{directory}/")


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
        self.form = LinkForm(data)

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(terms(self.selection.one("q"))) > MOST_TERMS:
            yield TOO_MANY_TERMS

    @cached_property
    def found(self) -> list[LinkRow]:
        """Every link that the words find, whatever its kind. All are read: the counts and the order need each."""
        words = self.selection.one("q")
        version = "" if words else CatalogVersion.seen()
        return every_link(version) if version else counted(words)

    def narrowed(self, but: str = "") -> list[LinkRow]:
        chosen = {name: "" if name == but else self.selection.one(name) for name in NAMES}
        return [
            link
            for link in self.found
            if chosen["kind"] in ("", link.kind)
            and chosen["repository"] in ("", link.repository)
            and (not chosen["directory"] or link.is_in(chosen["directory"]))
        ]

    def sorted(self) -> list[LinkRow]:
        """By kind, repository and directory, the largest repository first; then the most mentioned, then by key."""
        shown = self.narrowed()
        sizes = Counter((link.kind, link.heading) for link in shown)
        place = {kind: n for n, kind in enumerate(KINDS)}

        def order(link: LinkRow) -> tuple[object, ...]:
            of_kind = (place.get(link.kind, len(place)), link.kind)
            of_group = (-sizes[link.kind, link.heading], link.heading, link.directory)
            return (*of_kind, *of_group, -link.mentions, link.natural, link.key)

        return sorted(shown, key=order)

    def kinds(self) -> list[FacetChoice]:
        counts = Counter(link.kind for link in self.narrowed("kind"))
        return self._choices("kind", [(kind, label, counts[kind]) for kind, label in KINDS.items()])

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        counts = Counter(link.repository for link in self.narrowed("repository") if link.repository)
        shown = most(counts)
        chosen = self.selection.one("repository")
        if chosen and chosen not in shown:
            shown.append(chosen)
        return self._choices("repository", [(name, name, counts[name]) for name in shown])

    def directories(self) -> list[FacetChoice]:
        """The directories one step below the one chosen, which leads the list; the uppermost where none is chosen."""
        chosen = self.selection.one("directory")
        within = [link for link in self.narrowed("directory") if link.directory]
        counts = Counter(filter(None, (_step(link, chosen) for link in within)))
        rows = [(name, f"{name.rpartition('/')[2]}/", counts[name]) for name in most(counts)]
        if chosen:
            rows.insert(0, (chosen, f"{chosen.partition(':')[2]}/", sum(link.is_in(chosen) for link in within)))
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
        """The links of a page under their kinds, repositories and directories."""
        totals = Counter(link.kind for link in self.narrowed())
        found = []
        for kind, links in groupby(page, key=lambda link: link.kind):
            groups = [
                LinkGroup(*place, [shown[link.pk] for link in group])
                for place, group in groupby(links, key=lambda link: (link.heading, link.directory))
            ]
            found.append(Section(kind, KINDS.get(kind, kind), totals[kind], groups))
        return found


def most(counts: Counter[str]) -> list[str]:
    """The names that count most, those of equal counts by name."""
    return sorted(counts, key=lambda name: (-counts[name], name.lower()))[:MOST_CHOICES]


def _step(link: LinkRow, chosen: str) -> str:
    """The directory that leads from the chosen one towards a file; "" for a file elsewhere, or right in it."""
    whole = f"{link.repository}:{link.directory}"
    base = f"{chosen}/" if chosen else f"{link.repository}:"
    step = whole.removeprefix(base).partition("/")[0]
    return base + step if whole.startswith(base) else ""


@lru_cache(maxsize=1)
def every_link(version: str) -> list[LinkRow]:
    """All links of a version of the catalog: to read and to part their keys costs more than the page that shows some."""
    return counted("")


def counted(words: str) -> list[LinkRow]:
    """The links that the words find, each with its number of episodes."""
    rows = searched(words).filter(mentions__isnull=False).order_by()
    return [LinkRow(*row) for row in rows.values_list("pk", "kind", "key").annotate(n=Count("mentions__episode"))]


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


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts #260 before #13246, and any case alike."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,18})", name.lower())]
