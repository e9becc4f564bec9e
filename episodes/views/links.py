"""The links of an episode, each with its name and where it leads, shown once: in the running text of
its notes, or in the list below it, which takes the place of lists of nothing but links. And the
index of links as a page, as CSV and as Markdown: what it lists, in which order, how it is narrowed;
and the page of a link."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..models import MOST_TERMS, NAMED, USED, Episode, EpisodeLink, Link, LinkCheck, Podcast
from ..outputs import markdown
from ..site import site
from ..text.formatting import counted, episodes
from ..text.formulas import harmless
from ..text.link_labels import (
    KEPT,
    KINDS,
    ONE,
    LinkName,
    followable,
    named,
    telling,
    title_of_address,
)
from ..text.timecodes import timestamps
from ..text.vocabulary import Phrases, load
from .facets import chips, facet
from .filters import (
    LONGEST_QUERY,
    TOO_MANY_TERMS,
    AppliedFilters,
    InShow,
    KnownValue,
    ListFilter,
    Selection,
)
from .outputs import addresses_of, answer
from .page import PER_LIST, conditional, paged, paged_episodes, thing_page


@dataclass(frozen=True)
class LinkMention:
    """A link as the notes publish it, and the episode of the catalog that it leads to, if any."""

    link: Link
    published: str
    text: str
    target: Episode | None = None

    @property
    def title(self) -> str:
        return self.target.heading if self.target else self.link.title

    @property
    def telling_title(self) -> str:
        """Its title, else what its words or its address tell; "" for what has no name but its
        number or path."""
        if self.title or self.link.kind in KEPT:
            return self.title
        return telling(self.text) or title_of_address(self.link.key, self.link.kind, self.published)

    def place_beside(self, title: str) -> str:
        """What to say of its place where it has that title."""
        if title not in ("", self.name.name):
            return self.name.whole
        # The title of its page says neither its number nor its site.
        return self.name.place or (self.link.title and named(self.link.key).whole)

    @cached_property
    def name(self) -> LinkName:
        name, title = named(self.link.key), self.title
        return LinkName(title, name.place, title) if title else name

    @property
    def leads_to(self) -> str:
        """The episode's page, else the address that replaces the published one, else that; "" for
        what nobody should follow."""
        if self.target:
            return self.target.get_absolute_url()
        return followable(self.link.replacement or self.published)


def mentioned(rows: Iterable[EpisodeLink]) -> list[LinkMention]:
    """The links of an episode."""
    rows = list(rows)
    here = episodes_here(row.link.key for row in rows)
    return [LinkMention(row.link, row.url, row.text, here.get(row.link.key)) for row in rows]


def episodes_here(keys: Iterable[str]) -> dict[str, Episode]:
    """The episodes of the catalog that links lead to, by the keys of these."""
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    rows = Episode.objects.filter(slug__in=slugs).named().order_by()
    return {f"episode:{row.slug}": row for row in rows}


ORDER = [*KINDS]


@dataclass(frozen=True)
class ListedLink:
    """A link under a title that a person would give it, and beside this its kind and place."""

    title: str
    leads_to: str
    about: str
    is_code: bool
    elsewhere: int  # in how many other episodes it is mentioned
    own_page: str


def notes_and_links(
    html: str, mentions: Sequence[LinkMention], shown: Collection[str]
) -> tuple[str, list[ListedLink]]:
    """The notes without their lists of links, and the links that are nowhere in these, by kind;
    `shown` are the addresses to which other parts of the page lead."""
    addresses = {address for m in mentions for address in (m.published, m.leads_to)}
    notes, titles = without_lists(html, addresses)
    in_text = {str(anchor.attributes["href"]) for anchor in LexborHTMLParser(notes).css("a[href]")}
    elsewhere = in_text | {*shown}
    rest = [m for m in mentions if m.published not in in_text and m.leads_to not in elsewhere]
    rest.sort(key=lambda mention: ORDER.index(mention.link.kind))
    return notes, [_listed(mention, titles) for mention in rest]


def _listed(mention: LinkMention, titles: Mapping[str, str]) -> ListedLink:
    link, name, published = mention.link, mention.name, mention.published
    listed = titles.get(published) or titles.get(mention.leads_to)
    # A curator's label, else what a list of the notes calls it, else the words it is linked from.
    given = mention.title if link.labelled else listed or telling(mention.text)
    title = given or mention.title or title_of_address(link.key, link.kind, published) or name.name
    instead = f"instead of {published}" if link.replacement else ""
    # Notes that spell an address out have said its place with it: the title comes first, and goes.
    about = dict.fromkeys((title, ONE[link.kind], mention.place_beside(given), instead))
    return ListedLink(
        title,
        mention.leads_to,
        " · ".join(filter(None, [*about][1:])),
        link.key.startswith("gh:") and title == name.name,
        link.episode_count - 1,
        link.get_absolute_url(),
    )


SENTENCE_ENDS = (".", "?", "!", "…")
SEPARATORS = " \t\n:;,.–—-|→()"

# Words that announce a list of links and say nothing without it.
_LEAD = Phrases(
    load(__file__, "links")["leads"], before=r"(?:\A|(?<=[.?!…]))\s*", after=r"[.:]?\s*\Z"
)


def without_lists(html: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Sanitised notes without the lists of links to `known` addresses, and what these lists call
    them."""
    (body,) = LexborHTMLParser(html).css("body")
    titles: dict[str, str] = {}
    for block in body.css("body > ul, body > ol"):
        found = _titles(block)
        # A list with an address that the page would not show below stays where it is.
        if found and found.keys() <= set(known) and _take_lead_off(block):
            titles |= found
            block.decompose()
    # Notes without such a list keep their very bytes: the parser writes markup in its own way.
    return str(body.inner_html) if titles else html, titles


