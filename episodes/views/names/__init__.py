"""The symbols: names of code that titles and notes use, each with the sentences that use it."""

from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from ...models import USED, CodeMention, CodeName, Episode
from ...site import site
from ...text.formatting import episodes
from ..lists.facets import share
from ..lists.filters import AppliedFilters, ListFilter
from ..pages import paged
from ..shared import Index, letters, thing_page


class SymbolSentences(NamedTuple):
    """An episode that uses a symbol, with its sentences."""

    episode: Episode
    sentences: list[str]


class NameIndex(AppliedFilters):
    """The names of code that an address asks for: those that titles or notes use."""

    letter = ListFilter(
        forms.CharField, field_name="sort_name", lookup_expr="istartswith", max_length=1
    )

    names = ("letter",)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, CodeName.objects.filter(USED))

    def rows(self) -> QuerySet[CodeName]:
        """The symbols that begin with a letter."""
        found: QuerySet[CodeName] = self.narrowed()
        return found.order_by("letter", "sort_name", "name")

    def shown(self, page: Page[CodeName]) -> dict[str, Any]:
        """The names of a page with their shares of the most used, beside the letters of all."""
        most = max((row.episode_count for row in page), default=1)
        return {
            "chosen": self.selection,
            "complaints": self.complaints(),
            "letters": letters(self, "sort_name"),
            "names": [(row, share(row.episode_count, most)) for row in page],
        }


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """All symbols, or those of a letter."""
    index = NameIndex(request.GET)
    return Index("names", ("symbol", "symbols"), index.rows, index.shown)(request)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    of_site = site()
    symbol = get_object_or_404(CodeName, slug=slug)
    mentions = CodeMention.objects.filter(name=symbol)
    using = Episode.objects.filter(pk__in=mentions.order_by().values("episode"))
    page = paged(request, using.named().sorted_by("oldest", one_show=not of_site.several))
    sentences: dict[int, dict[str, None]] = {episode.pk: {} for episode in page}
    # The title is the heading above the sentences.
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
