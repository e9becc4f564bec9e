"""The index of links: what it lists, in which order, how it is narrowed, and how many of each kind there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import QueryDict

from ...models import NAMED, Episode, EpisodeLink, Link, oldest
from ...search import MOST_TERMS
from ...site import Site
from ...text import link_labels
from ...text.link_labels import KINDS, followable, named
from ..lists.facets import Chip, FacetChoice, choices
from ..lists.filters import LONGEST_QUERY, TOO_MANY_TERMS, AppliedFilters, storable
from .mentions import episodes_here, own_page

NAMES = ("q", "kind", "repository")
# Of these a repository keeps so many that they stand under its name.
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
MOST_EPISODES = 3
MOST_REPOSITORIES = 12


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


class LinkForm(forms.Form):
    """What the index of links can be asked."""

    q = forms.CharField(required=False, max_length=LONGEST_QUERY, validators=[storable])
    kind = forms.ChoiceField(required=False, choices=list(KINDS.items()))
    repository = RepositoryField(required=False, max_length=200, validators=[storable])


@dataclass(frozen=True)
class LinkGroup:
    """A link before its page is fetched."""

    pk: int
    kind: str
    key: str
    title: str
    mentions: int

    @cached_property
    def repository(self) -> str:
        return link_labels.repository(self.key)

    @property
    def heading(self) -> str:
        """The repository under whose name it stands; "" where it stands under its kind."""
        return self.repository if self.kind in KEPT else ""


@dataclass(frozen=True)
class LinkEntry:
    """A link as the index shows it."""

    leads_to: str
    count: int
    own_page: str
    episodes: list[Episode]
    before: str = ""  # what of the name the heading above says already
    name: str = ""
    note: str = ""  # the place that keeps it; where a title is the name, the typed name
    look: str = ""  # "titled" or "code"; "" for a name that is neither


@dataclass(frozen=True)
class Section:
    """The links of one kind on a page, under their repositories; with how many there are on all pages."""

    kind: str
    heading: str
    count: int
    groups: list[tuple[str, list[LinkEntry]]]


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
    def found(self) -> list[LinkGroup]:
        """Every link that the words find, whatever its kind. All are read: the counts and the order need each."""
        rows = searched(self.selection.one("q")).filter(mentions__isnull=False).order_by()
        counted = rows.values_list("pk", "kind", "key", "title").annotate(n=Count("mentions__episode"))
        return [LinkGroup(*row) for row in counted]

    def narrowed(self, but: str = "") -> list[LinkGroup]:
        kind, kept_by = self.selection.one("kind"), self.selection.one("repository")
        return [
            link
            for link in self.found
            if (but == "kind" or kind in ("", link.kind)) and (but == "repository" or kept_by in ("", link.repository))
        ]

    def sorted(self) -> list[LinkGroup]:
        """By kind, within kinds that repositories keep by repository, the most mentioned first, then by name."""
        shown = self.narrowed()
        sizes = Counter((link.kind, link.heading) for link in shown)
        place = {kind: n for n, kind in enumerate(KINDS)}

        def order(link: LinkGroup) -> tuple[object, ...]:
            of_kind = (place.get(link.kind, len(place)), link.kind)
            of_repository = (-sizes[link.kind, link.heading], link.heading)
            return (*of_kind, *of_repository, -link.mentions, natural(link.title or named(link.key).name), link.key)

        return sorted(shown, key=order)

    def kinds(self) -> list[FacetChoice]:
        counts = Counter(link.kind for link in self.narrowed("kind"))
        return self._choices("kind", [(kind, label, counts[kind]) for kind, label in KINDS.items()])

    def repositories(self) -> list[FacetChoice]:
        """The repositories that keep the most, and the one chosen."""
        counts = Counter(link.repository for link in self.narrowed("repository") if link.repository)
        ordered = sorted(counts, key=lambda name: (-counts[name], name.lower()))
        chosen = self.selection.one("repository")
        shown = ordered[:MOST_REPOSITORIES] + ([chosen] if chosen and chosen not in ordered[:MOST_REPOSITORIES] else [])
        return self._choices("repository", [(name, name, counts[name]) for name in shown])

    def _choices(self, name: str, rows: list[tuple[str, str, int]]) -> list[FacetChoice]:
        asked = self.selection
        return choices(
            (
                label,
                count,
                asked.replaced(**{name: "" if value == asked.one(name) else value}),
                value == asked.one(name),
                "",
            )
            for value, label, count in rows
        )

    def chips(self) -> list[Chip]:
        """What is chosen, each with the address of the index without it."""
        words = {"q": "“{}”", "kind": "{}", "repository": "{}"}
        return [
            Chip(
                words[name].format(KINDS.get(value, value) if name == "kind" else value),
                self.selection.toggled(name, value).query(),
            )
            for name, value in self.selection.pairs()
        ]

    def sections(self, page: Sequence[LinkGroup], site: Site) -> list[Section]:
        """The links of a page under their kinds and repositories."""
        totals = Counter(link.kind for link in self.narrowed())
        shown = entries(page, site)
        found = []
        for kind, links in groupby(page, key=lambda link: link.kind):
            groups = [
                (name, [shown[link.pk] for link in group])
                for name, group in groupby(links, key=lambda link: link.heading)
            ]
            found.append(Section(kind, KINDS.get(kind, kind), totals[kind], groups))
        return found


def terms(words: str) -> list[str]:
    return list(dict.fromkeys(words.split()))


def searched(words: str) -> QuerySet[Link]:
    """The links that have each of the first words somewhere in key, kind, title or the addresses that publish them."""
    found = Link.objects.all()
    for word in terms(words)[:MOST_TERMS]:
        # No joins: a long query would need more of them than a database takes.
        addresses = EpisodeLink.objects.filter(url__icontains=word).order_by()
        found = found.filter(
            Q(key__icontains=word)
            | Q(kind__icontains=word)
            | Q(title__icontains=word)
            | Q(pk__in=addresses.values("link"))
        )
    return found


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts #260 before #13246, and any case alike."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,18})", name.lower())]


def entries(listed: Sequence[LinkGroup], site: Site) -> dict[int, LinkEntry]:
    """What the index shows of these links, by their row."""
    first = EpisodeLink.objects.select_related("episode").only("link", "url", *(f"episode__{f}" for f in NAMED))
    first = first.order_by(*oldest(not site.several, of="episode__"))
    rows = Link.objects.prefetch_related(Prefetch("mentions", first[:MOST_EPISODES], to_attr="first"))
    links = rows.defer("summary").in_bulk([link.pk for link in listed])
    here = episodes_here(link.key for link in listed)
    return {link.pk: _entry(links[link.pk], link.mentions, here.get(link.key)) for link in listed}


def _entry(link: Link, count: int, target: Episode | None) -> LinkEntry:
    mentions: list[EpisodeLink] = link.first  # type: ignore[attr-defined]
    entry = LinkEntry(
        leads_to=followable(mentions[0].url) if mentions else "",
        count=count,
        own_page=own_page(link.key) if count > 1 else "",
        episodes=[mention.episode for mention in mentions],
    )
    if target:
        return replace(entry, name=target.heading, leads_to=target.get_absolute_url(), look="titled")
    name = named(link.key)
    if link.title:
        return replace(entry, name=link.title, note=name.whole, look="titled")
    kept_by = link_labels.repository(link.key) if link.kind in KEPT else ""
    before = kept_by if name.name.startswith((f"{kept_by}#", f"{kept_by}@")) else ""
    return replace(
        entry,
        before=before,
        name=name.name.removeprefix(before),
        note="" if link.kind in KEPT else name.place,
        look="code" if link.key.startswith("gh:") else "",
    )


@dataclass(frozen=True)
class Published:
    """An address under which notes publish a link, and in how many episodes."""

    address: str
    leads_to: str
    count: int


def published(link: Link) -> list[Published]:
    """The addresses of a link, the most used first."""
    counts = link.mentions.order_by().values_list("url").annotate(n=Count("episode"))
    ordered: Iterator[tuple[str, int]] = iter(sorted(counts, key=lambda row: (-row[1], row[0])))
    return [Published(url, followable(url), count) for url, count in ordered]
