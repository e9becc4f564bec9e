"""People of one name stay two until a curator joins them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.inbox_sections import InboxRow, first_inbox_rows
from episodes.curation import CorrectionSubject, add_list_entry, merge_subjects, undo_change
from episodes.models import Change, Credit, Episode, Person, Podcast

from .conftest import logged_in
from .test_inbox import INBOX

pytestmark = pytest.mark.django_db


@pytest.fixture
def namesakes(talks: Podcast, curator: User) -> None:
    """Two people of one name, whom two shows credit."""
    episodes = list(Episode.objects.filter(podcast=talks).order_by("order"))
    add_list_entry(curator, episodes[0], "person", "bo-lund@small-talks", "host Bo Lund")
    add_list_entry(curator, episodes[1], "person", "bo-lund@rope-hour", "guest Bo Lund")


def rows() -> list[InboxRow]:
    return [row for row in first_inbox_rows(50) if row.section.slug == "namesake"]


def press(user: User, act: str) -> None:
    (row,) = rows()
    sent = {"kind": "namesake", "row": row.target.pk, "token": row.token, "act": act}
    assert logged_in(user).post(INBOX, sent, follow=True).status_code == 200


@pytest.mark.usefixtures("namesakes")
def test_pages_name_the_other_person(client: Client) -> None:
    for person in Person.objects.filter(name="Bo Lund"):
        other = Person.objects.filter(name="Bo Lund").exclude(pk=person.pk).get()
        page = " ".join(client.get(person.get_absolute_url()).content.decode().split())
        assert f'<a href="{other.get_absolute_url()}">Another Bo Lund</a>: {other.roles_in_shows()}' in page


@pytest.mark.usefixtures("namesakes")
def test_one_press_joins_two_people(curator: User) -> None:
    press(curator, "same")
    assert rows() == []
    assert Person.objects.filter(name="Bo Lund").count() == 1
    assert Credit.objects.filter(person__name="Bo Lund").count() == 2
    undo_change(curator, Change.objects.latest("pk"))
    assert len(rows()) == 1


@pytest.mark.usefixtures("namesakes")
def test_different_people_are_not_asked_about_again(curator: User) -> None:
    press(curator, "different")
    assert rows() == []
    assert Person.objects.filter(name="Bo Lund").count() == 2
    undo_change(curator, Change.objects.latest("pk"))
    assert len(rows()) == 1


@pytest.mark.usefixtures("namesakes")
def test_joined_people_are_not_asked_about(curator: User) -> None:
    one, other = Person.objects.filter(name="Bo Lund")
    merge_subjects(curator, CorrectionSubject.from_row(one), CorrectionSubject.from_row(other))
    assert rows() == []
