"""The screens on which people, links and symbols are corrected: what they preview, what they do, and for whom."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.models import Change, CodeName, Decision, Link, Person

from ..curation.test_corrections import ARCHIVED, Importing, again, guests
from .conftest import logged_in, said

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
    shown = client.get(at(row, name))
    values = {field.name: field.value() or "" for field in shown.context["form"]}
    return {"seen": shown.context["token"], **values}


def test_only_typed_values_are_corrected(client: Client) -> None:
    for row in (person("Horace"), dead()):
        assert client.post(at(row), form(client, row)).status_code == 302
    assert not Change.objects.exists()
    answer = client.post(at(dead()), form(client, dead()) | {"replacement": "ftp://dead.example/"})
    assert "is not a web address" in said(answer)
    data = form(client, person("Horace")) | {"url": "https://horace.example/"}
    client.post(at(person("Horace")), data)
    assert list(Decision.objects.filter(kind__startswith="correct-").values_list("field", flat=True)) == ["url"]


def test_preview_names_affected_episodes_only(client: Client) -> None:
    data = form(client, person("Horace")) | {"name": "Horace A.", "_preview": "1"}
    answer = client.post(at(person("Horace")), data)
    rows = sorted((name, was, now) for name, _, was, now in answer.context["rows"])
    assert rows == [
        ("Ladders", "Horace (guest)", "Horace A. (guest, credited as Horace)"),
        ("Mirrors", "Horace (guest)", "Horace A. (guest, credited as Horace)"),
    ]
    assert not Change.objects.exists()
    assert Person.objects.filter(name="Horace").exists()


def test_preview_of_merge_names_who_stays(client: Client) -> None:
    data = form(client, person("Horace He"), "merge") | {"into": "horace", "_preview": "1"}
    answer = client.post(at(person("Horace He"), "merge"), data)
    ((_, _, was, now),) = answer.context["rows"]
    assert (was, now) == ("Horace He (guest)", "Horace (guest, credited as Horace He)")
    sentence = "Every page will show “Horace” at /people/horace/, with its corrections, in place of “Horace He”."
    assert sentence in said(answer)


def test_hidden_person_is_previewed_and_restored(client: Client) -> None:
    row = person("Horace")
    asked = client.get(at(row, "delete"))
    assert sorted(name for name, *_ in asked.context["rows"]) == ["Ladders", "Mirrors"]
    client.post(at(row, "delete"), {"seen": asked.context["token"]})
    (change,) = client.get("/admin/episodes/change/?verb=hide+person").context["cl"].result_list
    assert "Horace" not in guests().values()
    client.post(f"/admin/episodes/change/{change.pk}/change/")
    assert "Horace" in guests().values()


def test_stale_form_is_refused_with_typed_values(client: Client) -> None:
    data = form(client, person("Horace")) | {"name": "Mine"}
    client.post(at(person("Horace")), {**data, "name": "Theirs"})
    answer = client.post(at(person("Theirs")), data)
    assert "since you opened this form" in said(answer)
    assert 'value="Mine"' in said(answer)


def test_merge_into_changed_person_is_refused(client: Client) -> None:
    horace = person("Horace He")
    page = client.get(at(horace, "merge"), {"into": "horace"})
    client.post(at(person("Horace")), form(client, person("Horace")) | {"url": "https://horace.example/"})
    sent = {"into": "horace", "seen": page.context["token"]}
    assert "Somebody changed “Horace” since" in said(client.post(at(horace, "merge"), sent))
    assert Person.objects.filter(name="Horace He").exists()


def test_dead_link_is_replaced_by_proposed_copy(client: Client) -> None:
    data = form(client, dead()) | {"use_proposed": "1", "label": "On kettles"}
    assert ARCHIVED in said(client.get(at(dead())))
    client.post(at(dead()), data)
    assert (dead().replacement, dead().title) == (ARCHIVED, "On kettles")
    shown = client.get(at(dead()))
    assert "Use this copy" not in said(shown)
    assert list(shown.context["changes"]) == list(Change.objects.all()), "its own change is listed"
