"""The index of links, as a page, as CSV and as Markdown, and the page of a link."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import (
    HAS_EPISODES,
    MAX_QUERY_TERMS,
    NAME_COLUMNS,
    Episode,
    EpisodeLink,
    Link,
    LinkCheck,
    Podcast,
    subjects_in_several_shows,
)
from ..outputs import Absolute, markdown, render_csv
from ..site import load_shows_and_sections
from ..text.formatting import format_count, format_episode_count
from ..text.link_labels import (
    LINK_KIND_NAMES,
    LINK_KIND_PLURALS,
    LinkName,
    link_name_of_key,
    safe_href,
)
from .episode_links import LinkMention, episodes_by_link_key
from .facets import (
    Facet,
    FacetChoice,
    active_filters,
    choices_of_single_value_filter,
    with_alternatives,
)
from .filters import (
    MAX_QUERY_LENGTH,
    TOO_MANY_TERMS,
    AddressFilters,
    AddressParameter,
    KnownValueField,
    ShowParameter,
)
from .rendering import (
    CARDS_PER_PAGE,
    load_page,
    load_page_of_episodes,
    next_page_address,
    render_list,
)
from .responses import absolute_url_builder, conditional_get, shared_answer
from .selection import Selection


class LinkIndex(AddressFilters):
    """The links that match the filters in an address."""

    q = AddressParameter(forms.CharField, "with_all_words", max_length=MAX_QUERY_LENGTH)
    kind = AddressParameter(forms.ChoiceField, choices=list(LINK_KIND_PLURALS.items()))
    repository = AddressParameter(KnownValueField, model=Link, column="repository")
    podcast = ShowParameter(EpisodeLink, "link")
    shared = AddressParameter(
        forms.ChoiceField, "in_several_shows", choices=[("1", "In several shows")]
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, Link.objects.filter(HAS_EPISODES))

    def _iterate_complaints_about_ignored_values(self) -> Iterator[str]:
        yield from super()._iterate_complaints_about_ignored_values()
        if len(set(self.selection.first("q").split())) > MAX_QUERY_TERMS:
            yield TOO_MANY_TERMS

    def ordered_ids(self) -> QuerySet[Link, int]:
        order = (
            "kind_order",
            "kind",
            "heading",
            "directory",
            "-episode_count",
            "sort_key",
            "key",
        )
        links: QuerySet[Link] = self.filtered_rows()
        return links.order_by(*order).values_list("pk", flat=True)

    @property
    def total(self) -> int:
        kind = self.selection.first("kind")
        return self.link_counts_by_kind[kind] if kind else self.link_counts_by_kind.total()

    @cached_property
    def link_counts_by_kind(self) -> Counter[str]:
        # Grouped by both first columns of an index, so that PostgreSQL reads the index alone.
        links = self.filtered_rows(ignoring={"kind"}).values_list("kind_order", "kind")
        counts = Counter[str]()
        for _kind_order, kind, count in links.annotate(links=Count("*")):
            counts[kind] = count
        return counts

    def title(self) -> str:
        """Return the title: `13 pull requests in pytorch/pytorch matching “vmap”`."""
        title = format_count(self.total, *self._singular_and_plural_of_kind())
        if self.selection.first("shared"):
            title += " in several shows"
        repository = self.selection.first("repository")
        if repository:
            title += f" in {repository}"
        words = self.selection.first("q")
        if words:
            title += f" matching “{words}”"
        return title

    def _singular_and_plural_of_kind(self) -> tuple[str, str]:
        kind = self.selection.first("kind")
        # The names of kinds are headings. Within a line "Pull request" is "pull request".
        usual_nouns = (
            LINK_KIND_NAMES.get(kind, "").lower(),
            LINK_KIND_PLURALS.get(kind, "").lower(),
        )
        special_nouns = {
            "": ("link", "links"),  # without a selected kind
            "docs": ("link to documentation", "links to documentation"),
            "gdoc": ("Google document", "Google documents"),
        }
        return special_nouns.get(kind, usual_nouns)

    def group_by_kind_and_repository(self, entries: Iterable["LinkEntry"]) -> list["LinkSection"]:
        """Group the links of a page by kind, then by repository. The links come in this order."""
        sections = []
        for kind, entries_of_kind in groupby(entries, key=lambda entry: entry.link.kind):
            by_repository = []
            # The heading of a link is its repository, such as `pytorch/xla`, or "" outside of any.
            for repository, group in groupby(entries_of_kind, key=lambda entry: entry.link.heading):
                by_repository.append((repository, list(group)))
            heading = LINK_KIND_PLURALS.get(kind, kind)
            # The page may have only a part of them.
            count_of_all_pages = self.link_counts_by_kind[kind]
            sections.append(LinkSection(kind, heading, count_of_all_pages, by_repository))
        return sections


@dataclass(frozen=True)
class LinkEntry:
    """A link with the first episodes that mention it."""

    link: Link
    leads_to: str
    title: str  # "" if it has no name but its number or path
    label: str
    site: str  # beside a title: the site or repository
    style: str  # "titled", "code" or ""
    episodes: list[Episode]


@dataclass(frozen=True)
class LinkSection:
    """The links of one kind on a page."""

    kind: str
    heading: str
    count: int  # of all pages
    by_repository: list[tuple[str, list[LinkEntry]]]  # the repository is "" for other links


def load_link_entries(link_ids: Iterable[int], max_episodes_per_link: int = 8) -> list[LinkEntry]:
    """Return links with the first episodes that mention them. Leave out links without an episode."""
    link_ids = list(link_ids)
    mentions_by_link = _load_first_mentions_by_link(link_ids, max_episodes_per_link)
    # A link may lead to an episode of this site.
    targets = episodes_by_link_key(mentions[0].link.key for mentions in mentions_by_link.values())
    entries = []
    for link_id in link_ids:
        if link_id in mentions_by_link:
            entries.append(_build_link_entry(mentions_by_link[link_id], targets))
    return entries


def _load_first_mentions_by_link(
    link_ids: Sequence[int], max_mentions_per_link: int
) -> Mapping[int, list[EpisodeLink]]:
    # The mentions of each link are numbered 1, 2, 3, … by show, and in a show from the oldest episode on.
    # A slice for each link would need a query for each.
    by_show_then_oldest_first = ("episode__podcast__rank", "episode__order")
    number_in_link = Window(RowNumber(), partition_by="link", order_by=by_show_then_oldest_first)
    columns = (
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
        *(f"episode__{name}" for name in NAME_COLUMNS),
        "episode__podcast__language",
    )
    all_mentions = EpisodeLink.objects.filter(link__in=link_ids)
    all_mentions = all_mentions.select_related("link", "episode__podcast")
    numbered = all_mentions.only(*columns).annotate(number_in_link=number_in_link)
    first_mentions = numbered.filter(number_in_link__lte=max_mentions_per_link)
    mentions_by_link: defaultdict[int, list[EpisodeLink]] = defaultdict(list)
    for mention in first_mentions.order_by("number_in_link"):
        mentions_by_link[mention.link_id].append(mention)
    return mentions_by_link


def _build_link_entry(
    mentions: Sequence[EpisodeLink], targets_by_key: Mapping[str, Episode]
) -> LinkEntry:
    """Return one link with its episodes. The first of its mentions gives its address and text.

    `targets_by_key` has the episodes of the catalog that links lead to.
    """
    first_mention = mentions[0]
    link = first_mention.link
    target = targets_by_key.get(link.key)
    mention = LinkMention(link, first_mention.url, first_mention.text, target)
    title = mention.descriptive_title
    name = link_name_of_key(link.key)
    style = ""
    if title:
        style = "titled"
    elif link.key.startswith("gh:"):
        style = "code"  # the name is a path or number of a repository
    return LinkEntry(
        link=link,
        leads_to=mention.leads_to,
        title=title,
        label=title or name.full_name,
        site=_site_beside_title(mention, title, name),
        style=style,
        episodes=[episode_link.episode for episode_link in mentions],
    )


def _site_beside_title(mention: LinkMention, title: str, name: LinkName) -> str:
    """Return the site or repository to print beside a title; "" if the title needs none.

    If the title says too little, it is the full name: "example.org/notes" beside "notes".
    """
    # A link without a title is labelled with its full name, which has the site.
    is_labelled_with_full_name = title in ("", name.full_name)
    # An episode of the catalog is on this site.
    is_on_this_site = mention.target is not None
    if is_labelled_with_full_name or is_on_this_site:
        return ""
    # One word, such as "autograd" or "notes", is the title of many pages of a site.
    is_distinctive = " " in title
    if is_distinctive and name.location:
        return name.location
    return name.full_name


@require_safe
def link_index(request: HttpRequest) -> HttpResponse:
    index = LinkIndex(request.GET)
    page = load_page(request, index.ordered_ids(), row_count=index.total)
    selection = index.selection
    facets = with_alternatives(
        Facet("Kind", _kind_choices(index)),
        Facet("Repository", _repository_choices(index)),
    )
    current_site = load_shows_and_sections()
    shared = None
    # Only the start of the index has no parameters.
    if current_site.several and not request.GET:
        shared = _load_top_shared_links_and_total()
    return render_list(
        request,
        "links",
        current_site,
        page,
        shared=shared,
        selection=selection,
        title=index.title(),
        complaints=index.complaints(),
        chips=active_filters(selection, _labels_by_parameter_value_pair(selection)),
        facets=facets,
        topic_groups=[],  # beside a list of episodes only
        sections=index.group_by_kind_and_repository(load_link_entries(page)),
        query=selection.query(),
    )


@dataclass(frozen=True)
class SharedLink:
    """A link in several shows, with the number of its episodes in each."""

    entry: LinkEntry
    counts_by_show: list[tuple[Podcast, int]]


class SharedLinks(NamedTuple):
    """The links in the most shows, and how many links are in several."""

    links: list[SharedLink]
    total: int


def _load_top_shared_links_and_total() -> SharedLinks:
    most_shows_first = subjects_in_several_shows(Link.objects.all())
    ids = list(most_shows_first.values_list("pk", flat=True)[:20])
    counts_by_link = _episode_counts_of_shows_by_link(ids)
    links = []
    # Entries come in the order of the ids. The first episode gives the address and text of a link.
    for entry in load_link_entries(ids, max_episodes_per_link=1):
        links.append(SharedLink(entry, counts_by_link[entry.link.pk]))
    return SharedLinks(links, total=most_shows_first.count())


def _episode_counts_of_shows_by_link(
    link_ids: Sequence[int],
) -> Mapping[int, list[tuple[Podcast, int]]]:
    # By the id of a link, its shows with their numbers of episodes, the show with the most first.
    counts_by_link: defaultdict[int, list[tuple[Podcast, int]]] = defaultdict(list)
    shows = Podcast.objects.in_bulk()
    mentions = EpisodeLink.objects.filter(link__in=link_ids, episode__listed=True).order_by()
    by_link_and_show = mentions.values_list("link", "episode__podcast")
    counted = by_link_and_show.annotate(episodes=Count("episode", distinct=True))
    for link_id, show_id, count in counted.order_by("-episodes", "episode__podcast"):
        counts_by_link[link_id].append((shows[show_id], count))
    return counts_by_link


def _kind_choices(index: LinkIndex) -> list[FacetChoice]:
    return choices_of_single_value_filter(
        index.selection, "kind", LINK_KIND_PLURALS, index.link_counts_by_kind
    )


def _repository_choices(index: LinkIndex) -> list[FacetChoice]:
    selected = index.selection.all("repository")
    # Links outside of repositories have "". With ">" the database finds all others in an index, unlike with "!=".
    links_of_repositories = index.filtered_rows(ignoring={"repository"}).filter(repository__gt="")
    # Pairs of a repository and its number of links.
    by_repository = links_of_repositories.values_list("repository")
    repositories_with_counts = by_repository.annotate(links=Count("*"))
    most_linked_first = repositories_with_counts.order_by("-links", "repository")
    selected_with_counts = repositories_with_counts.filter(repository__in=selected)
    # The selected repository comes first, with 0 if none of its links passes the other filters.
    counts_by_repository = dict.fromkeys(selected, 0)
    counts_by_repository.update(selected_with_counts)
    # Beside a list twelve choices are enough.
    counts_by_repository.update(most_linked_first[:12])
    labels = {repository: repository for repository in counts_by_repository}
    return choices_of_single_value_filter(
        index.selection, "repository", labels, counts_by_repository
    )


def _labels_by_parameter_value_pair(selection: Selection) -> dict[tuple[str, str], str]:
    labels = {("shared", "1"): "In several shows"}
    shows = Podcast.objects.filter(slug__in=selection.all("podcast"))
    for slug, title in shows.values_list("slug", "title"):
        labels["podcast", slug] = title
    # Each filter below has one value if it is in force, and `all` is empty if it is not.
    for kind in selection.all("kind"):
        labels["kind", kind] = LINK_KIND_PLURALS[kind]
    for words in selection.all("q"):
        labels["q", words] = f"“{words}”"
    return labels


@dataclass(frozen=True)
class _LinkFile:
    """A page of the index as a file, with up to 20 episodes of each link."""

    index: LinkIndex
    entries: list[LinkEntry]
    next_address: str  # "" on the last page

    @classmethod
    def load(cls, request: HttpRequest, view_name: str) -> "_LinkFile":
        """Load the page of the index that the address asks for. `view_name` names the view of the next one."""
        index = LinkIndex(request.GET)
        page: Page[int] = load_page(
            request, index.ordered_ids(), per_page=LINKS_PER_FILE, row_count=index.total
        )
        next_address = next_page_address(request, page, reverse(view_name), index.selection)
        return cls(index, load_link_entries(page, max_episodes_per_link=20), next_address)


LINKS_PER_FILE = 200
LINK_COLUMNS = (
    "kind",
    "key",
    "title",
    "url",
    "repository",
    "directory",
    "episode_count",
    "episodes",
)


@require_safe
@conditional_get
def links_csv(request: HttpRequest) -> HttpResponse:
    file = _LinkFile.load(request, "links-csv")
    absolute = absolute_url_builder(request)
    rows = []
    for entry in file.entries:
        link = entry.link
        address = absolute(entry.leads_to)
        slugs = " ".join(episode.slug for episode in entry.episodes)
        # In the order of LINK_COLUMNS.
        link_columns = (link.kind, link.key, entry.label, address, link.repository, link.directory)
        rows.append((*link_columns, str(link.episode_count), slugs))
    text = render_csv(LINK_COLUMNS, rows)
    return shared_answer(text, "text/csv; charset=utf-8", file.next_address)


@require_safe
@conditional_get
def links_markdown(request: HttpRequest) -> HttpResponse:
    file = _LinkFile.load(request, "links-markdown")
    absolute = absolute_url_builder(request)
    lines = [f"# {markdown.escape_markdown(file.index.title())}", ""]
    for section in file.index.group_by_kind_and_repository(file.entries):
        lines += [f"## {markdown.escape_markdown(section.heading)} ({section.count})", ""]
        for _, entries in section.by_repository:
            lines += [_link_as_markdown_line(entry, absolute) for entry in entries]
        lines.append("")
    if file.next_address:
        lines += [f"[More links]({file.next_address})", ""]
    return shared_answer("\n".join(lines), markdown.CONTENT_TYPE, file.next_address)


def _link_as_markdown_line(entry: LinkEntry, make_absolute: Absolute) -> str:
    """Return a link with its episodes as an item of a list: `- [Title](<address>) (site): [1 One](…)`."""
    label = markdown.escape_markdown(entry.label)
    line = f"- {label}"
    if entry.leads_to:
        # In angle brackets, because Markdown ends an address at an unpaired parenthesis.
        address = markdown.escape_address(make_absolute(entry.leads_to))
        line = f"- [{label}](<{address}>)"
    if entry.site:
        line += f" ({markdown.escape_markdown(entry.site)})"
    episode_links = [
        _episode_as_markdown_link(episode, make_absolute) for episode in entry.episodes
    ]
    line += f": {', '.join(episode_links)}"
    # The entry has the first episodes of a link.
    omitted_count = entry.link.episode_count - len(entry.episodes)
    if omitted_count:
        line += f" and {omitted_count} more"
    return line


def _episode_as_markdown_link(episode: Episode, make_absolute: Absolute) -> str:
    title = f"{episode.numbering} {episode.heading}".strip()
    address = make_absolute(episode.get_absolute_url())
    return f"[{markdown.escape_markdown(title)}]({address})"


class PublishedAddress(NamedTuple):
    """An address that notes have for a link, and the number of episodes with it."""

    address: str
    leads_to: str  # "" if it is not safe to follow
    episode_count: int


@require_safe
def link_page(request: HttpRequest) -> HttpResponse:
    key = request.GET.get("key", "")
    current_site = load_shows_and_sections()
    entries = load_link_entries(Link.objects.filter(key=key).values_list("pk", flat=True))
    if not entries:
        raise Http404("There is no such link.")
    entry = entries[0]
    link = entry.link
    # Episodes that lists hide are here, too: both versions of an episode mention the link.
    mentioning = Episode.objects.filter(mentions__link=link)
    mentioning = mentioning.sorted_by("oldest", is_single_show=not current_site.several)
    episode_ids = mentioning.values_list("pk", flat=True)
    page = load_page_of_episodes(request, current_site, episode_ids, CARDS_PER_PAGE)
    link_name = link_name_of_key(key)
    return render_list(
        request,
        "link",
        current_site,
        page,
        reverse("link"),
        Selection({"key": (key,)}, parameters=("key",)),
        section="links",
        link=link,
        kind=LINK_KIND_NAMES.get(link.kind, link.kind),
        name=link_name,
        has_short_key="://" not in key,  # such as arxiv:1706.03762, which is shown beside the title
        heading=entry.title or link_name.name,
        is_code=entry.style == "code",
        repository=link.repository,
        check=LinkCheck.objects.filter(key=key).first(),
        addresses=_published_addresses_with_counts(link),
        replacement=safe_href(link.replacement),
        count=format_episode_count(page.paginator.count),
    )


def _published_addresses_with_counts(link: Link) -> list[PublishedAddress]:
    mentions = EpisodeLink.objects.filter(link=link)
    counted = mentions.values_list("url").annotate(episodes=Count("pk"))
    addresses = []
    for address, count in counted.order_by("-episodes", "url"):
        addresses.append(PublishedAddress(address, safe_href(address), count))
    return addresses
