"""What a list of results says beside its episodes: how the query was read, why each was found, and
the way out where none was."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...models import UNKNOWN, Chapter, Credit, Episode, EpisodeLink
from ...search import Query, Results, excerpts, parse_query, terms_in
from ...site import Site
from ...text.formatting import clock
from ...text.link_labels import ONE, named
from ..moments import Reason, lines
from ..search.hits import direct_hits
from .facets import Chip
from .filters import LENGTHS, EpisodeFilter


class SearchedText(NamedTuple):
    """A text of an episode that may hold a term: its label, how it is shown, and what of it is
    indexed."""

    episode: int
    label: str
    shown: str
    indexed: str


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[Reason]]:
    """For each episode what holds the terms that its card would not show, and the moments at which
    they are said together."""
    query = parse_query(words)
    missing = not_on_cards(episodes, query)
    found: defaultdict[int, list[Reason]] = defaultdict(list)
    for text in _texts([e for e in episodes if missing[e.pk]]):
        if not any(missing.values()):
            break  # the other texts need not be read
        if held := terms_in(text.indexed, query) & missing[text.episode]:
            missing[text.episode] -= held
            found[text.episode].append(Reason(text.label, excerpts.marked(text.shown, words)))
    for pk, said in lines(episodes, query, missing).items():
        found[pk] += said
    return found


def not_on_cards(episodes: Sequence[Episode], query: Query) -> dict[int, set[int]]:
    """For each episode the numbers of the terms that neither its title nor its notes have."""
    numbers = set(range(len(query.terms)))
    return {e.pk: numbers - terms_in(f"{e.heading}\n{e.description_text}", query) for e in episodes}


def _texts(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    """Topics, links, people and chapters of episodes."""
    for episode in episodes:
        for topic in episode.topics_in_order:
            yield SearchedText(episode.pk, "Topic", topic.name, topic.name)
            for alias in map(str, topic.aliases):
                yield SearchedText(episode.pk, "Topic", f"{topic.name} ({alias})", alias)
    of = {"episode__in": [episode.pk for episode in episodes]}
    for mention in EpisodeLink.objects.filter(**of).select_related("link").order_by("position"):
        link, kind = mention.link, ONE.get(mention.link.kind, "Link")
        indexed = f"{link.key} {mention.url} {kind} {link.title} PR"[:2_000]
        yield SearchedText(mention.episode_id, kind, link.title or named(link.key).whole, indexed)
    for credit in Credit.objects.filter(**of).select_related("person").order_by("person", "role"):
        yield SearchedText(
            credit.episode_id, credit.role.capitalize(), credit.person.name, credit.person.name
        )
    for chapter in Chapter.objects.filter(**of).order_by("start"):
        yield SearchedText(
            chapter.episode_id, f"Chapter at {clock(chapter.start)}", chapter.title, chapter.title
        )


MOST_REMOVALS = 5


@dataclass(frozen=True)
class Unknowns:
    """The episodes that a filter leaves out because it cannot judge them: their number and their
    address."""

    count: int
    words: str
    query: str


def removals(listed: EpisodeFilter, chips: Sequence[Chip]) -> Iterator[tuple[Chip, int]]:
    """The filters without which there are episodes, with the number of these; a single filter is
    not worth a line."""
    # Each costs a count of its own.
    for chip in chips[:MOST_REMOVALS] if len(chips) > 1 else ():
        if count := listed.without(chip.names, chip.value).count():
            yield chip, count


def unknowns(listed: EpisodeFilter) -> Iterator[Unknowns]:
    """The episodes that a filter for lengths or dates ignores, where one is in force."""
    chosen = listed.selection
    for names, unknown, words in (
        (LENGTHS, f"band:{UNKNOWN}", "length"),
        (("year", "month"), "month:", "date"),
    ):
        missing = listed.counts(*names)[unknown] if listed.asked.keys() & {*names} else 0
        if missing:
            yield Unknowns(
                missing,
                words,
                chosen.replaced(**{**dict.fromkeys(names, ""), names[0]: UNKNOWN}).query(),
            )


GROUPS = ("In the title", "Said or written", "About a related topic")


def understood(listed: EpisodeFilter, of_site: Site, first_page: bool) -> dict[str, object]:
    """The lines above the results of a search."""
    usual = {
        "typed": listed.typed,
        "typed_query": listed.typed_query,
        "order": listed.order,
    }
    if not listed.is_search:
        return usual | {"facts": [], "near": False, "direct_hits": []}
    query = listed.search.asked
    alone = first_page and len(listed.selection.pairs()) == 1
    return usual | {
        "facts": list(filter(None, (term.understood for term in query.query.terms))),
        "near": listed.is_near,
        "direct_hits": direct_hits(query, of_site) if alone else [],
    }


def group_headings(listed: EpisodeFilter, shown: Sequence[Episode]) -> dict[int, tuple[str, str]]:
    """The headings of groups of results with the number in each, by the id of the episode on this
    page that each comes before."""
    if listed.order != "match" or listed.is_near:
        return {}
    found = listed.results()
    counts = Counter(map(found.groups.get, found.ids))
    # Reversed, because a dict keeps the last of equal keys.
    first = {found.groups[episode.pk]: episode.pk for episode in reversed(shown)}
    return {pk: (GROUPS[n], "" if found.cut else f"{counts[n]:,}") for n, pk in first.items()}


def lacking(episodes: Sequence[Episode], search: Results) -> dict[int, list[Reason]]:
    """For each of the nearest episodes the words that it lacks."""
    terms, found = search.asked.query.terms, {}
    for episode in episodes:
        missing = [terms[number].typed for number in sorted(search.lacking[episode.pk])]
        label = "Missing" if len(missing) < len(terms) else "Only related; missing"
        found[episode.pk] = [Reason(label, missing=missing)]
    return found
