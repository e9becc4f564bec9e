"""The symbols: names of code that titles and notes use, each with the sentences that use it."""

from __future__ import annotations

from itertools import accumulate, groupby
from typing import NamedTuple

from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from ...models import USED, CodeMention, CodeName, Episode
from ...site import site
from ...text.formatting import counted, episodes
from ..lists.facets import share
from ..page import show_page
from ..pages import page_at, page_links, paged
from ..shared import index_page

SIGNS = "0–9"


class SymbolSentences(NamedTuple):
    """An episode that uses a symbol, with its sentences."""

    episode: Episode
    sentences: list[str]


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """The names of code that titles or notes use, by their first letters."""
    rows = CodeName.objects.filter(USED)
    page = paged(request, rows.order_by("letter", "sort_name", "name"))
    letters = list(
        rows.order_by("letter")
        .values_list("letter")
        .annotate(n=Count("pk"), most=Max("episode_count"))
    )
    numbers = {letter: number for number, (letter, *_) in enumerate(letters, 1)}
    begins = zip(numbers, accumulate((n for _, n, _ in letters), initial=0), strict=False)
    most = max((most for *_, most in letters), default=1)
    groups = groupby(page, key=lambda row: row.letter)
    return index_page(
        request,
        "names",
        site(),
        page,
        counted(page.paginator.count, "symbol", "symbols"),
        letters=[
            (letter or SIGNS, numbers[letter], page_at(place, page)) for letter, place in begins
        ],
        groups=[
            (
                letter or SIGNS,
                numbers[letter],
                [(row, share(row.episode_count, most)) for row in group],
            )
            for letter, group in groups
        ],
    )


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    of_site = site()
    symbol = get_object_or_404(CodeName, slug=slug)
    mentions = CodeMention.objects.filter(name=symbol)
    using = Episode.objects.filter(pk__in=mentions.order_by().values("episode"))
    page = paged(request, using.named().sorted_by("oldest", one_show=not of_site.several))
    sentences: dict[int, dict[str, None]] = {episode.pk: {} for episode in page}
    on_page = mentions.filter(episode__in=sentences).exclude(field="title").exclude(sentence="")
    for episode, sentence in on_page.order_by("field", "position").values_list(
        "episode", "sentence"
    ):
        sentences[episode][sentence] = None
    context = page_links(request, page, symbol.get_absolute_url()) | {
        "section": "names",
        "site": of_site,
        "name": symbol,
        "count": episodes(page.paginator.count),
        "uses": [SymbolSentences(episode, list(sentences[episode.pk])) for episode in page],
    }
    return show_page(request, "episodes/name.html", context)
