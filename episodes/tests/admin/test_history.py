"""The history: who, when, before and after; every change is taken back, also those of a selection as one."""

import re

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from episodes.curation import (
    accept_suggestion,
    decide_match,
    first_anchor,
    override_fields,
    record_account_change,
    record_failed_login,
    save_row,
    unlock_fields,
    withdraw_episode,
)
from episodes.curation import record_login as note_login
from episodes.models import Change, Decision, Held, Podcast, Source, Suggestion, Topic

from ..curation.conftest import export, staff
from .conftest import at, episode, logged_in, said

LIST = "/admin/episodes/change/"


def change(user: User, **values: str) -> Change:
    override_fields(user, episode(1), values, reason="a reason")
    return Change.objects.latest("id")


def test_the_list_says_who_when_before_and_after(client: Client, curator: User) -> None:
    values = {"number": "12", "season": "2", "title": "Ladders", "published": "2021-08-18"}
    assert len(change(curator, **values, duration_seconds="14 min").told) == 5
    page = said(client.get(LIST))
    for words in ("carla", '<ins class="now">12</ins>', "<div>Reason: a reason</div>"):
        assert words in page
    for query in ("?q=ladders", "?q=reason", f"?made_by__id__exact={curator.pk}", "?verb=edit", "?q=12"):
        assert "1 change" in said(client.get(LIST + query)), query
    assert "0 changes" in said(client.get(LIST + "?q=nothing-like-it"))


def test_accepted_suggestions_count_for_their_show(client: Client, curator: User, talks: Podcast) -> None:
    Podcast.objects.create(slug="loom", title="Loom")
    for field, value in (("guest", "Ada Roe"), ("other", "The audio is cut.")):
        suggestion = Suggestion(kind="episode", podcast=talks, field=field, value=value)
        suggestion.source, suggestion.item_key = first_anchor(episode(1))
        accept_suggestion(curator, suggestion)
    page = said(client.get(LIST))
    for words in (">All<", ">Accepted reader’s suggestion (2)<", ">Small Talks (2)<", ">Loom (0)<"):
        assert words in page
    assert " total" not in page
    assert "2 changes" in said(client.get(f"{LIST}?podcast__id__exact={talks.pk}"))
    # As an earlier release stored them: the last change of the batch has no show.
    Change.objects.filter(about__startswith="suggestion:").update(podcast=None)
    assert ">Small Talks (1)<" in said(client.get(LIST))


def test_active_and_ended_decisions_are_separate(client: Client, curator: User, administrator: User) -> None:
    for number in ("12", "13"):  # the second one ends the first
        change(curator, number=number)
    assert "2 decisions" in said(client.get("/admin/episodes/decision/"))
    for state, value, other in (("force", "13", "12"), ("ended", "12", "13")):
        page = said(client.get(f"/admin/episodes/decision/?state={state}"))
        decided = re.findall(r'class="field-decided">(.*?)</td>', page)
        assert (len(decided), value in decided[0], other in decided[0]) == (1, True, False)
    unlock_fields(administrator, episode(1), "number")
    assert {(row.made_by, row.ended_at is None) for row in Decision.objects.all()} == {(curator, False)}


def test_a_decision_without_entry_names_no_withdrawn_episode(client: Client, curator: User) -> None:
    taken_out = episode(1).title
    withdraw_episode(curator, episode(1), "hidden")
    Decision.objects.create(kind="correct-link", key="a.example/1", field="label", value="B", made_by=curator)
    subjects = re.findall(r'class="field-subject">(.*?)</td>', said(client.get("/admin/episodes/decision/")))
    assert sorted(subjects) == sorted([taken_out, "a.example/1"])


def test_a_change_is_taken_back_after_a_question(client: Client, curator: User) -> None:
    before = export()
    made = change(curator, number="12")
    assert "Undo this" in said(client.get(f"{LIST}{made.pk}/change/"))
    assert export() != before
    answer = client.post(f"{LIST}{made.pk}/change/", {"next": at(episode(1))}, follow=True)
    assert answer.redirect_chain[-1][0] == at(episode(1))
    assert "Undone" in said(answer)
    assert export() == before
    assert "field-undone_by" in said(client.get(LIST))
    assert "Undo this" not in said(client.get(f"{LIST}{made.pk}/change/"))


def test_undo_and_its_cancel_link_lead_nowhere_else(client: Client, curator: User) -> None:
    made = change(curator, number="12")
    page = said(client.get(f"{LIST}{made.pk}/change/", {"next": at(episode(1))}))
    assert f'href="{at(episode(1))}">Cancel' in page
    for address in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        page = said(client.get(f"{LIST}{made.pk}/change/", {"next": address}))
        assert address not in page
        assert f'href="{LIST}">Cancel' in page
    answer = client.post(f"{LIST}{made.pk}/change/", {"next": "https://evil.example/"})
    assert answer["Location"] == LIST
    assert "undone already" in said(client.post(f"{LIST}{made.pk}/change/", follow=True))


