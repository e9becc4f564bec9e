"""The symbols: names of code that titles and notes use, each with the sentences that use it."""

from __future__ import annotations

from itertools import accumulate, groupby
from typing import Any, NamedTuple

from django.core.paginator import Page
from django.db.models import Count, Max, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from ...models import USED, CodeMention, CodeName, Episode
from ...site import site
from ...text.formatting import episodes
from ..lists.facets import share
from ..pages import page_at, paged
from ..shared import Index, thing_page

SIGNS = "0–9"


class SymbolSentences(NamedTuple):
    """An episode that uses a symbol, with its sentences."""

    episode: Episode
    sentences: list[str]


def of_names() -> QuerySet[CodeName]:
    """The names of code that titles or notes use, by their first letters."""
    return CodeName.objects.filter(USED).order_by("letter", "sort_name", "name")


def by_letter(page: Page[CodeName]) -> dict[str, Any]:
    """All letters with their places, and the names of a page beneath theirs."""
    rows = of_names().order_by("letter").values_list("letter")
    letters = list(rows.annotate(n=Count("pk"), most=Max("episode_count")))
    headings = {letter: (letter or SIGNS, number) for number, (letter, *_) in enumerate(letters, 1)}
    begins = zip(headings, accumulate((n for _, n, _ in letters), initial=0), strict=False)
    most = max((most for *_, most in letters), default=1)
    return {
        "letters": [(*headings[letter], page_at(place, page)) for letter, place in begins],
        "groups": [
            (*headings[letter], [(row, share(row.episode_count, most)) for row in group])
            for letter, group in groupby(page, key=lambda row: row.letter)
        ],
    }


names = require_safe(Index("names", ("symbol", "symbols"), of_names, by_letter))


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
    return thing_page(
        request,
        "name",
        of_site,
        page,
        symbol.get_absolute_url(),
        section="names",
        name=symbol,
        count=episodes(page.paginator.count),
        uses=[SymbolSentences(episode, list(sentences[episode.pk])) for episode in page],
    )
