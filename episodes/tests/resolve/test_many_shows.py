"""Shows that share people, links, names of code and titles: an import touches what it can change, and misses nothing."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes.identity import short_hash
from episodes.models import CodeName, Credit, Decision, EpisodeReading, Link, Person, Podcast, Redirect, Source
from episodes.resolve import clear_catalog

from ..examples import examples
from ..ingest.conftest import run
from .histories import catalog_tables, differences

pytestmark = pytest.mark.django_db

NAMES = ("Ada Loom", "ada loom", "Ada B. Loom", "Bo Reed", "Ada Loom Deadbeef", "Ada Loom 2", "???")
PEOPLE = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["", "https://loom.example/ada"])), max_size=3)
EPISODES = st.lists(st.tuples(st.sampled_from(["Looms", "Reeds", "Kettles"]), PEOPLE), min_size=1, max_size=3)
STEPS = st.lists(st.tuples(st.sampled_from("abc"), EPISODES), min_size=1, max_size=5)


def feed(show: str, episodes: list[tuple[str, list[tuple[str, str]]]]) -> str:
    items = ""
    for number, (title, people) in enumerate(episodes):
        credits_ = "".join(
            f"<podcast:person role='guest' href='{href}'>{name}</podcast:person>" for name, href in people
        )
        notes = f"About https://github.com/looms/reeds/issues/{len(title)} and weave_{title.lower()} ({number})."
        said = f"<title>{title}</title><guid>{show}{number}</guid>{credits_}<description>{notes}</description>"
        items += f"<item>{said}</item>"
    space = "xmlns:podcast='https://podcastindex.org/namespace/1.0'"
    return f"<rss version='2.0' {space}><channel><title>Show {show}</title>{items}</channel></rss>"


def take(folder: Path, show: str, episodes: list[tuple[str, list[tuple[str, str]]]]) -> None:
    (folder / f"{show}.xml").write_text(feed(show, episodes))
    ran = run(folder / f"{show}.xml", source=show, accept=True)
    assert ran.code == 0, ran.err


def shows(*slugs: str) -> None:
    for slug in slugs:
        podcast = Podcast.objects.create(slug=f"show-{slug}", title=f"Show {slug}", has_symbols=True)
        Source.objects.create(
            podcast=podcast, slug=slug, reader="feed", may_create=True, address=f"https://{slug}.example/feed", rank=1
        )


def correct_link(show: str, field: str, value: str) -> None:
    """Let a curator of a show correct the link that all episodes with titles of five letters name."""
    about = {"kind": "correct-link", "key": "gh:looms/reeds#5", "field": field, "value": value}
    Decision.objects.create(podcast=Podcast.objects.get(slug=f"show-{show}"), made_at=timezone.now(), **about)


def people() -> list[tuple[str, str, str]]:
    return sorted(Person.objects.values_list("identity", "name", "slug"))


class ManyShows(TestCase):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @settings(max_examples=examples(5, 80), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_any_imports_of_several_shows_leave_what_a_rebuild_leaves(self, steps):
        shows("a", "b", "c")
        owners: dict[str, str] = {}  # of addresses, the shows that had them first
        for show, field, value in (("b", "label", "Reeds"), ("c", "replacement", "https://reeds.example/")):
            correct_link(show, field, value)
        for show, episodes in steps:
            take(self.folder, show, episodes)
            for identity, slug in slugs().items():
                owners.setdefault(slug, identity.rpartition("@")[2] if " " not in identity else "")
        for slug, show in owners.items():
            strangers = Person.objects.filter(slug=slug).exclude(credits__episode__podcast__slug=show)
            assert not show or not strangers.exists()
        step_by_step = catalog_tables()
        assert not Person.objects.filter(credits=None).exists()
        assert set(Redirect.objects.filter(kind="person").values_list("slug", "identity")) >= set(
            Person.objects.values_list("slug", "identity")
        )
        call_command("rebuild", verbosity=0)
        assert differences(step_by_step, catalog_tables()) == {}


def slugs() -> dict[str, str]:
    return {identity: slug for identity, _, slug in people()}


def test_a_person_of_another_show_never_gets_an_address_by_name_alone(tmp_path: Path, client: Client) -> None:
    shows("a", "b")
    take(tmp_path, "b", [("Reeds", [("Ada Loom", "")])])
    take(tmp_path, "a", [("Looms", [("Ada Loom", "")])])
    marked = f"ada-loom-{short_hash('ada-loom@show-a')}"
    assert slugs() == {"ada-loom@show-b": "ada-loom", "ada-loom@show-a": marked}
    assert "/episodes/looms/" not in client.get("/people/ada-loom/").content.decode()
    take(tmp_path, "b", [("Reeds", [])])
    assert slugs() == {"ada-loom@show-a": marked}
    assert b"No longer credited on any episode" in client.get("/people/ada-loom/").content
    call_command("rebuild", verbosity=0)
    assert slugs() == {"ada-loom@show-a": marked}
    take(tmp_path, "b", [("Reeds", [("Ada Loom", "https://loom.example/ada")])])
    assert slugs() == {"ada-loom@show-a": marked, "ada-loom loom.example/ada": "ada-loom"}


def test_two_of_one_name_who_come_at_once_have_two_addresses(tmp_path: Path) -> None:
    shows("a")
    take(tmp_path, "a", [("Looms", [("Ada Loom", f"https://{site}.example/ada") for site in ("loom", "reed")])])
    marked = f"ada-loom-{short_hash('ada-loom reed.example/ada')}"
    assert slugs() == {"ada-loom loom.example/ada": "ada-loom", "ada-loom reed.example/ada": marked}


def test_within_a_show_an_address_passes_on_with_the_name(tmp_path: Path) -> None:
    shows("a", "b")
    ada, linked = ("Ada Loom", ""), ("Ada Loom", "https://loom.example/ada")
    take(tmp_path, "a", [("Looms", [ada])])
    take(tmp_path, "a", [("Looms", [linked])])
    assert slugs() == {"ada-loom loom.example/ada": "ada-loom"}
    other = ("Ada Loom", "https://loom.example/other")
    take(tmp_path, "b", [("Reeds", [other])])
    marked = slugs()["ada-loom loom.example/other"]
    take(tmp_path, "a", [("Looms", [])])
    assert slugs() == {"ada-loom loom.example/other": marked}  # an address that was given stays


def test_two_shows_at_one_address_have_each_their_people(tmp_path: Path, client: Client) -> None:
    shows("a", "b")
    network = "https://network.example/"
    take(tmp_path, "a", [("Looms", [("Ada Loom", network), ("Bo Reed", network)])])
    take(tmp_path, "b", [("Reeds", [("Cy Kettle", network)]), ("Kettles", [("Ada Loom", network)])])
    assert list(slugs().values()) == ["ada-loom", "bo-reed", "cy-kettle"]
    credited = Credit.objects.order_by("episode__slug", "person__slug").values_list("episode__slug", "person__name")
    assert list(credited) == [
        ("kettles", "Ada Loom"), ("looms", "Ada Loom"), ("looms", "Bo Reed"), ("reeds", "Cy Kettle"),
    ]  # fmt: skip
    page = client.get("/people/ada-loom/").content.decode()
    assert [f"/episodes/{slug}/" in page for slug in ("looms", "kettles", "reeds")] == [True, True, False]


def test_people_who_were_one_at_an_address_part_and_the_first_show_keeps_theirs(tmp_path: Path, client: Client) -> None:
    """Catalogs from before identities had a name made one person of all at an address."""
    shows("a", "b")
    network = "https://network.example/"
    take(tmp_path, "a", [("Looms", [("Ada Loom", network)])])
    Redirect.objects.filter(kind="person").delete()
    Person.objects.update(identity="network.example")
    EpisodeReading.objects.all().delete()  # they had none
    for slug in ("ada-loom", "ada-l"):
        Redirect.objects.create(kind="person", slug=slug, identity="network.example")
    take(tmp_path, "a", [("Looms", [("Ada Loom", network)]), ("Kettles", [])])
    assert slugs() == {"ada-loom network.example": "ada-loom"}
    take(tmp_path, "b", [("Reeds", [("Cy Kettle", network)])])
    assert slugs() == {"ada-loom network.example": "ada-loom", "cy-kettle network.example": "cy-kettle"}
    assert b"No longer credited on any episode" in client.get("/people/ada-l/").content


def test_an_address_that_somebody_else_had_stays_theirs(tmp_path: Path) -> None:
    """Whatever its show: only those of one name in one show may know an address of each other by now."""
    shows("a", "b")
    for slug, identity in (("ada-loom", "elsewhere.example/ada"), ("bo-reed", "bo-reed@show-b"), ("cy-kettle", "cy@a")):
        Redirect.objects.create(kind="person", slug=slug, identity=identity)
    take(tmp_path, "a", [("Looms", [("Ada Loom", ""), ("Bo Reed", "")])])
    assert slugs() == {f"{slug}@show-a": f"{slug}-{short_hash(f'{slug}@show-a')}" for slug in ("ada-loom", "bo-reed")}


def test_a_name_without_letters_has_one_mark(tmp_path: Path) -> None:
    shows("a")
    take(tmp_path, "a", [("Looms", [("???", "")])])
    ((identity, _, slug),) = people()
    assert slug == f"person-{short_hash(identity)}"


def test_clearing_a_show_leaves_nothing_that_nobody_has(tmp_path: Path) -> None:
    shows("a", "b")
    take(tmp_path, "a", [("Looms", [("Ada Loom", "")])])
    take(tmp_path, "b", [("Reeds", [("Bo Reed", "")])])
    clear_catalog(Podcast.objects.filter(slug="show-a"))
    assert [name for _, name, _ in people()] == ["Bo Reed"]
    assert {name.name for name in CodeName.objects.all()} == {"weave_reeds"}
    assert Link.objects.count() == 1


def test_symbols_are_those_of_shows_that_switch_them_on(tmp_path: Path) -> None:
    shows("a", "b")
    Podcast.objects.filter(slug="show-a").update(has_symbols=False)
    take(tmp_path, "a", [("Looms", [])])
    take(tmp_path, "b", [("Reeds", [])])
    assert {name.name for name in CodeName.objects.all()} == {"weave_reeds"}
    Podcast.objects.update(has_symbols=True)
    call_command("rebuild", verbosity=0)
    assert {name.name for name in CodeName.objects.all()} == {"weave_looms", "weave_reeds"}


@pytest.mark.parametrize(
    "field, value", [("label", "Reeds"), ("kind", "paper"), ("replacement", "https://reeds.example/")]
)
def test_a_link_that_the_first_show_drops_is_what_the_next_show_calls_it(
    tmp_path: Path, field: str, value: str
) -> None:
    shows("a", "b")
    correct_link("b", field, value)
    for show, title in (("a", "Looms"), ("b", "Reeds"), ("a", "Kettles")):
        take(tmp_path, show, [(title, [])])
    row = Link.objects.get(key="gh:looms/reeds#5")
    assert value in (row.title, row.kind, row.replacement)
    dropped = catalog_tables()
    call_command("rebuild", verbosity=0)
    assert differences(dropped, catalog_tables()) == {}


def test_an_import_asks_for_nothing_of_other_shows(tmp_path: Path) -> None:
    shows("a", "b")
    take(tmp_path, "a", [(f"Looms {n}", [(f"Ada Loom{'abcdefgh'[n % 8]}", "")]) for n in range(30)])
    credited = Credit.objects.count()
    with CaptureQueriesContext(connection) as few:
        take(tmp_path, "b", [("Reeds", [("Bo Reed", "")])])
    assert credited == 30
    for table in ("episodes_person", "episodes_codename", "episodes_link", "episodes_redirect"):
        whole = [q["sql"] for q in few if q["sql"].startswith("SELECT") and f'FROM "{table}"' in q["sql"]]
        assert all("WHERE" in sql for sql in whole), whole
