"""The index of symbols (names of code), and the page of a symbol."""

from collections.abc import Iterable
from dataclasses import dataclass

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from ..models import HAS_EPISODES, CodeMention, CodeName, Episode
from ..site import load_shows_and_sections
from ..text.formatting import format_count, format_episode_count
from .facets import share_of_largest
from .filters import AddressFilters, AddressParameter, letter_choices
from .rendering import load_page, render_list


class _SymbolIndex(AddressFilters):
    """The symbols with an episode that match the filters in an address."""

    letter = AddressParameter(
        forms.CharField, field_name="sort_name", lookup_expr="istartswith", max_length=1
    )


@require_safe
def symbol_index(request: HttpRequest) -> HttpResponse:
    index = _SymbolIndex(request.GET, CodeName.objects.filter(HAS_EPISODES))
    # `letter` is "" for a symbol that begins with a digit or sign, so these come first.
    page = load_page(request, index.filtered_rows().order_by("letter", "sort_name", "name"))
    largest = max((symbol.episode_count for symbol in page), default=0)
    symbols_with_shares = []
    for symbol in page:
        share = share_of_largest(symbol.episode_count, largest)
        symbols_with_shares.append((symbol, share))
    return render_list(
        request,
        "names",
        load_shows_and_sections(),
        page,
        title=format_count(page.paginator.count, "symbol", "symbols"),
        selection=index.selection,
        complaints=index.complaints(),
        letters=letter_choices(index, "sort_name"),
        symbols=symbols_with_shares,
    )


@dataclass(frozen=True)
class SymbolSentences:
    """An episode that uses a symbol, with the sentences that do."""

    episode: Episode
    sentences: list[str]


@require_safe
def symbol_page(request: HttpRequest, slug: str) -> HttpResponse:
    current_site = load_shows_and_sections()
    symbol = get_object_or_404(CodeName, slug=slug)
    mentions = CodeMention.objects.filter(name=symbol)
    episode_ids = mentions.order_by().values("episode")
    episodes = Episode.objects.filter(pk__in=episode_ids).with_name_columns()
    oldest_first = episodes.sorted_by("oldest", is_single_show=not current_site.several)
    page = load_page(request, oldest_first)
    return render_list(
        request,
        "name",
        current_site,
        page,
        symbol.get_absolute_url(),
        section="names",
        symbol=symbol,
        count=format_episode_count(page.paginator.count),
        uses=_sentences_by_episode(mentions, page),
    )


def _sentences_by_episode(
    mentions: QuerySet[CodeMention], episodes: Iterable[Episode]
) -> list[SymbolSentences]:
    uses_by_episode = {episode.pk: SymbolSentences(episode, []) for episode in episodes}
    # The page has the titles as headings above the sentences.
    outside_titles = mentions.filter(episode__in=uses_by_episode).exclude(field="title")
    with_sentence = outside_titles.exclude(sentence="").order_by("field", "position")
    for episode_id, sentence in with_sentence.values_list("episode", "sentence"):
        sentences = uses_by_episode[episode_id].sentences
        # A sentence may name the symbol twice.
        if sentence not in sentences:
            sentences.append(sentence)
    return list(uses_by_episode.values())