def _titles(block: LexborNode) -> dict[str, str]:
    """Address and title of each item of a list; nothing for a list in which an item says more than
    that."""
    found = {}
    for item in block.iter():
        links, text = item.css("a"), _plain(item)
        says_more = len(links) != 1 or not text.endswith(_plain(links[0]))
        # A time in the notes plays the episode from there, so a list of times stays.
        if says_more or timestamps(text, None):
            return {}
        words = [
            word for word in text.split() if not word.startswith(("http://", "https://", "www."))
        ]
        found[str(links[0].attributes["href"])] = " ".join(words).strip(SEPARATORS)
    return found


def _plain(node: LexborNode) -> str:
    return " ".join(node.text().split()).rstrip(SEPARATORS)


def _take_lead_off(block: LexborNode) -> bool:
    """True where a list has no heading of its own; words above it that only announce it are
    removed."""
    above = block.prev
    if above is None:
        return True
    text = above.text().strip()
    lead = _LEAD.pattern.search(text)
    if lead and not lead.start():
        above.decompose()
    elif lead and above.last_child is not None:
        # The paragraph goes on before the words that announce the list.
        above.last_child.replace_with(_LEAD.pattern.sub(lambda _: "", above.last_child.text()))
    return bool(lead) or text.endswith(SENTENCE_ENDS)


# -- the index of links ----------------------------------------------------------------------------