def test_only_administrators_read_logins_below_a_change(
    talks: Podcast, viewer: User, curator: User, administrator: User
) -> None:
    record_account_change(administrator, "change account", administrator, [["active", "no", "yes"]])
    made = Change.objects.latest("id")
    record_account_change(administrator, "change account", administrator, [["email", "", "root@example"]])
    note_login(administrator, "203.0.113.77")
    record_failed_login(administrator.username, "198.51.100.5", timezone.now())
    address = f"{LIST}{made.pk}/change/"
    for user in (viewer, curator):
        page = said(logged_in(user).get(address))
        assert "root@example" in page
        assert "203.0.113.77" not in page
        assert "198.51.100.5" not in page
    assert "203.0.113.77" in said(logged_in(administrator).get(address))


def test_a_conflict_is_told_with_what_came_after(client: Client, curator: User) -> None:
    made = change(curator, number="12")
    change(curator, number="13")
    answer = client.post(f"{LIST}{made.pk}/change/", follow=True)
    assert "Can’t undo: “edited: All about" in said(answer)
    for words in ("(carla, ", "depends on it. Undo that first.", "Later changes to the same item"):
        assert words in said(answer)
    assert Decision.objects.get(kind="value", ended_at=None).value == "13"
    client.post(f"{LIST}{Change.objects.latest('id').pk}/change/")
    client.post(f"{LIST}{made.pk}/change/")
    assert not Decision.objects.filter(kind="value", ended_at=None).exists()


def test_undo_needs_the_role_of_change(talks: Podcast, viewer: User, curator: User, administrator: User) -> None:
    made = change(curator, number="12")
    source = Source.objects.get(slug="other")
    source.rank = 9
    save_row(administrator, source)
    configured = Change.objects.latest("id")
    nobody = User.objects.create_user("nobody", is_staff=True)
    assert "Only curators can" in said(logged_in(viewer).get(f"{LIST}{made.pk}/change/"))
    assert logged_in(viewer).post(f"{LIST}{made.pk}/change/").status_code == 403
    assert logged_in(nobody).get(f"{LIST}{made.pk}/change/").status_code == 403
    assert logged_in(nobody).post(f"{LIST}{made.pk}/change/").status_code == 403
    assert "login" in logged_in(None).post(f"{LIST}{made.pk}/change/")["Location"]
    answer = logged_in(curator).post(f"{LIST}{configured.pk}/change/")
    assert answer.status_code == 403
    assert "Only administrators" in said(answer)
    assert Source.objects.get(slug="other").rank == 9
    assert logged_in(administrator).post(f"{LIST}{configured.pk}/change/").status_code == 302
    assert Source.objects.get(slug="other").rank == 2


def test_unknown_change_is_not_found(client: Client) -> None:
    for number in ("0", "999999", "9" * 40, "x"):
        assert client.get(f"{LIST}{number}/change/").status_code == 404
        assert client.post(f"{LIST}{number}/change/").status_code == 404


def test_every_action_is_told_in_words(client: Client, doubtful: Podcast, curator: User) -> None:
    first, second = Held.objects.order_by("item_id")[:2]
    decide_match(curator, first.item, "same", episode(0))
    decide_match(curator, second.item, "different", episode(0))
    page = said(client.get(LIST))
    for words in ("Matched entry", "Ruled out match", "the same episode"):
        assert words in page
    assert "udge " not in page
    topic = Topic.objects.get(slug="household")
    topic.rules, topic.podcast = {"title": ["kettles", "ladders"]}, doubtful
    save_row(curator, topic)
    told = Change.objects.latest("id").told
    assert told == [["show", "", "Small Talks"], ["rules", "title: kettles", "title: kettles, ladders"]]


def repair_topic(client: Client, kind: str, query: str) -> None:
    """Add or remove the topic "household" of the episodes of a list."""
    address = f"/admin/episodes/episode/repair/{kind}/?q={query}"
    shown = client.post(address, {"topic": "household", "replaces_decisions": "on"})
    client.post(address, {"topic": "household", "replaces_decisions": "on", "seen": shown.context["token"]})


def test_later_change_blocks_undo_of_all(client: Client) -> None:
    repair_topic(client, "add-topic", "about")
    added = Change.objects.latest("pk")
    repair_topic(client, "remove-topic", "ladders")
    later = Change.objects.latest("pk")
    assert Change.objects.filter(lot=added.lot).count() == 4
    other = logged_in(staff("zoe", "curator"))
    made = reverse("admin:episodes_change_change", args=(added.pk,))
    answer = other.post(made, {"all": "1"}, follow=True)
    assert "Nothing was undone" in said(answer)
    assert not Change.objects.exclude(undone_at=None).exists()
    client.post(reverse("admin:episodes_change_change", args=(later.pk,)))
    assert made in said(other.get(reverse("admin:episodes_change_changelist")))
    assert "Undo all 4 changes" in said(other.get(made))
    other.post(made, {"all": "1"})
    assert Change.objects.filter(undone_by__username="zoe").count() == 4
