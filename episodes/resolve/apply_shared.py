"""Writes what episodes share and how many they are. People and their credits, with names and addresses
for those whose credits changed; how many episodes each link, symbol and person has; how many a show has,
as a whole and under each topic and year, the difference of which is added to all shows'; what the entries
of each source hold; and the statistics of the database.

The address of a person is that of who had it first, by the ledger of addresses, for ever: another
person of that name gets it with eight hex digits of their identity. Who is known by name alone leaves
it to whom the same show names when it comes to know an address or a handle of theirs.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, product
from operator import itemgetter
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connection, models
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ..identity import candidates, short_hash, slug_of
from ..models import (
    CodeMention,
    CodeName,
    Counts,
    Credit,
    Episode,
    EpisodeCount,
    EpisodeLink,
    EpisodeTopic,
    Link,
    Person,
    Podcast,
    Redirect,
    Revision,
    band_of,
    batches,
)
from ..notes import person_slug
from ..records import CreditData
from .rows import BATCH, all_ids, sync

CORRECTED = {
    "name": "name",
    "url": "url",
    "image": "image_url",
}  # the column that shows a correction
TRIED = 3  # addresses


def write_credits(
    credited: Mapping[str, Sequence[CreditData]],
    episodes: Mapping[str, int],
    scope: Mapping[str, Any],
) -> set[int]:
    """Write people by identity, and their credits, which are given by the episodes' addresses; give
    the people whose credits changed."""
    identities = {credit.identity for own in credited.values() for credit in own}
    named = {
        identity: {"name": identity[:300], "slug": f"new-{short_hash(identity)}"}
        for identity in sorted(identities)
    }
    people = all_ids(Person, "identity", named)
    wanted = {
        (episodes[slug], people[c.identity], c.role): {
            "credited_as": c.credited_as,
            "full_name": c.full_name,
            "corrected": c.corrected,
            "evidence": c.evidence,
        }
        for slug, own in credited.items()
        for c in own
    }
    changed = sync(Credit, ("episode_id", "person_id", "role"), wanted, scope)
    return {person for _, person, _ in changed}


def name_people(touched: Collection[int]) -> None:
    """Give people the name of their credits, or the one that a curator gave, and the address that
    it makes."""
    for some in batches(sorted(touched)):
        people = Person.objects.in_bulk(some)
        shown, shows = _shown(some)
        slugs = _slugs(people, shown, shows)
        wanted = {(pk,): {**shown[pk], "slug": slug} for pk, slug in slugs.items()}
        sync(Person, ("pk",), wanted, {"pk__in": some}, keep_others=True)
        ledger = [
            Redirect(kind="person", slug=slugs[pk], identity=people[pk].identity) for pk in slugs
        ]
        Redirect.objects.bulk_create(ledger, ignore_conflicts=True)


def _shown(people: Collection[int]) -> tuple[dict[int, dict[str, str]], dict[int, set[str]]]:
    """Return the values that pages show of people, and the shows that credit them.

    The name is a curator's correction, else the fullest name in the first of the shows, because a
    later show renames nobody. Names of people who were merged into a person count only if the
    person has no other. The order in which shows are resolved does not matter.
    """
    found: dict[int, dict[str, str]] = {}
    shows: dict[int, set[str]] = defaultdict(set)
    rows = Credit.objects.filter(person__in=people).order_by()
    columns = ("full_name", "credited_as", "episode__podcast__rank", "episode__podcast__slug")
    names = [CreditedName(*row) for row in rows.values_list("person", *columns).distinct()]
    for credit in sorted(names, key=CreditedName.precedence):
        found[credit.person] = {"name": credit.name, "url": "", "image_url": ""}
        shows[credit.person].add(credit.show)
    corrected = rows.exclude(corrected={}).values_list("person", "corrected")
    for pk, values in sorted(corrected, key=str):
        found[pk] |= {CORRECTED[field]: value for field, value in values.items()}
    return found, shows


class CreditedName(NamedTuple):
    """A name that a show uses for a person. `full_name` is blank if the person who is credited was
    merged into this one."""

    person: int
    full_name: str
    credited_as: str
    rank: int  # of the show
    show: str

    @property
    def name(self) -> str:
        return self.full_name or self.credited_as

    def precedence(self) -> tuple[bool, int, int, int, str]:
        """Return a key by which the name to show comes last."""
        is_own_name = self.full_name != ""
        return is_own_name, -self.rank, len(self.name.split()), len(self.name), self.name


def _slugs(
    people: Mapping[int, Person],
    shown: Mapping[int, Mapping[str, str]],
    shows: Mapping[int, Collection[str]],
) -> dict[int, str]:
    """An address for each person: one that was theirs, else the first that is nobody else's."""
    identities = {pk: people[pk].identity for pk in shown}
    tried = {
        pk: list(islice(candidates(person_slug(shown[pk]["name"], own), None, own), TRIED))
        for pk, own in identities.items()
    }
    every = {slug for own in tried.values() for slug in own}
    holders = dict(Person.objects.filter(slug__in=every).values_list("slug", "identity"))
    ledger = Redirect.objects.filter(kind="person").filter(slug__in=every).order_by("-id")
    rows = list(ledger.values_list("slug", "identity"))
    first, theirs = dict(rows), set(rows)
    slugs: dict[int, str] = {}
    # By identity, so that two new ones of one name get the same addresses in any order of shows.
    for pk, identity in sorted(identities.items(), key=itemgetter(1)):
        free = [slug for slug in tried[pk] if holders.get(slug, identity) == identity]
        for slug in sorted(free, key=lambda slug: (slug, identity) not in theirs):
            if _may_have(identity, first.get(slug, identity), shows[pk]):
                slugs[pk] = slug
                holders[slug] = identity
                break
    return slugs


