"""The page that plays the moments of a search, a topic or a person, one after another."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, Person
from ..site import load_shows_and_sections
from .episode_filter import EpisodeFilter
from .moments import (
    TimedMoment,
    find_curated_and_spoken_moments,
    find_playable_moments_naming_person,
    playable_moments,
    summarize_moments,
)
from .rendering import CARDS_PER_PAGE, load_cards, render_page
from .search_reasons import first_playable_moments, result_reasons_by_episode


@require_safe
def moments_page(request: HttpRequest) -> HttpResponse:
    playlist = load_playlist_of_filtered_moments(request.GET)
    selection = playlist.filters.selection
    context = {
        "section": "episodes",
        "playlist": playlist,
        "summary": summarize_moments(playlist.moments),
        "complaints": playlist.filters.complaints(),
        "canonical": request.build_absolute_uri(reverse("moments") + selection.query()),
        "words": selection.first("q"),
        "new_path_address": _new_path_address(request, selection.query()),
    }
    return render_page(request, "episodes/moments.html", context)


def _new_path_address(request: HttpRequest, query: str) -> str:
    """Return the address of the form for a learning path with these moments; "" for readers."""
    # Without a session no user is looked up, so that the page can be cached.
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    if has_session and request.user.is_staff:
        return reverse("admin:episodes_learningpath_add") + query
    return ""


@dataclass(frozen=True)
class MomentPlaylist:
    """Moments with sound, and the page whose moments they are."""

    filters: EpisodeFilter
    title: str
    page: str  # its address
    moments: Sequence[TimedMoment] = ()

    def initial_learning_path_steps(self) -> list[dict[str, str]]:
        reason_by_slug: dict[str, str] = {}
        for moment in self.moments:
            words = "".join(moment.text)
            # An episode is one step of a path. Its first moment is the reason.
            reason_by_slug.setdefault(moment.episode.slug, f"{moment.time_range}: “{words}”")
        return [{"episode": slug, "why": reason} for slug, reason in reason_by_slug.items()]


def load_playlist_of_filtered_moments(filter_parameters: QueryDict) -> MomentPlaylist:
    """Return the moments of a search, else of the first topic, else of the person. Without any it is empty."""
    filters = EpisodeFilter(filter_parameters).with_order_or_corrected_words()
    topic_slug = filters.selection.first("topic")
    person_slug = filters.selection.first("person")
    if filters.is_search:
        title = f"Moments with “{filters.selection.first('q')}”"
        page = reverse("episodes") + filters.selection.query()
        return MomentPlaylist(filters, title, page, _find_search_moments(filters))
    if topic_slug:
        topic = filters.topics[topic_slug]
        moments = playable_moments(find_curated_and_spoken_moments(topic))
        title = f"Moments about {topic.name}"
        return MomentPlaylist(filters, title, topic.get_absolute_url(), moments)
    if person_slug:
        person = Person.objects.get(slug=person_slug)
        moments = find_playable_moments_naming_person(person)
        title = f"Moments that name {person.name}"
        return MomentPlaylist(filters, title, person.get_absolute_url(), moments)
    return MomentPlaylist(filters, "Moments", reverse("episodes"))


def _find_search_moments(filters: EpisodeFilter) -> list[TimedMoment]:
    current_site = load_shows_and_sections()
    ids = filters.ordered_ids(current_site)[:CARDS_PER_PAGE]
    episodes: list[Episode] = load_cards(ids, current_site, filters.topics.values())
    return first_playable_moments(episodes, result_reasons_by_episode(filters, episodes))
