"""The index of people, the page of a person, and the people of an episode."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from ..models import HAS_EPISODES, Credit, Episode, Person, Podcast, subjects_in_several_shows
from ..outputs import attach_photos_or_initials_if_any_photo, credits_of
from ..site import load_shows_and_sections
from ..text.formatting import format_count, format_episode_count
from .filters import (
    MAX_QUERY_LENGTH,
    AddressFilters,
    AddressParameter,
    ShowParameter,
    letter_choices,
)
from .former_addresses import answer_gone, get_former_name_and_person_or_404
from .moments import find_playable_moments_naming_person, playable_context
from .rendering import (
    CARDS_PER_PAGE,
    feeds_and_formats_context,
    load_page,
    load_page_of_episodes,
    render_list,
    render_page,
    share_image_of_stored_picture_or_none,
)


class _PeopleIndex(AddressFilters):
    """The people with an episode who match the filters in an address."""

    q = AddressParameter(
        forms.CharField,
        field_name="name",
        lookup_expr="has_letters",
        max_length=MAX_QUERY_LENGTH,
    )
    letter = AddressParameter(
        forms.CharField,
        field_name="name",
        lookup_expr="istartswith",
        max_length=1,
    )
    podcast = ShowParameter(Credit, "person")


@require_safe
def people_index(request: HttpRequest) -> HttpResponse:
    index = _PeopleIndex(request.GET, Person.objects.filter(HAS_EPISODES))
    selection = index.selection
    page = load_page(request, index.filtered_rows().order_by("-episode_count", "name", "slug"))
    current_site = load_shows_and_sections()
    in_several_shows: list[Person] = []
    # Only the start of the index has no parameters.
    if current_site.several and not request.GET:
        in_several_shows = list(subjects_in_several_shows(Person.objects.all())[:20])
    attach_photos_or_initials_if_any_photo([*page, *in_several_shows])
    return render_list(
        request,
        "people",
        current_site,
        page,
        shared=_rows_with_roles_and_shows(in_several_shows, show_slug=""),
        title=format_count(page.paginator.count, "person", "people"),
        selection=selection,
        complaints=index.complaints(),
        people=_rows_with_roles_and_shows(list(page), show_slug=selection.first("podcast")),
        letters=letter_choices(index, "name"),
    )


@dataclass(frozen=True)
class PersonRow:
    """A person in the index, with their roles in words and their shows."""

    person: Person
    roles: str
    shows: list[Podcast]


def _rows_with_roles_and_shows(page_people: Collection[Person], show_slug: str) -> list[PersonRow]:
    """Return each person with roles (`Host of 60 episodes`) and shows. A show slug limits them to its episodes."""
    show_by_id = Podcast.objects.in_bulk()
    role_counts_by_person: defaultdict[int, Counter[str]] = defaultdict(Counter)
    shows_by_person: defaultdict[int, set[Podcast]] = defaultdict(set)
    for person_id, role, show_id, count in _rows_of_person_role_show_and_count(
        page_people, show_slug
    ):
        role_counts_by_person[person_id][role] += count
        shows_by_person[person_id].add(show_by_id[show_id])
    rows = []
    for person in page_people:
        roles = roles_in_words(role_counts_by_person[person.pk])
        rows.append(PersonRow(person, roles, sorted(shows_by_person[person.pk], key=str)))
    return rows


def _rows_of_person_role_show_and_count(
    page_people: Collection[Person], show_slug: str
) -> QuerySet[Any, Any]:
    credit_rows = Credit.objects.filter(person__in=page_people).order_by()
    # The index of one show counts the episodes of that show.
    if show_slug:
        credit_rows = credit_rows.filter(episode__podcast__slug=show_slug)
    by_role_and_show = credit_rows.values_list("person", "role", "episode__podcast")
    return by_role_and_show.annotate(episodes=Count("episode", distinct=True))


def roles_in_words(counts_by_role: Mapping[str, int]) -> str:
    """Return the roles with their numbers of episodes: `Host of 60 episodes, guest on 3`."""
    texts: list[str] = []
    alphabetical = Counter(dict(sorted(counts_by_role.items())))
    # Roles with equal counts stay in the order of the alphabet.
    for role, count in alphabetical.most_common():
        preposition = "on" if role == "guest" else "of"
        # Only the first number names what it counts.
        number = f"{count:,}" if texts else format_episode_count(count)
        texts.append(f"{role} {preposition} {number}")
    return capfirst(", ".join(texts))


@require_safe
def person_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    current_site = load_shows_and_sections()
    person = Person.objects.filter(slug=slug).first()
    if person is None:
        return _answer_former_person(request, slug)
    roles, aliases = _roles_in_words_and_aliases(person)
    with_person = Episode.objects.with_person(slug)
    newest_first = with_person.newest_first(is_single_show=not current_site.several)
    episode_ids = newest_first.values_list("pk", flat=True)
    page = load_page_of_episodes(request, current_site, episode_ids, CARDS_PER_PAGE)
    # Other people of this name, such as a guest of another show.
    namesakes = Person.objects.filter(HAS_EPISODES, name=person.name).exclude(pk=person.pk)
    playable = find_playable_moments_naming_person(person) if page.number == 1 else []
    return render_list(
        request,
        "person",
        current_site,
        page,
        person.get_absolute_url(),
        **feeds_and_formats_context(request, "person", slug),
        **playable_context(playable),
        section="people",
        person=person,
        # Without a photo the page gets the picture of the site.
        share_image=share_image_of_stored_picture_or_none(request, person),
        roles=roles,
        aliases=aliases,
        namesakes=namesakes[:8],
    )


def _roles_in_words_and_aliases(person: Person) -> tuple[str, list[str]]:
    """Return `Host of 60 episodes, guest on 3`, and the other names that credits of the person have."""
    counts_by_role = Counter[str]()
    names_in_credits = set()
    credit_rows = Credit.objects.filter(person=person).order_by()
    by_role_and_name = credit_rows.values_list("role", "credited_as")
    for role, name, count in by_role_and_name.annotate(count=Count("pk")):
        counts_by_role[role] += count
        names_in_credits.add(name)
    # `credited_as` is "" if the credit has the person's own name.
    aliases = names_in_credits - {"", person.name}
    return roles_in_words(counts_by_role), sorted(aliases)


def _answer_former_person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Redirect to the person who had the address, or say that the person is no longer credited.

    Raises:
        Http404: it never was an address of a person.
    """
    former = get_former_name_and_person_or_404(slug)
    if former.person:
        return redirect(former.person, permanent=True)
    if former.is_hidden:
        return answer_gone(request, "A curator found that this is not a person.")
    context = {"section": "people", "canonical": "", "name": former.name}
    return render_page(request, "episodes/former_person.html", context)


