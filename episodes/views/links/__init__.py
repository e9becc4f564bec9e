"""The index of links, and the page of a link."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Link
from ...site import site
from ...text.formatting import episodes
from ...text.link_labels import KINDS, ONE, named, repository
from ..lists.selection import Selection
from ..pages import UNSHOWN, page_links, paged
from .index import LinkIndex, published
from .title import title


@require_safe
def links(request: HttpRequest) -> HttpResponse:
    """Everything the notes point to, by kind and by repository."""
    index, of_site = LinkIndex(request.GET), site()
    asked = index.selection
    page = paged(request, index.sorted())
    # The search in the masthead is for episodes: what is asked of the links has names of its own.
    context = page_links(request, page, reverse("links"), asked) | {
        "section": "links",
        "asked": asked,
        "sought": asked.one("q"),
        "title": title(page.paginator.count, asked),
        "complaints": index.complaints(),
        "chips": index.chips(),
        "columns": [("Kind", index.kinds()), ("Repository", index.repositories())],
        "site": of_site,
        "sections": index.sections(list(page.object_list), of_site),
    }
    return render(request, "episodes/links.html", context)


@require_safe
def link(request: HttpRequest) -> HttpResponse:
    """One link: its addresses, what is known of it, and the episodes that mention it, oldest first."""
    key = request.GET.get("key", "")
    # PostgreSQL takes no NUL.
    if not key or "\x00" in key:
        raise Http404("There is no such link.")
    found = get_object_or_404(Link.objects.filter(mentions__isnull=False).distinct(), key=key)
    of_site = site()
    mentioning = Episode.objects.filter(pk__in=found.mentions.order_by().values("episode"))
    mentioning = mentioning.sorted_by("oldest", one_show=not of_site.several)
    page = paged(request, mentioning.for_list().defer(*UNSHOWN))
    name = named(key)
    context = page_links(request, page, reverse("link"), Selection({"key": (key,)}, ("key",))) | {
        "section": "links",
        "site": of_site,
        "words": "",
        "link": found,
        "kind": ONE.get(found.kind, found.kind),
        "kinds": found.kind if found.kind in KINDS else "",
        "name": name,
        "typed": "://" not in key,
        "heading": found.title or name.name,
        "is_code": key.startswith("gh:") and not found.title,
        "repository": repository(key),
        "addresses": published(found),
        "count": episodes(page.paginator.count),
    }
    return render(request, "episodes/link.html", context)