def _may_have(identity: str, owner: str, shows: Collection[str]) -> bool:
    """True for who had an address first, and for others of that name in the same show: it may know
    an address of theirs by now. Before there were names in identities, they were the address."""
    name, _, show = owner.rpartition("@")
    is_name_alone = name != "" and name == slug_of(name)  # no handle, and no address
    is_the_same = owner in (identity, identity.partition(" ")[2])
    return is_the_same or (is_name_alone and show in shows)


@contextmanager
def only_public_addresses() -> Iterator[None]:
    """Add to the ledger only addresses that people have at the end of a transaction. Before another
    show was made anew somebody may have had one that nobody saw."""
    last = Redirect.objects.aggregate(last=models.Max("pk", default=0))["last"]
    yield
    now = Person.objects.filter(slug=models.OuterRef("slug"), identity=models.OuterRef("identity"))
    Redirect.objects.filter(kind="person").filter(~models.Exists(now), pk__gt=last).delete()


# What is counted, and the rows that say which episodes have it.
USES: tuple[tuple[Any, Any, str], ...] = (
    (Link, EpisodeLink, "link"),
    (CodeName, CodeMention, "name"),
    (Person, Credit, "person"),
)

# Of each index; enough for a plan, and the same few milliseconds for any catalog.
ROWS_LOOKED_AT = 400
LARGE = 1_000  # episodes

# Entries that belong to an episode. Their fields are counted; a payload holds only those that say
# something.
LISTED = Q(item__held__isnull=True, item__attachment__isnull=False)
HAS_TEXT = Q(payload__has_key="text") | Q(payload__has_key="html")
OF_ENTRIES = {
    "listed": Count("pk", filter=LISTED),
    "held": Count("pk", filter=Q(item__held__isnull=False)),
    "episodes": Count("item__attachment__episode", filter=LISTED, distinct=True),
    "title": Count("pk", filter=LISTED & Q(payload__has_key="title")),
    "date": Count("pk", filter=LISTED & Q(payload__has_key="published")),
    "length": Count("pk", filter=LISTED & Q(payload__has_key="seconds_low")),
    "notes": Count("pk", filter=LISTED & HAS_TEXT),
    "cut": Count("pk", filter=LISTED & HAS_TEXT & Q(payload__cut=True)),
    "links": Count("pk", filter=LISTED & (Q(http__gt=0) | Q(https__gt=0))),
    "audio": Count("pk", filter=LISTED & Q(payload__has_key="audio_url")),
}


def write_uses(touched: Mapping[Any, Collection[int]]) -> None:
    """Count the episodes of links, symbols and people whose episodes changed, and name the people.
    What no episode has any more goes."""
    for model, uses, field in USES:
        for some in batches(touched[model]):
            rows = model.objects.filter(pk__in=some)
            _count_episodes(rows, uses, field)
            rows.filter(episode_count=0).delete()
    name_people(touched[Person])


def write_all_uses() -> None:
    """Count the episodes of every link, symbol and person."""
    for model, uses, field in USES:
        _count_episodes(model.objects.all(), uses, field)


def _count_episodes(rows: QuerySet[Any], uses: Any, field: str) -> None:
    """Write the numbers of episodes where they differ."""
    of_row = uses.objects.filter(**{field: OuterRef("pk")}).order_by().values(field)
    counted = of_row.annotate(n=Count("episode", distinct=True)).values("n")
    count = Coalesce(Subquery(counted), 0)
    # Locked in one order, then counted anew: another import may have written meanwhile.
    differing = rows.exclude(episode_count=count).order_by("pk").select_for_update()
    for some in batches(list(differing.values_list("pk", flat=True))):
        rows.model.objects.filter(pk__in=some).update(episode_count=count)


