"""The tool `get_person`: somebody's roles, episode by episode."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count
from django.http import HttpRequest

from ..models import Credit, Episode, Person
from ..site import load_shows_and_sections
from ..text.link_labels import safe_href
from .mcp_arguments import RequestedPage, get_person_or_raise
from .mcp_values import JsonObject, distinct_sources_as_json, episode_as_json

EPISODES_OF_PERSON = 20


def answer_get_person(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `get_person`: the name, the sites, and a page of episodes with the roles in each.

    Raises:
        BadArguments: there is no such person, or there are several.
    """
    person = get_person_or_raise(request, arguments["person"])
    page = RequestedPage(arguments, EPISODES_OF_PERSON)
    with_person = Episode.objects.with_person(person.slug).select_related("podcast")
    newest_first = with_person.newest_first(is_single_show=not load_shows_and_sections().several)
    episodes = list(newest_first[page.rows])
    # {"guest": 3, "host": 60}: an episode has one credit for each role of a person.
    credited_roles = Credit.objects.filter(person=person).order_by("role").values_list("role")
    episode_counts_by_role = dict(credited_roles.annotate(Count("pk")))
    roles_by_episode = _roles_by_episode(person, episodes)
    rows = []
    for episode in episodes:
        roles = roles_by_episode[episode.pk]
        rows.append({**episode_as_json(request, episode), "roles": roles})
    site = safe_href(person.url)
    return {
        "slug": person.slug,
        "name": person.name,
        "sites": [site] if site else [],
        "address": request.build_absolute_uri(person.get_absolute_url()),
        "roles": episode_counts_by_role,
        **page.position_among(with_person.count()),
        "episodes": rows,
        "sources": distinct_sources_as_json(episodes),
    }


def _roles_by_episode(
    person: Person, episodes: Iterable[Episode]
) -> defaultdict[int, list[JsonObject]]:
    roles = defaultdict(list)
    for credit in Credit.objects.filter(person=person, episode__in=episodes).order_by("role"):
        roles[credit.episode_id].append(
            {
                "role": credit.role,
                "credited_as": credit.credited_as or person.name,
                "evidence": credit.evidence,
            }
        )
    return roles
