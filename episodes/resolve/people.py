"""Writes people and their credits, and gives people names and addresses.

The address of a person is that of the first who had it, by the ledger of addresses, for ever: another
person of that name gets it with eight hex digits of their identity. Somebody who is known by name alone
leaves it to a person of the same show and name who comes to have an address or a handle.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from django.db.models import Exists, Max, OuterRef

from ..identity import make_slug, short_hash, slug_candidates
from ..models import Credit, Person, Redirect, batches
from ..notes import person_slug
from ..records import CreditData
from .sync_rows import Scope, find_or_create_ids_by_value, sync_and_return_changed_keys


class CreditedName(NamedTuple):
    """A name that a show uses for a person. `full_name` is blank if the person who is credited was
    merged into this one."""

    person_id: int
    full_name: str
    credited_as: str
    rank: int  # of the show, the lowest first
    show: str

    @property
    def name(self) -> str:
        return self.full_name or self.credited_as

    def precedence(self) -> tuple[bool, int, int, int, str]:
        # The highest is displayed: not of a merged person, of the first show, and the fullest.
        is_of_this_person = self.full_name != ""
        word_count = len(self.name.split())
        return is_of_this_person, -self.rank, word_count, len(self.name), self.name


class PersonSlugs:
    """The addresses that a set of people may have, and who has them now or had them first. A person is
    given by the identity."""

    def __init__(self, name_by_identity: Mapping[str, str]) -> None:
        self.candidates = {}
        for identity, name in name_by_identity.items():
            plain_slug = person_slug(name, identity)
            endless_slugs = slug_candidates(plain_slug, number=None, identity=identity)
            # "ada-roe", "ada-roe-1f9d0c2e", "ada-roe-1f9d0c2e-2". Nobody else is likely to have the hash of the
            # identity. The third is for the case that somebody has it.
            self.candidates[identity] = list(islice(endless_slugs, 3))
        all_slugs = set(chain.from_iterable(self.candidates.values()))
        people = Person.objects.filter(slug__in=all_slugs)
        self.present_owner_by_slug = dict(people.values_list("slug", "identity"))
        # The ledger has a row for each address and person who has or had it.
        newest_first = Redirect.objects.filter(kind="person", slug__in=all_slugs).order_by("-id")
        slugs_and_identities = list(newest_first.values_list("slug", "identity"))
        self.slugs_and_identities_in_ledger = set(slugs_and_identities)
        # Of equal slugs the last one stays, which is the oldest row.
        self.first_owner_by_slug = dict(slugs_and_identities)

    def reserve_slug_or_none(
        self, identity: str, slugs_of_crediting_shows: Collection[str]
    ) -> str | None:
        """Reserve a slug for a person and return it: a former slug of this person, else a new one. Return
        None if all candidates belong to other people."""

        def is_new(slug: str) -> bool:
            return (slug, identity) not in self.slugs_and_identities_in_ledger

        # Former slugs come first, as False sorts before True.
        for slug in sorted(self.candidates[identity], key=is_new):
            # A slug without an owner counts as owned by this person.
            present_owner = self.present_owner_by_slug.get(slug, identity)
            first_owner = self.first_owner_by_slug.get(slug, identity)
            is_free = present_owner == identity
            if is_free and _may_take_over_slug(identity, first_owner, slugs_of_crediting_shows):
                self.present_owner_by_slug[slug] = identity
                return slug
        return None


def _may_take_over_slug(
    identity: str, owner: str, slugs_of_crediting_shows: Collection[str]
) -> bool:
    """Return whether a person may have an address that `owner` had first. The owner may. So may a person
    of the same name and show with an address or handle, because it has become known since."""
    # "ada-roe loom.example/ada" is the identity of a person with an address. Former ledgers have only
    # the part behind the space.
    _, _, address = identity.partition(" ")
    if owner in (identity, address):
        return True
    # Both claim one address, which is made from the name. So they have the same name.
    return _show_if_known_by_name_alone_or_empty(owner) in slugs_of_crediting_shows


def _show_if_known_by_name_alone_or_empty(identity: str) -> str:
    # "ada-roe@loom-talk" is the identity of a person who is known by name alone, in the show `loom-talk`.
    slug_of_name, _, show = identity.rpartition("@")
    # Before the "@" of another identity, such as a handle or a mail address with a name, is no slug.
    is_known_by_name_alone = slug_of_name != "" and slug_of_name == make_slug(slug_of_name)
    return show if is_known_by_name_alone else ""


def write_credits_and_return_changed_people(
    credits_by_slug: Mapping[str, Sequence[CreditData]],
    episode_ids: Mapping[str, int],
    scope: Scope,
) -> set[int]:
    """Write people and the credits of episodes. Return the ids of people with changed credits.
    `credits_by_slug` and `episode_ids` are by the slug of the episode."""
    all_credits = chain.from_iterable(credits_by_slug.values())
    person_ids = _find_or_create_person_ids({credit.identity for credit in all_credits})
    rows = {}
    for slug, credits_of_episode in credits_by_slug.items():
        for credit in credits_of_episode:
            key = (episode_ids[slug], person_ids[credit.identity], credit.role)
            rows[key] = {
                "credited_as": credit.credited_as,
                "full_name": credit.full_name,
                "corrected": credit.corrected,
                "evidence": credit.evidence,
            }
    changed = sync_and_return_changed_keys(Credit, ("episode_id", "person_id", "role"), rows, scope)
    return {person_id for _, person_id, _ in changed}


def _find_or_create_person_ids(identities: Collection[str]) -> dict[str, int]:
    columns_if_new = {}
    for identity in sorted(identities):
        # Only until `store_names_and_slugs_of_people`. A column for names has room for 300 characters.
        name = identity[:300]
        columns_if_new[identity] = {"name": name, "slug": f"new-{short_hash(identity)}"}
    return find_or_create_ids_by_value(Person, "identity", columns_if_new)


def store_names_and_slugs_of_people(person_ids: Collection[int]) -> None:
    """Update the names, pages, photos and slugs of people from their credits. Add new slugs to the
    ledger."""
    for batch in batches(sorted(person_ids)):
        identity_by_id = dict(Person.objects.filter(pk__in=batch).values_list("pk", "identity"))
        people = _displayed_people_from_credits(batch)
        slugs = PersonSlugs({identity_by_id[pk]: person.name for pk, person in people.items()})
        rows = {}
        ledger_rows = []
        # By identity, so that the order of shows does not matter for two new people of one name.
        for pk in sorted(people, key=identity_by_id.__getitem__):
            identity = identity_by_id[pk]
            slug = slugs.reserve_slug_or_none(identity, people[pk].shows)
            # If all addresses that fit the name belong to other people, the row stays as it was.
            if slug:
                rows[(pk,)] = {**people[pk].columns(), "slug": slug}
                ledger_rows.append(Redirect(kind="person", slug=slug, identity=identity))
        sync_and_return_changed_keys(Person, ("pk",), rows, {"pk__in": batch}, keep_extra_rows=True)
        # A person who had the address before keeps the earlier row.
        Redirect.objects.bulk_create(ledger_rows, ignore_conflicts=True)


@dataclass
class DisplayedPerson:
    """The values that pages show of a person, and the slugs of the shows that credit the person."""

    credited_name: str = ""
    corrected: dict[str, str] = field(default_factory=dict)  # by a curator: name, url, image
    shows: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.corrected.get("name", self.credited_name)

    def columns(self) -> dict[str, str]:
        return {
            "name": self.name,
            "url": self.corrected.get("url", ""),
            "image_url": self.corrected.get("image", ""),
        }


def _displayed_people_from_credits(person_ids: Collection[int]) -> dict[int, DisplayedPerson]:
    """Return people by id, with values from their credits.

    The name is a curator's correction, else the fullest name in the first of the shows, because a
    later show renames nobody. Names of people who were merged into a person count only if the
    person has no other. The order in which shows are resolved does not matter.
    """
    rows = Credit.objects.filter(person__in=person_ids).order_by()
    name_rows = rows.values_list(
        "person",
        "full_name",
        "credited_as",
        "episode__podcast__rank",
        "episode__podcast__slug",
    )
    credited_names = [CreditedName(*row) for row in name_rows.distinct()]
    people: dict[int, DisplayedPerson] = defaultdict(DisplayedPerson)
    # The name with the highest precedence comes last, and stays.
    for credited_name in sorted(credited_names, key=CreditedName.precedence):
        person = people[credited_name.person_id]
        person.credited_name = credited_name.name
        person.shows.add(credited_name.show)
    # Corrections are {"name": "Ada Roe", "url": …}.
    correction_rows = rows.exclude(corrected={}).values_list("person", "corrected")
    # Sorted only so that every run gives the same result.
    for person_id, corrections in sorted(correction_rows, key=str):
        people[person_id].corrected.update(corrections)
    return people


@contextmanager
def deleting_unpublished_addresses_of_people() -> Iterator[None]:
    """Delete from the ledger, at the end of the block, the addresses that people had only within it: between
    the resolves of two shows, so that nobody saw them."""
    last_row_before = Redirect.objects.aggregate(last=Max("pk", default=0))["last"]
    yield
    # A row of the ledger is an address that the person with its identity has or had.
    person_with_address = Person.objects.filter(
        slug=OuterRef("slug"), identity=OuterRef("identity")
    )
    new_rows = Redirect.objects.filter(kind="person", pk__gt=last_row_before)
    new_rows.filter(~Exists(person_with_address)).delete()