def people_with_role_texts(episode: Episode) -> list[tuple[Person, str]]:
    """Return the people of an episode, each with their roles: `host, credited as ezyang`.

    Hosts come before guests, and people of many episodes of the show before people of few.
    """
    roles_by_person: defaultdict[Person, set[str]] = defaultdict(set)
    credited_names_by_person: defaultdict[Person, set[str]] = defaultdict(set)
    for credit in credits_of(episode):
        roles_by_person[credit.person].add(credit.role)
        credited_names_by_person[credit.person].add(credit.credited_as)
    rows = []
    for person in _hosts_and_frequent_people_first(episode, roles_by_person):
        text = ", ".join(sorted(roles_by_person[person]))
        # `credited_as` is "" if the credit has the person's own name.
        aliases = sorted(credited_names_by_person[person] - {"", person.name})
        if aliases:
            text += f", credited as {' and '.join(aliases)}"
        rows.append((person, text))
    return rows


def _hosts_and_frequent_people_first(
    episode: Episode, roles_by_person: Mapping[Person, Iterable[str]]
) -> list[Person]:
    role_order = {"host": 0, "co-host": 1, "guest": 2}
    episode_counts = _episode_counts_in_show_by_person_id(episode)

    def order_in_show(person: Person) -> tuple[int, int, str]:
        # A feed may have other roles, such as "editor". They come last.
        first_role = min(role_order.get(role, 3) for role in roles_by_person[person])
        return first_role, -episode_counts.get(person.pk, 0), person.name

    return sorted(roles_by_person, key=order_in_show)


def _episode_counts_in_show_by_person_id(episode: Episode) -> dict[int, int]:
    people = Credit.objects.filter(episode=episode).order_by().values("person")
    credits_in_show = Credit.objects.filter(person__in=people, episode__podcast=episode.podcast_id)
    rows = credits_in_show.order_by().values_list("person")
    return dict(rows.annotate(Count("episode", distinct=True)))
