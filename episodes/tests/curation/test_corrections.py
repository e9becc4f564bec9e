"""People, links, symbols, references, images, texts and details as curators correct them: on every page and export,
through every import and rebuild, and back to the byte when it is undone."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes import curation
from episodes.curation import CorrectionSubject, InvalidChange
from episodes.curation.decide import find_or_compute_person_identity
from episodes.models import (
    Change,
    CodeName,
    Credit,
    Decision,
    Episode,
    EpisodeLink,
    Image,
    Link,
    Person,
    Podcast,
    Reference,
)
from episodes.outputs import picture_of
from episodes.resolve import background
from episodes.resolve.write import compute_catalog, update_catalog

from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .conftest import export, small_show

CASES = cases("curation_corrections")

DEAD = "https://dead.example/papers/kettle.html"
ARCHIVED = "https://web.archive.org/web/20210501/https://dead.example/papers/kettle.html"
GUESTS = ("Horace He", "Horace", "Horace", "Kim Lee")
TITLES = ("Kettles", "Ladders", "Mirrors", "Needles")
PHOTO = "https://images.example/horace.png"
PHOTO_NAME = f"{'a' * 32}-{'1' * 8}"  # of the files that are kept of it


def feed(count: int, guests: tuple[str, ...] = GUESTS, channel: str = "") -> bytes:
    """The newest first; each with a guest, the dead link and a symbol in its notes."""
    items = "".join(
        f"<item><title>{TITLES[n]}</title><guid>small-{n}</guid><pubDate>{n + 1:02} May 2021 13:00:00 GMT</pubDate>"
        f"<podcast:person role='guest'>{guests[n]}</podcast:person><podcast:location>Bath {n}</podcast:location>"
        f"<description>Number {n} is about {TITLES[n]}: how kettle_lid and KettleLid fit, see {DEAD} "
        f"and https://github.com/small/talks/issues/{n + 1}</description></item>"
        for n in reversed(range(count))
    )
    spaces = 'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    text = f'<rss version="2.0" {spaces}><channel><title>Small Talks</title>{channel}{items}</channel></rss>'
    return text.encode()


Importing = Callable[..., None]


@pytest.fixture
def again(db: None) -> Importing:
    made_once(three_episodes)
    return lambda count, **more: take("feed", feed(count, **more), "--accept")


def three_episodes() -> None:
    small_show()
    take("feed", feed(3), "--accept")


def person(name: str) -> CorrectionSubject:
    return CorrectionSubject.from_row(Person.objects.get(name=name))


def link() -> CorrectionSubject:
    return CorrectionSubject.from_row(Link.objects.get(key__contains="dead.example"))


def symbol(name: str) -> CorrectionSubject:
    return CorrectionSubject.from_row(CodeName.objects.get(name=name))


def guests() -> dict[str, str]:
    """The people of each episode, by its title."""
    rows = Credit.objects.order_by("episode__order", "person__name").values_list("episode__title", "person__name")
    found: dict[str, str] = {}
    for title, name in rows:
        found[title] = f"{found[title]}, {name}" if title in found else name
    return found


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def of_export(title: str) -> dict[str, Any]:
    found: dict[str, Any] = next(e for e in json.loads(export())["episodes"] if e["title"] == title)
    return found


def held_by_all(check: Callable[[], bool], again: Importing) -> None:
    """It is so now, after another import, and after a rebuild; and undone, nothing is left of it."""
    assert check()
    again(4)
    assert check()
    call_command("rebuild", verbosity=0)
    assert check()


def undone(user: User, before: str) -> None:
    for change in Change.objects.order_by("-id"):
        curation.undo_change(user, change)
    assert export() == before


def test_a_person_keeps_a_name_page_and_photo(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    values = {"name": "Horace H.", "url": "https://horace.example/", "image": PHOTO}
    curation.save_corrections(curator, person("Horace He"), values)

    def kept() -> bool:
        row = Person.objects.get(name="Horace H.")
        return (row.url, row.image_url, row.slug) == ("https://horace.example/", PHOTO, "horace-h")

    held_by_all(kept, again)
    shown = page("/people/horace-h/")
    assert "https://horace.example/" in shown
    assert "Horace He" in shown, "credited as"
    credit = {"name": "Horace H.", "role": "guest", "url": "https://horace.example/", "image_url": PHOTO}
    assert of_export("Kettles")["people"] == [credit]
    assert f'role="guest" href="http://testserver/people/horace-h/" img="{PHOTO}">Horace H.<' in page("/episodes.rss")
    assert "Kettles" in page("/episodes/?q=Horace+H.")
    undone(curator, before)


def test_merged_person_stays_merged_after_imports(curator: User, again: Importing) -> None:
    later = ("Horace He", "Horace", "Horace", "Horace")
    before = curation.run_and_roll_back(lambda: again(4, guests=later), export)
    curation.merge_subjects(curator, person("Horace"), person("Horace He"))
    assert guests() == {"Kettles": "Horace He", "Ladders": "Horace He", "Mirrors": "Horace He"}
    again(4, guests=later)
    call_command("rebuild", verbosity=0)
    assert set(guests().values()) == {"Horace He"}
    assert [p["name"] for p in of_export("Needles")["people"]] == ["Horace He"]
    undone(curator, before)


def test_merge_target_keeps_its_shorter_name(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    curation.merge_subjects(curator, person("Horace He"), person("Horace"))

    def is_horace() -> bool:
        row = Person.objects.get(identity="horace@small-talks")
        return (row.name, row.slug) == ("Horace", "horace")

    held_by_all(is_horace, again)
    assert Client().get("/people/horace-he/")["Location"] == "/people/horace/"
    shown = page("/people/horace/")
    assert "<h1>Horace</h1>" in shown
    assert "Horace He" in shown, "credited as"
    assert [credit["name"] for credit in of_export("Kettles")["people"]] == ["Horace"]
    undone(curator, before)


def test_corrections_of_merge_target_win(curator: User, again: Importing) -> None:
    again(4)
    curation.save_corrections(
        curator, person("Horace He"), {"name": "Horace Henry He", "url": "https://henry.example/"}
    )
    curation.save_corrections(curator, person("Kim Lee"), {"url": "https://kim.example/"})
    curation.remove_list_entry(curator, Episode.objects.get(title="Ladders"), "person", person("Horace").key)
    curation.merge_subjects(curator, person("Horace"), person("Horace Henry He"))
    henry = "Horace Henry He"
    assert guests() == {"Kettles": henry, "Mirrors": henry, "Needles": "Kim Lee"}, "who was removed stays removed"
    curation.merge_subjects(curator, person("Horace Henry He"), person("Kim Lee"))
    row = Person.objects.get(slug="kim-lee")
    assert (row.name, row.url) == ("Kim Lee", "https://kim.example/")
    later = Podcast.objects.create(slug="large", title="Large Talks", rank=7)
    later.sources.create(slug="feed", reader="feed", may_create=True, own=True)
    take("feed", feed(1, guests=("Bo Ek",)).replace(b"small-", b"large-"), "--podcast", "large", "--accept")
    curation.merge_subjects(curator, person("Kim Lee"), person("Bo Ek"))
    kettles = Credit.objects.get(episode__podcast__slug="small-talks", episode__title="Kettles")
    assert kettles.person.name == "Bo Ek"


def test_who_is_no_person_stays_away(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    horace = person("Horace")
    curation.hide_subject(curator, horace)
    assert horace.corrections_of_kind.get().reason == ""
    held_by_all(lambda: "Horace" not in guests().values() and guests()["Kettles"] == "Horace He", again)
    curation.save_corrections(curator, horace, {"hidden": ""})
    assert guests()["Ladders"] == "Horace"
    undone(curator, before)


def test_corrected_person_survives_new_identity(curator: User, again: Importing) -> None:
    curation.save_corrections(curator, person("Horace He"), {"name": "Horace the Great"})
    linked = feed(4).replace(b"role='guest'>Horace He", b"role='guest' href='https://horace.example'>Horace He")
    take("feed", linked, "--accept")
    assert guests()["Kettles"] == "Horace the Great"
    assert "horace.example" in Person.objects.get(name="Horace the Great").identity
    call_command("rebuild", verbosity=0)
    assert guests()["Kettles"] == "Horace the Great"
    curation.merge_subjects(curator, person("Horace the Great"), person("Kim Lee"))
    assert guests()["Kettles"] == "Kim Lee"


def test_addresses_that_people_had_lead_to_them(curator: User, again: Importing) -> None:
    client = Client()
    curation.save_corrections(curator, person("Horace He"), {"name": "Horace H."})
    curation.merge_subjects(curator, person("Horace"), person("Horace H."))
    for former in ("horace-he", "horace"):
        assert client.get(f"/people/{former}/")["Location"] == "/people/horace-h/"
        assert client.get(f"/people/{former}.rss")["Location"] == "/people/horace-h.rss"
        assert client.get(f"/people/{former}/").status_code == 301
    curation.hide_subject(curator, person("Horace H."))
    assert client.get("/people/horace-h/").status_code == 410
    assert client.get("/people/nobody-at-all/").status_code == 404


def test_key_stays_and_typed_value_is_cleaned(curator: User, db: None) -> None:
    one, other = CorrectionSubject("person", "one", "Ann"), CorrectionSubject("person", "two  blanks", "Bo")
    curation.merge_subjects(curator, one, other)
    curation.save_corrections(curator, one, {"name": " Ann \n Roe\0"})
    assert [row.value for row in one.corrections()] == ["two  blanks", "Ann Roe"]
    told = [line for change in Change.objects.order_by("pk") for line in change.told]
    assert told == [["same as", "", "Bo"], ["name", "", "Ann Roe"]]


def test_a_circle_of_merged_people_is_one_person(curator: User, again: Importing) -> None:
    one, other = person("Horace"), person("Horace He")
    curation.merge_subjects(curator, one, other)
    with pytest.raises(InvalidChange, match="one already"):
        curation.merge_subjects(curator, other, one)
    Decision.objects.create(kind="correct-person", key=other.key, field="same", value=one.key)
    call_command("rebuild", verbosity=0)
    assert len(set(guests().values())) == 1


def test_link_corrections_show_everywhere(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    curation.save_corrections(curator, link(), {"label": "The kettle paper", "kind": "paper", "replacement": ARCHIVED})

    def kept() -> bool:
        row = Link.objects.get(key__contains="dead.example")
        return (row.title, row.kind, row.replacement) == ("The kettle paper", "paper", ARCHIVED)

    held_by_all(kept, again)
    for title in TITLES:
        (own,) = (one for one in of_export(title)["links"] if "dead" in one["key"])
        assert (own["title"], own["kind"], own["replacement"]) == ("The kettle paper", "paper", ARCHIVED)
        shown = page(f"/episodes/{title.lower()}/")
        assert f'href="{ARCHIVED}"' in shown
        assert f'href="{DEAD}"' not in shown
        assert f"Instead of {DEAD}" in shown
        assert "The kettle paper" in page(f"/episodes/{title.lower()}.md")
    for address in ("/links/", "/links.csv", "/links.md", "/links/?kind=paper", "/search/suggest?q=kettle+paper"):
        assert "The kettle paper" in page(address).replace("<mark>", "").replace("</mark>", "")
    assert ARCHIVED in page("/links.csv")
    assert "Replaced address" in page(f"/links/item/?key={link().key}")
    assert ARCHIVED in page("/episodes.rss")
    undone(curator, before)


def test_curators_label_beats_notes(curator: User, again: Importing) -> None:
    found = Episode.objects.get(title="Kettles")
    curation.add_list_entry(curator, found, "link", DEAD, "On lids")
    assert found.mentions.get(link__key__contains="dead").text == "On lids"
    curation.add_list_entry(curator, found, "link", "https://example.org/get-started/pytorch-2.0/", "Get started")
    assert "Get started" in page(found.get_absolute_url())
    added = CorrectionSubject.from_row(Link.objects.get(key__contains="get-started"))
    curation.save_corrections(curator, added, {"label": "First steps"})
    shown = page(found.get_absolute_url())
    assert "First steps" in shown
    assert "Get started" not in shown


def test_repository_correction_ignores_spelling(curator: User, again: Importing) -> None:
    curation.save_corrections(curator, CorrectionSubject("link", "gh:small/talks#1", "#1"), {"kind": "github-pr"})
    assert Link.objects.get(key="gh:small/talks#1").kind == "github-pr"


def test_undo_resolves_only_shows_that_name_a_person(
    curator: User, again: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = Podcast.objects.create(slug="large", title="Large Talks", rank=7)
    later.sources.create(slug="feed", reader="feed", may_create=True, own=True)
    take("feed", feed(1, guests=("Bo Ek",)).replace(b"small-", b"large-"), "--podcast", "large", "--accept")
    before = export()
    curation.save_corrections(curator, person("Horace He"), {"name": "Horace H."})
    curation.merge_subjects(curator, person("Horace"), person("Horace H."))
    resolved = []

    def resolve(podcast: Podcast) -> object:
        resolved.append(podcast.slug)
        return update_catalog(podcast)

    monkeypatch.setattr(background, "update_catalog", resolve)
    undone(curator, before)
    assert resolved == ["small-talks", "small-talks"]


def names_and_links() -> list[tuple[Any, ...]]:
    """Return the people and links of all episodes, as a preview of a correction reads them."""
    people = Credit.objects.values_list("episode__slug", "person__name", "role", "credited_as")
    links = EpisodeLink.objects.values_list(
        "episode__slug", "link__key", "link__title", "link__kind", "link__replacement"
    )
    return [*people.order_by("pk"), *links.order_by("pk")]


@pytest.mark.parametrize(
    "correct",
    [
        lambda user: curation.save_corrections(user, person("Horace He"), {"name": "Horace H."}),
        lambda user: curation.hide_subject(user, person("Horace")),
        lambda user: curation.merge_subjects(user, person("Horace He"), person("Horace")),
        lambda user: curation.save_corrections(
            user, link(), {"label": "The paper", "kind": "paper", "replacement": ARCHIVED}
        ),
        lambda user: curation.hide_subject(user, link()),
    ],
)
def test_preview_of_correction_is_what_is_saved(
    curator: User, again: Importing, correct: Callable[[User], None]
) -> None:
    before = names_and_links()
    preview = curation.run_and_roll_back(lambda: correct(curator), names_and_links)
    assert names_and_links() == before
    correct(curator)
    assert names_and_links() == preview
    assert preview != before


def test_first_label_of_a_show_rewrites_one_episode(curator: User, again: Importing) -> None:
    issue = CorrectionSubject("link", "gh:small/talks#1", "#1")
    Decision.objects.create(kind="correct-link", key=issue.key, field="label", value="The first issue")
    changed = compute_catalog(Podcast.objects.get()).result.episodes
    assert [episode.slug for episode in changed] == ["kettles"]


def test_a_hidden_link_stays_away_everywhere(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    curation.hide_subject(curator, link())
    held_by_all(lambda: "dead.example" not in json.dumps(of_export("Kettles")["links"]), again)
    for address in ("/links.csv", "/links/", "/search/suggest?q=dead.example"):
        assert "dead.example" not in page(address)
    shown = page("/episodes/kettles/")
    assert DEAD in shown, "the words of the notes stay"
    assert f'href="{DEAD}"' not in shown + page("/episodes.rss")
    undone(curator, before)


@pytest.mark.parametrize("kind, key, detail", [("link", DEAD, ""), ("person", "", "guest Horace")])
@pytest.mark.parametrize("has_page", [False, True])
def test_hidden_subject_is_not_added(
    curator: User, again: Importing, kind: str, key: str, detail: str, has_page: bool
) -> None:
    if has_page:
        linked = feed(3).replace(b"role='guest'>Horace<", b"role='guest' href='https://horace.example'>Horace<")
        take("feed", linked, "--accept")
    curation.hide_subject(curator, link() if kind == "link" else person("Horace"))
    kettles = Episode.objects.get(title="Kettles")
    identity = find_or_compute_person_identity(kettles.podcast, "Horace")
    with pytest.raises(InvalidChange, match=r"is hidden on every page, by carla\. Undo that in History first\."):
        curation.add_list_entry(curator, kettles, kind, key or identity, detail)
    curation.undo_change(curator, Change.objects.get())
    curation.add_list_entry(curator, Episode.objects.get(title="Kettles"), kind, key or identity, detail)
    added_names = {"link": "Horace He", "person": "Horace, Horace He"}
    assert guests()["Kettles"] == added_names[kind]


def symbols() -> set[str]:
    return set(CodeName.objects.values_list("name", flat=True))


def test_symbol_is_a_spelling_or_none(curator: User, again: Importing) -> None:
    assert symbols() == {"kettle_lid", "KettleLid"}
    curation.merge_subjects(curator, symbol("kettle_lid"), symbol("KettleLid"))
    held_by_all(lambda: symbols() == {"KettleLid"}, again)
    shown = re.sub("</?mark>", "", page(CodeName.objects.get().get_absolute_url()))
    assert "kettle_lid and KettleLid" in shown
    curation.undo_change(curator, Change.objects.get())
    assert symbols() == {"kettle_lid", "KettleLid"}
    curation.hide_subject(curator, symbol("kettle_lid"))
    held_by_all(lambda: symbols() == {"KettleLid"}, again)
    assert "kettle_lid" not in page("/names/")
    curation.undo_change(curator, Change.objects.latest("pk"))
    assert symbols() == {"kettle_lid", "KettleLid"}


def test_reference_changes_kind_and_keeps_words(curator: User, catalog: None) -> None:
    before = export()
    found = Reference.objects.exclude(evidence="").exclude(kind="follow-up").select_related("episode", "target")[0]
    one, other, words = found.episode.slug, found.target.slug, found.evidence
    curation.add_list_entry(
        curator, found.episode, "reference", " ".join(curation.first_anchor(found.target)), "follow-up"
    )
    call_command("rebuild", verbosity=0)
    now = Reference.objects.get(episode__slug=one, target__slug=other)
    assert (now.kind, now.evidence) == ("follow-up", words)
    undone(curator, before)


def test_an_image_is_corrected_or_taken_away(curator: User, again: Importing) -> None:
    Image.objects.create(address=PHOTO, name=PHOTO_NAME, width=96, height=96)
    before = curation.run_and_roll_back(lambda: again(4), export)
    found = Episode.objects.get(title="Kettles")
    curation.override_fields(curator, found, {"image_url": PHOTO})
    held_by_all(lambda: of_export("Kettles")["image_url"] == PHOTO, again)
    assert f"/media/{PHOTO_NAME}-600.webp" in page("/episodes/kettles/")
    assert PHOTO in page("/episodes.rss")
    curation.override_fields(curator, Episode.objects.get(title="Kettles"), {"image_url": ""})
    assert of_export("Kettles")["image_url"] is None
    undone(curator, before)


def test_show_keeps_edited_texts_and_cover(administrator: User, again: Importing) -> None:
    said = (
        "<language>{}</language><itunes:author>Ann</itunes:author><description>On kettles</description>"
        '<itunes:image href="https://images.example/cover.png"/>'
    )
    again(3, channel=said.format("en"))
    show = Podcast.objects.get()
    assert (show.author, show.image_url) == ("Ann", "https://images.example/cover.png")
    show.title, show.author, show.image_url = "Smaller Talks", "Ann Roe", ""
    curation.save_row(administrator, show)
    again(4, channel=said.format("sv"))
    call_command("rebuild", verbosity=0)
    show = Podcast.objects.get()
    assert (show.title, show.author, show.language) == ("Smaller Talks", "Ann Roe", "sv")
    picture = picture_of(show)
    assert picture is not None
    assert picture.is_drawn
    otherwise = curation.feed_values_of_edited_columns(show)
    assert otherwise == {"title": "Small Talks", "author": "Ann", "image_url": "https://images.example/cover.png"}
    show.author, show.image_url = otherwise["author"], otherwise["image_url"]
    curation.save_row(administrator, show)
    assert (show.title, show.author) == ("Smaller Talks", "Ann")
    assert curation.feed_values_of_edited_columns(show) == {"title": "Small Talks"}
    again(4, channel=said.format("sv").replace("Ann", "Bo"))
    assert Podcast.objects.get().author == "Bo"


def test_details_are_corrected_line_by_line(curator: User, again: Importing) -> None:
    before = curation.run_and_roll_back(lambda: again(4), export)
    found = Episode.objects.get(title="Kettles")
    typed = "location | Leith | geo:55.9,-3.1\nlicense | CC BY | https://licenses.example/by"
    curation.override_fields(curator, found, {"details": typed})
    rows = [
        {"kind": "location", "name": "Leith", "geo": "geo:55.9,-3.1"},
        {"kind": "license", "name": "CC BY", "url": "https://licenses.example/by"},
    ]
    held_by_all(lambda: of_export("Kettles")["details"] == rows, again)
    assert "Leith" in page("/episodes/kettles/")
    assert "<podcast:location" in page("/episodes.rss")
    curation.unlock_fields(curator, Episode.objects.get(title="Kettles"), "details")
    assert of_export("Kettles")["details"] == [{"kind": "location", "name": "Bath 0"}]
    undone(curator, before)


@pytest.mark.parametrize("typed", CASES["details_that_are_none_are_refused"])
def test_details_that_are_none_are_refused(curator: User, again: Importing, typed: str) -> None:
    with pytest.raises(
        InvalidChange, match=rf"^Details: “{re.escape(typed)}” cannot be used\. Enter one per line, such as "
    ):
        curation.override_fields(curator, Episode.objects.get(title="Kettles"), {"details": typed})
