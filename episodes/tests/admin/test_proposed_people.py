"""People whom one sign alone names are proposed to curators; the words that name somebody are told to readers."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes.admin.inbox import InboxRow, listed
from episodes.curation import Thing, add, join, undo
from episodes.models import Change, Credit, Episode, Person, Podcast

from ..curation.conftest import export, small_show
from ..ingest.conftest import take
from .conftest import logged_in
from .test_inbox import INBOX

ITEM = """<item><title>{title}</title><guid isPermaLink="false">{title}</guid>
<pubDate>0{day} Mar 2026 10:00:00 GMT</pubDate><description>{notes}</description></item>"""
NOTES = {
    # Behind what notes begin with, and no whole sentence: either would be a second sign.
    "Ropes": "How a rope is laid, strand by strand, from hemp that was combed by hand to a hawser that holds a ship, in a shed so long "
    "that nobody at the door sees its end or hears its bell. Ada Roe joins us from a barn full of hemp",
    "Tar": "How tar is made of pine, and what it does to a rope. Guest: Bo Lund",
    "Knots": "All about knots.",
}


def feed_of(*items: str) -> bytes:
    return f'<rss version="2.0"><channel><title>Small Talks</title>{"".join(items)}</channel></rss>'.encode()


@pytest.fixture
def show(db: None) -> Podcast:
    podcast = small_show()
    items = (ITEM.format(title=title, day=day, notes=notes) for day, (title, notes) in enumerate(NOTES.items(), 1))
    take("feed", feed_of(*items))
    return podcast


def credited() -> set[tuple[str, str, str]]:
    return set(Credit.objects.values_list("episode__slug", "person__name", "role"))


def proposals() -> list[InboxRow]:
    return [row for row in listed(50) if row.kind.slug == "person"]


def press(user: User, act: str) -> None:
    (row,) = proposals()
    sent = {"kind": "person", "row": row.target.pk, "token": row.token, "act": act}
    assert logged_in(user).post(INBOX, sent, follow=True).status_code == 200


BO = ("tar", "Bo Lund", "guest")
ADA = ("ropes", "Ada Roe", "guest")


def test_one_sign_is_proposed_and_two_are_shown(show: Podcast, client: Client) -> None:
    assert credited() == {BO}
    assert [(row.subject, row.says["name"], row.says["role"]) for row in proposals()] == [("Ropes", "Ada Roe", "guest")]
    assert proposals()[0].says["evidence"] in NOTES["Ropes"]
    assert "/people/ada-roe" not in client.get("/episodes/ropes/").content.decode()


def test_of_several_the_first_is_asked_about(show: Podcast) -> None:
    ropes = Episode.objects.get(slug="ropes")
    Episode.objects.update(proposed_people=[{**ropes.proposed_people[0], "name": name} for name in ("Cy", "Di", "Eve")])
    assert {row.says["name"] for row in proposals()} == {"Cy"}


@pytest.mark.parametrize("act, after", [("accept", {ADA, BO}), ("refuse", {BO})])
def test_an_answer_stays_and_can_be_taken_back(show: Podcast, curator: User, act: str, after: set[object]) -> None:
    before = export()
    press(curator, act)
    for _ in range(2):
        assert (credited(), proposals()) == (after, [])
        call_command("rebuild", verbosity=0)
    undo(curator, Change.objects.latest("pk"))
    assert (credited(), len(proposals()), export()) == ({BO}, 1, before)


def test_merged_person_hides_no_proposal(show: Podcast, curator: User) -> None:
    ropes = Episode.objects.get(slug="ropes")
    add(curator, ropes, "person", "cy-dahl@small-talks", "host Cy Dahl")
    join(curator, *(Thing.of(Person.objects.get(name=name)) for name in ("Cy Dahl", "Bo Lund")))
    assert [row.says["name"] for row in proposals()] == ["Ada Roe"]


def test_who_is_known_by_more_is_proposed_no_longer(show: Podcast) -> None:
    """A curator's credit, or a second sign in what the source says now."""
    item = ITEM.format(title="Ropes", day=1, notes=f"{NOTES['Ropes']} Ada Roe is a rope maker.")
    take("feed", feed_of(item), "--accept")
    assert ADA in credited()
    assert not proposals()
    assert not Episode.objects.exclude(proposed_people=[]).exists()


def test_readers_see_the_words_that_name_somebody(show: Podcast, client: Client) -> None:
    sources = client.get("/episodes/tar/").content.decode().partition('class="provenance"')[2]
    assert "<dt><bdi>Bo Lund</bdi></dt>" in sources
    assert "Guest: Bo Lund</q>" in sources