def write_counts(podcast: Podcast) -> None:
    """Bring the stored counts up to date with the rows of a show's catalog: what its episodes gave
    to its own and to those of all shows is replaced by what they give now."""
    stored = EpisodeCount.objects.filter(podcast=podcast).values_list("about", "counts")
    before = defaultdict(Counts, {about: Counts(counts) for about, counts in stored})
    after = _counted(podcast)
    changed = sorted(
        about for about in before.keys() | after.keys() if before[about] != after[about]
    )
    missing = [EpisodeCount(podcast=show, about=a) for show, a in product((podcast, None), changed)]
    EpisodeCount.objects.bulk_create(missing, batch_size=BATCH, ignore_conflicts=True)
    of_both = EpisodeCount.objects.filter(Q(podcast=podcast) | Q(podcast=None))
    # In one order, so that two imports never wait for each other.
    rows = of_both.filter(about__in=changed).order_by("about", "podcast_id").select_for_update()
    for row in (locked := list(rows)):
        counts = Counts(row.counts)
        counts.update(after[row.about])
        # Differences and not sums over all shows: these would be counted anew at every import.
        counts.subtract(before[row.about])
        row.counts = {name: n for name, n in sorted(counts.items()) if n}
    EpisodeCount.objects.bulk_update(locked, ["counts"], batch_size=BATCH)
    of_both.filter(counts={}).delete()


def _counted(podcast: Podcast) -> defaultdict[str, Counts]:
    """The counts of a show's listed episodes by what they are about: everything, a topic or a
    year."""
    uses: defaultdict[int, list[str]] = defaultdict(list)
    topics = EpisodeTopic.objects.filter(episode__podcast=podcast, episode__listed=True).order_by()
    for episode, topic in topics.values_list("episode", "topic"):
        uses[episode].append(f"topic:{topic}")
    counted: defaultdict[str, Counts] = defaultdict(Counts)
    show = f"show:{podcast.pk}"
    listed = Episode.objects.listed().filter(podcast=podcast).order_by()
    columns = ("pk", "published_at", "duration_seconds", "audio_url")
    for pk, published, seconds, audio_url in listed.values_list(*columns):
        month = f"{published:%Y-%m}" if published else ""
        for about in {"", *uses[pk], f"year:{month[:4]}"} - {"year:"}:
            counts = counted[about]
            counts.update(
                ("episodes", f"month:{month}", f"band:{band_of(seconds)}", show, *uses[pk])
            )
            counts.update(timed=seconds is not None, seconds=seconds or 0, audible=bool(audio_url))
    return counted


def source_counts(podcast: Podcast) -> dict[str, dict[str, Any]]:
    """Return the counts of what a show's sources list, by source. `total` is the number of its
    episodes. A show without any entry has none."""
    # Of each entry the newest revision alone: it has what is said now.
    newer = Revision.objects.filter(item=OuterRef("item"), version__gt=OuterRef("version"))
    newest = Revision.objects.filter(
        ~Exists(newer), item__document__source__podcast=podcast, item__gone_version=None
    )
    text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
    links = {"http": StrIndex(text, Value("http://")), "https": StrIndex(text, Value("https://"))}
    entries: Any = (
        newest.filter(item__is_post=False)
        .annotate(**links)
        .order_by()
        .values("item__document__source")
    )
    counted = {row.pop("item__document__source"): row for row in entries.annotate(**OF_ENTRIES)}
    total = Episode.objects.filter(podcast=podcast).count()
    return {
        slug: {
            "counts": {**dict.fromkeys(OF_ENTRIES, 0), **counted.get(pk, {}), "total": total},
        }
        for pk, slug in podcast.sources.values_list("pk", "slug")
        if total or pk in counted
    }


def renew_statistics(more: int) -> None:
    """Count the catalog's rows for the database's planner after a change that made the show so many
    episodes larger, or smaller: without that SQLite reads and sorts all episodes to show the newest.

    PostgreSQL counts by itself within minutes; only after a large import these would be long
    minutes.
    """
    if not more:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"PRAGMA analysis_limit={ROWS_LOOKED_AT}")
            # Other tables than the catalog's grow between two changes of it, and old counts are
            # worse than none.
            for model in apps.get_app_config("episodes").get_models():
                if model.__module__.endswith(".models.catalog"):
                    cursor.execute(f'ANALYZE "{model._meta.db_table}"')
        elif more >= LARGE:
            cursor.execute("ANALYZE")