MOST_EPISODES = 8
MENTION_COLUMNS = (
    "url",
    "text",
    "link__key",
    "link__kind",
    "link__title",
    "link__replacement",
    "link__repository",
    "link__heading",
    "link__directory",
    "link__episode_count",
    *(f"episode__{name}" for name in NAMED),
)


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it."""

    link: Link
    leads_to: str
    title: str  # "" for what has no name but its number or path
    label: str
    note: str  # the site or typed name of what has a title
    look: str  # "titled" or "code"; "" for a name that is neither
    episodes: list[Episode]


def entries(ids: Iterable[int], most: int = MOST_EPISODES) -> list[LinkEntry]:
    """Links by their ids, with the first episodes that mention them, those of the first show first;
    without those that nothing mentions any more."""
    ids = list(ids)
    order = ("episode__podcast__rank", "episode__order")
    # A slice for each link would need a query for each.
    place = Window(RowNumber(), partition_by="link", order_by=order)
    rows = (
        EpisodeLink.objects.filter(link__in=ids)
        .select_related("link", "episode")
        .only(*MENTION_COLUMNS)
    )
    first: dict[int, list[EpisodeLink]] = {}
    for mention in rows.annotate(place=place).filter(place__lte=most).order_by("place"):
        first.setdefault(mention.link_id, []).append(mention)
    here = episodes_here(mentions[0].link.key for mentions in first.values())
    return [_entry(first[pk], here) for pk in ids if pk in first]


def _entry(mentions: Sequence[EpisodeLink], here: Mapping[str, Episode]) -> LinkEntry:
    link, first, name = mentions[0].link, mentions[0], named(mentions[0].link.key)
    mention = LinkMention(link, first.url, first.text, here.get(link.key))
    title, note = mention.telling_title, ""
    if title and not mention.target:
        # One word, such as "autograd" or "notes", is the title of many pages of a site.
        note = (" " in title and name.place) or name.whole
    return LinkEntry(
        link,
        mention.leads_to,
        title,
        title or name.whole,
        note,
        "titled" if title else "code" if link.key.startswith("gh:") else "",
        [mention.episode for mention in mentions],
    )


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


class LinkIndex(AppliedFilters):
    """The links that an address asks for."""

    q = ListFilter(forms.CharField, "with_words", max_length=LONGEST_QUERY)
    kind = ListFilter(forms.ChoiceField, choices=list(KINDS.items()))
    repository = ListFilter(KnownValue, model=Link, column="repository")
    podcast = InShow(EpisodeLink, "link")

    def _complaints(self) -> Iterator[str]:
        yield from super()._complaints()
        if len(set(self.selection.one("q").split())) > MOST_TERMS:
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

    def sections(self, shown: Iterable[LinkEntry]) -> list[dict[str, Any]]:
        """The links of a page under their kinds, with how many of each there are on all pages, and
        their repositories ("" for none)."""
        sections = []
        for kind, of_kind in groupby(shown, key=lambda entry: entry.link.kind):
            groups = groupby(of_kind, key=lambda entry: entry.link.heading)
            sections.append(
                {
                    "kind": kind,
                    "heading": KINDS.get(kind, kind),
                    "count": self.of_kind[kind],
                    "groups": [(repository, list(group)) for repository, group in groups],
                }
            )
        return sections


COLUMNS = ("kind", "key", "title", "url", "repository", "directory", "episode_count", "episodes")
escaped = markdown.escaped
Whole = Callable[[str], str]  # an address with the site's own before it


def _line(entry: LinkEntry, whole: Whole) -> str:
    name, more = escaped(entry.label), entry.link.episode_count - len(entry.episodes)
    # In angle brackets, because Markdown ends an address at an unpaired parenthesis.
    link = f"[{name}](<{whole(entry.leads_to)}>)" if entry.leads_to else name
    note = f" ({escaped(entry.note)})" if entry.note else ""
    episodes = ", ".join(
        f"[{escaped(f'{episode.numbering} {episode.heading}'.strip())}]"
        f"({whole(episode.get_absolute_url())})"
        for episode in entry.episodes
    )
    return f"- {link}{note}: {episodes}{f' and {more} more' if more else ''}"


# Links in a file, and for each the most episodes that mention it.
PER_FILE = 200
MOST_IN_FILES = 20


@require_safe
def links(request: HttpRequest) -> HttpResponse:
    """Everything the notes point to, by kind and repository."""
    index = LinkIndex(request.GET, USED_LINKS)
    page, asked = paged(request, index.ids(), count=index.total), index.selection
    kinds = [(kind, label, index.of_kind[kind]) for kind, label in KINDS.items()]
    wanted = asked.all("repository")
    # An index has the links of a repository side by side.
    kept = index.narrowed("repository").filter(repository__gt="").values_list("repository")
    kept = kept.annotate(n=Count("*"))
    largest = kept.order_by("-n", "repository")[:MOST_CHOICES]
    # The chosen one stays among the largest.
    counts = dict.fromkeys(wanted, 0) | dict([*largest, *kept.filter(repository__in=wanted)])
    repositories = [(name, name, count) for name, count in counts.items()]
    columns = (
        ("Kind", facet(asked, "kind", kinds)),
        ("Repository", facet(asked, "repository", repositories)),
    )
    # Chips name what was chosen.
    shows = Podcast.objects.filter(slug__in=asked.all("podcast")).values_list("slug", "title")
    labels = {("podcast", slug): title for slug, title in shows}
    labels |= {("kind", kind): label for kind, label in KINDS.items()}
    labels["q", asked.one("q")] = f"“{asked.one('q')}”"
    # The search in the masthead is for episodes: what is asked of the links has names of its own.
    return thing_page(
        request,
        "links",
        site(),
        page,
        chosen=asked,
        asked=asked,
        sought=asked.one("q"),
        title=title(index.total, asked),
        complaints=index.complaints(),
        chips=chips(asked, labels),
        columns=[(name, lines) for name, lines in columns if lines],
        groups=[],
        sections=index.sections(entries(page)),
        query=asked.query(),
    )


@require_safe
@conditional
def links_csv(request: HttpRequest) -> HttpResponse:
    """The index of links as a table, 200 links a page; episodes are slugs with a space between
    them."""
    _, page, following = _file(request, "links-csv")
    whole, out = addresses_of(request), io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries(page, MOST_IN_FILES):
        link, slugs = entry.link, " ".join(episode.slug for episode in entry.episodes)
        address = entry.leads_to and whole(entry.leads_to)
        told = (link.kind, link.key, entry.label, address, link.repository, link.directory)
        # Titles are of strangers, and a spreadsheet would run one that begins as a formula.
        writer.writerow(map(harmless, (*told, str(link.episode_count), slugs)))
    return answer(out.getvalue(), "text/csv; charset=utf-8", following)


@require_safe
@conditional
def links_markdown(request: HttpRequest) -> HttpResponse:
    """The index of links as Markdown, 200 links a page: under their kinds, each with the episodes
    that mention it."""
    index, page, following = _file(request, "links-markdown")
    whole = addresses_of(request)
    lines = [f"# {escaped(title(page.paginator.count, index.selection))}", ""]
    for section in index.sections(entries(page, MOST_IN_FILES)):
        lines += [f"## {escaped(section['heading'])} ({section['count']})", ""]
        lines += [_line(entry, whole) for _, group in section["groups"] for entry in group]
        lines.append("")
    if following:
        lines += [f"[More links]({following})", ""]
    return answer("\n".join(lines), markdown.KIND, following)


def _file(request: HttpRequest, view: str) -> tuple[LinkIndex, Page[int], str]:
    """The index, the page of it that a file holds, and the address of the next."""
    index = LinkIndex(request.GET, USED_LINKS)
    page = paged(request, index.ids(), PER_FILE, index.total)
    following = request.build_absolute_uri(reverse(view) + index.selection.query(page.number + 1))
    return index, page, following if page.has_next() else ""


@require_safe
def link(request: HttpRequest) -> HttpResponse:
    """One link: its addresses, what is known of it, and the episodes that mention it, oldest
    first."""
    key, of_site = request.GET.get("key", ""), site()
    rows = Link.objects.filter(key=key)
    entry = next(iter(entries(rows.values_list("pk", flat=True))), None)
    if entry is None:
        raise Http404("There is no such link.")
    link, name = entry.link, named(key)
    # Not only listed ones: pages that say where a link occurs keep both versions of an episode.
    mentioning = Episode.objects.filter(mentions__link=link).sorted_by(
        "oldest", one_show=not of_site.several
    )
    page = paged_episodes(request, of_site, mentioning.values_list("pk", flat=True), PER_LIST)
    published = (
        EpisodeLink.objects.filter(link=link)
        .values_list("url")
        .annotate(n=Count("pk"))
        .order_by("-n", "url")
    )
    return thing_page(
        request,
        "link",
        of_site,
        page,
        reverse("link"),
        Selection({"key": (key,)}, ("key",)),
        section="links",
        link=link,
        kind=ONE.get(link.kind, link.kind),
        name=name,
        typed="://" not in key,
        heading=entry.title or name.name,
        is_code=entry.look == "code",
        repository=link.repository,
        check=LinkCheck.objects.filter(key=key).first(),
        addresses=[(url, followable(url), count) for url, count in published],
        replacement=followable(link.replacement),
        count=episodes(page.paginator.count),
    )
