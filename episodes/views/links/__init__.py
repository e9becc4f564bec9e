"""The index of links, and the page of a link."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import condition, require_safe

from ...models import EpisodeLink, Link, oldest
from ...outputs import markdown
from ...site import Site, site
from ...text.formatting import episodes
from ...text.link_labels import KINDS, ONE, followable, named, repository
from ..etag import changed_at, etag
from ..lists.selection import Selection
from ..outputs import addresses_of, answer
from ..page import show_page
from ..pages import page_links, paged, paged_episodes
from . import files
from .entries import MOST_EPISODES, FirstMention, entries, title_of
from .index import LinkIndex
from .published import published
from .title import title

# Links in a file, and for each the most episodes that mention it.
PER_FILE = 200
MOST_IN_FILES = 20


@require_safe
def links(request: HttpRequest) -> HttpResponse:
    """Everything the notes point to, by kind, repository and directory."""
    index, of_site = LinkIndex(request.GET), site()
    asked = index.selection
    found = index.sorted()
    page = paged(request, found)
    rows = list(page.object_list)
    shown = entries({row.pk: row.mentions for row in rows}, of_site)
    # The search in the masthead is for episodes: what is asked of the links has names of its own.
    context = page_links(request, page, reverse("links"), asked) | {
        "section": "links",
        "asked": asked,
        "sought": asked.one("q"),
        "title": title(page.paginator.count, asked),
        "complaints": index.complaints(),
        "chips": index.chips(),
        "columns": index.columns(),
        "groups": [],
        "site": of_site,
        "sections": index.sections(rows, shown),
        "query": asked.query(),
    }
    return show_page(request, "episodes/links.html", context)


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
def links_csv(request: HttpRequest) -> HttpResponse:
    """The index of links as a table, 200 links a page."""
    return _file(request, "links-csv", "text/csv; charset=utf-8")


@require_safe
@condition(etag_func=etag, last_modified_func=changed_at)
def links_markdown(request: HttpRequest) -> HttpResponse:
    """The index of links as Markdown, 200 links a page."""
    return _file(request, "links-markdown", markdown.KIND)


def _file(request: HttpRequest, view: str, content_type: str) -> HttpResponse:
    index = LinkIndex(request.GET)
    page = paged(request, index.sorted(), PER_FILE)
    rows = list(page.object_list)
    shown = entries({row.pk: row.mentions for row in rows}, site(), MOST_IN_FILES)
    whole = addresses_of(request)
    following = whole(reverse(view) + index.selection.query(page.number + 1)) if page.has_next() else ""
    if view == "links-csv":
        text = files.as_csv([shown[row.pk] for row in rows if row.pk in shown], whole)
    else:
        heading = title(page.paginator.count, index.selection)
        text = files.as_markdown(heading, index.sections(rows, shown), following, whole)
    return answer(text, content_type, following)


@require_safe
def link(request: HttpRequest) -> HttpResponse:
    """One link: its addresses, what is known of it, and the episodes that mention it, oldest first."""
    key = request.GET.get("key", "")
    of_site = site()
    found, mentions = _mentioned(key, of_site)
    page = paged_episodes(request, list(mentions))
    name = named(key)
    heading = title_of(found, lambda: first_mentions(found))
    context = page_links(request, page, reverse("link"), Selection({"key": (key,)}, ("key",))) | {
        "section": "links",
        "site": of_site,
        "link": found,
        "kind": ONE.get(found.kind, found.kind),
        "kinds": found.kind if found.kind in KINDS else "",
        "name": name,
        "typed": "://" not in key,
        "heading": heading or name.name,
        "is_code": key.startswith("gh:") and not heading,
        "repository": repository(key),
        "addresses": published(mentions.values()),
        "replacement": followable(found.replacement),
        "count": episodes(page.paginator.count),
    }
    return show_page(request, "episodes/link.html", context)


def _mentioned(key: str, of_site: Site) -> tuple[Link, dict[int, str]]:
    """The link, and the episodes that mention it, the oldest first, each with the address that it gives.

    Raises:
        Http404: there is no such link.
    """
    # PostgreSQL takes no NUL.
    found = Link.objects.filter(key=key).first() if "\x00" not in key else None
    order = oldest(not of_site.several, of="episode__")
    rows = EpisodeLink.objects.filter(link=found).order_by(*order).values_list("episode_id", "url") if found else ()
    mentions = dict(rows)
    if found is None or not mentions:
        raise Http404("There is no such link.")
    return found, mentions


def first_mentions(link: Link) -> list[FirstMention]:
    """The first mentions of a link, those of the first show first."""
    rows = EpisodeLink.objects.filter(link=link).order_by("episode__podcast__rank", "episode")
    return [FirstMention(*row) for row in rows.values_list("url", "text", "episode__podcast_id")[:MOST_EPISODES]]
