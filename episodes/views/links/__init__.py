"""The index of links, and the page of a link."""

from django.core.paginator import Page
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import condition, require_safe

from ...models import Episode, EpisodeLink, Link, LinkCheck
from ...outputs import markdown
from ...site import site
from ...text.formatting import episodes
from ...text.link_labels import KINDS, ONE, followable, named
from ..etag import changed_at, etag
from ..lists.selection import Selection
from ..outputs import addresses_of, answer
from ..pages import PER_LIST, paged, paged_episodes
from ..shared import Index, thing_page
from . import files
from .entries import entries
from .index import NOUNS, LinkIndex, title

# Links in a file, and for each the most episodes that mention it.
PER_FILE = 200
MOST_IN_FILES = 20


@require_safe
def links(request: HttpRequest) -> HttpResponse:
    """Everything the notes point to, by kind and repository."""
    index = LinkIndex(request.GET)
    return Index("links", NOUNS[""], index.ids, index.shown, count=index.total)(request)


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
def links_csv(request: HttpRequest) -> HttpResponse:
    """The index of links as a table, 200 links a page."""
    _, page, following = _file(request, "links-csv")
    shown = entries(page, MOST_IN_FILES)
    return answer(files.as_csv(shown, addresses_of(request)), "text/csv; charset=utf-8", following)


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
def links_markdown(request: HttpRequest) -> HttpResponse:
    """The index of links as Markdown, 200 links a page."""
    index, page, following = _file(request, "links-markdown")
    heading = title(page.paginator.count, index.selection)
    sections = index.sections(entries(page, MOST_IN_FILES))
    text = files.as_markdown(heading, sections, following, addresses_of(request))
    return answer(text, markdown.KIND, following)


def _file(request: HttpRequest, view: str) -> tuple[LinkIndex, Page[int], str]:
    """The index, the page of it that a file holds, and the address of the next."""
    index = LinkIndex(request.GET)
    page = paged(request, index.ids(), PER_FILE, index.total)
    following = request.build_absolute_uri(reverse(view) + index.selection.query(page.number + 1))
    return index, page, following if page.has_next() else ""


@require_safe
def link(request: HttpRequest) -> HttpResponse:
    """One link: its addresses, what is known of it, and the episodes that mention it, oldest
    first."""
    key, of_site = request.GET.get("key", ""), site()
    # PostgreSQL takes no NUL.
    rows = Link.objects.none() if "\x00" in key else Link.objects.filter(key=key)
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
        kinds=link.kind if link.kind in KINDS else "",
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
