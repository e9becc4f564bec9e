"""The screens on which people, links and symbols are corrected: what they preview, what they do, and for whom."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import anchor
from episodes.models import Change, CodeName, Credit, Decision, Episode, Link, Person, Podcast, Reference

from ..curation.test_corrections import ARCHIVED, Importing, again, guests
from .conftest import do, form_of, logged_in, said

__all__ = ["again"]


@pytest.fixture
def client(curator: User, again: Importing) -> Client:
    return logged_in(curator)


def at(row: Person | Link | CodeName, name: str = "change") -> str:
    return reverse(f"admin:episodes_{row._meta.model_name}_{name}", args=(row.pk,))


def person(name: str) -> Person:
    return Person.objects.get(name=name)


def dead() -> Link:
    return Link.objects.get(key__contains="dead.example")


def form(client: Client, row: Person | Link | CodeName, name: str = "change") -> dict[str, str]:
    """The form as a browser would send it if nothing was typed."""
    shown = client.get(at(row, name))
    values = {field.name: field.value() or "" for field in shown.context["form"]}
    return {"seen": shown.context["seen"], **values}


def test_the_page_of_a_person_has_their_episodes(client: Client) -> None:
    page = said(client.get(at(person("Horace"))))
    assert "Ladders" in page
    assert "Mirrors" in page
    assert "Kettles" not in page


def test_a_form_in_which_nothing_is_typed_changes_nothing(client: Client) -> None:
    for row in (person("Horace"), dead()):
        assert client.post(at(row), form(client, row)).status_code == 302
    assert not Change.objects.exists()


def test_a_preview_names_the_episodes_that_change_and_saves_nothing(client: Client) -> None:
    data = form(client, person("Horace")) | {"name": "Horace A.", "_preview": "1"}
    answer = client.post(at(person("Horace")), data)
    rows = sorted((row.name, row.before, row.after) for row in answer.context["rows"])
    assert rows == [
        ("Ladders", "Horace (guest)", "Horace A. (guest, credited as Horace)"),
        ("Mirrors", "Horace (guest)", "Horace A. (guest, credited as Horace)"),
    ]
    assert not Change.objects.exists()
    assert Person.objects.filter(name="Horace").exists()


def test_a_preview_is_what_is_done(client: Client) -> None:
    horace, he = person("Horace"), person("Horace He")
    address = f"{at(horace, 'merge')}?into={he.slug}"
    shown = client.get(address)
    foreseen = {row.name: row.after for row in shown.context["rows"]}
    data = {"into": he.slug, "seen": shown.context["seen"], "reason": "one man"}
    answer = client.post(at(horace, "merge"), data)
    assert answer["Location"] == at(person("Horace He"))
    assert foreseen == dict.fromkeys(("Ladders", "Mirrors"), "Horace He (guest, credited as Horace)")
    assert set(guests().values()) == {"Horace He"}
    assert Change.objects.get().reason == "one man"
    assert "“Horace” is the same" in said(client.get(answer["Location"]))


def test_a_name_left_as_the_notes_have_it_goes_on_following_them(client: Client) -> None:
    data = form(client, person("Horace")) | {"url": "https://horace.example/"}
    client.post(at(person("Horace")), data)
    assert list(Decision.objects.filter(kind__startswith="correct-").values_list("field", flat=True)) == ["url"]


def test_who_is_no_person_is_previewed_and_comes_back_by_the_history(client: Client) -> None:
    row = person("Horace")
    asked = client.get(at(row, "delete"))
    assert sorted(e.name for e in asked.context["rows"]) == ["Ladders", "Mirrors"]
    client.post(at(row, "delete"), {"seen": asked.context["seen"]})
    (change,) = client.get("/admin/episodes/change/?verb=hide+person").context["cl"].result_list
    assert "Horace" not in guests().values()
    client.post(f"/admin/episodes/change/{change.pk}/change/")
    assert "Horace" in guests().values()


def test_a_stale_form_is_refused_and_keeps_what_was_typed(client: Client) -> None:
    data = form(client, person("Horace")) | {"name": "Mine"}
    client.post(at(person("Horace")), {**data, "name": "Theirs"})
    answer = client.post(at(person("Theirs")), data)
    assert "since you opened this form" in said(answer)
    assert 'value="Mine"' in said(answer)


def test_a_dead_link_is_replaced_by_the_copy_that_is_proposed(client: Client) -> None:
    data = form(client, dead()) | {"use_proposed": "1", "label": "On kettles"}
    assert ARCHIVED in said(client.get(at(dead())))
    client.post(at(dead()), data)
    assert (dead().replacement, dead().title) == (ARCHIVED, "On kettles")
    assert "Use this copy" not in said(client.get(at(dead())))


def test_a_link_says_what_is_wrong_with_an_address(client: Client) -> None:
    answer = client.post(at(dead()), form(client, dead()) | {"replacement": "ftp://dead.example/"})
    assert "is not a web address" in said(answer)


def test_only_people_of_one_name_are_told_apart_where_one_is_merged_into_another(client: Client) -> None:
    for slug, name in (("ada-1", "Ada"), ("ada-2", "Ada"), ("bo", "Bo")):
        Person.objects.create(slug=slug, name=name, identity=f"{slug}@small-talks")
    page = client.get(at(person("Horace"), "merge")).content.decode()
    assert [f">{shown}</option>" in page for shown in ("Ada (ada-1@small-talks)", "Ada (ada-2@small-talks)", "Bo")] == [
        True
    ] * 3


def test_a_symbol_is_merged_and_hidden(client: Client) -> None:
    lid, other = CodeName.objects.get(name="kettle_lid"), CodeName.objects.get(name="KettleLid")
    seen = client.get(at(lid, "merge"), {"into": other.slug}).context["seen"]
    client.post(at(lid, "merge"), {"into": other.slug, "seen": seen})
    assert list(CodeName.objects.values_list("name", flat=True)) == ["KettleLid"]
    row = CodeName.objects.get()
    client.post(at(row, "delete"), {"seen": client.get(at(row, "delete")).context["seen"]})
    assert not CodeName.objects.exists()


# --- On the form of an episode -----------------------------------------------------------------------------------------


def screen(title: str) -> str:
    return reverse("admin:episodes_episode_change", args=(Episode.objects.get(title=title).slug,))


def test_the_form_of_an_episode_leads_to_its_people_links_and_symbols(client: Client) -> None:
    page = said(client.get(screen("Kettles")))
    for row in (person("Horace He"), dead(), CodeName.objects.get(name="KettleLid")):
        assert at(row) in page


def test_a_role_is_changed_on_the_form_of_the_episode(client: Client) -> None:
    key = person("Horace He").identity
    data = form_of(client, screen("Kettles")) | {"person_1": "host Horace He"}
    kettles = Episode.objects.get(title="Kettles")
    client.post(do(kettles, "keep", kind="person", key=key, choice="person_1"), data)
    assert list(Credit.objects.filter(episode__title="Kettles").values_list("role", "credited_as")) == [
        ("host", "Horace He")
    ]


def test_a_relation_is_changed_on_the_form_of_the_episode(client: Client) -> None:
    data = form_of(client, screen("Kettles"))
    kettles = Episode.objects.get(title="Kettles")
    new = {"new_reference": "Ladders", "new_relation": "see-also"}
    client.post(screen("Kettles"), data | new)
    data = form_of(client, screen("Kettles"))
    change = do(
        kettles,
        "keep",
        kind="reference",
        key=" ".join(anchor(Episode.objects.get(title="Ladders"))),
        choice="reference_1",
    )
    client.post(change, data | {"reference_1": "follow-up"})
    assert Reference.objects.get().kind == "follow-up"


# --- A show ---------------------------------------------------------------------------------------------------------


def test_the_form_of_a_show_tells_what_its_feed_has(administrator: User, again: Importing) -> None:
    again(3, channel="<itunes:author>Ann</itunes:author>")
    show = Podcast.objects.get()
    page = reverse("admin:episodes_podcast_change", args=(show.pk,))
    assert "The feed has" not in said(logged_in(administrator).get(page))
    Podcast.objects.update(author="Bo")
    assert "<td>Author</td><td>Ann</td>" in said(logged_in(administrator).get(page))


@pytest.mark.parametrize("values", [{"url": "javascript:alert(1)"}, {"image": "/photo.png"}, {"name": "x" * 301}])
def test_a_value_that_is_none_is_refused_at_its_field(curator: User, again: Importing, values: dict[str, str]) -> None:
    row = person("Horace")
    shown = logged_in(curator).post(at(row), {"name": row.name} | values)
    assert [*shown.context["form"].errors] == [*values]
    assert not Change.objects.exists()


# --- Who may ----------------------------------------------------------------------------------------------------------


def test_a_viewer_reads_and_changes_nothing(viewer: User, again: Importing) -> None:
    client = logged_in(viewer)
    for row in (person("Horace"), dead(), CodeName.objects.get(name="KettleLid")):
        assert client.get(at(row)).status_code == 200
        assert client.post(at(row), {"name": "Hacked", "label": "Hacked"}).status_code == 403
        assert client.post(at(row, "delete"), {}).status_code == 403
    assert not Change.objects.exists()
