"""Readers suggest corrections without an account; nothing shows one before a curator accepts it."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client

from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import (
    CorrectionSubject,
    InvalidChange,
    accept_suggestion,
    add_list_entry,
    hide_subject,
    merge_subjects,
    undo_changes,
    withdraw_episode,
)
from episodes.models import (
    Change,
    Credit,
    Decision,
    Episode,
    Link,
    Person,
    Podcast,
    Suggestion,
    Topic,
    start_new_version,
)
from episodes.resolve import update_catalog

from ..curation.conftest import export, feed, notes
from ..curation.test_words import SAID, Bring, bring, ladders, shown
from ..ingest.conftest import take
from ..tables import cases
from .conftest import logged_in, said
from .test_inbox import INBOX

CASES = cases("admin_suggestions")

__all__ = ["bring"]

KETTLES, LADDERS = "/suggest/?episode=all-about-kettles-0", "/suggest/?episode=all-about-ladders-1"
TITLE = {"field": "title", "value": "All about copper kettles", "evidence": "the cover", "name": "Ada Roe"}


@pytest.fixture
def reader(talks: Podcast) -> Client:
    """Somebody who is not logged in, and whose posts have no token."""
    return Client(enforce_csrf_checks=True)


def sent(reader: Client, address: str = KETTLES, **given: str) -> tuple[int, int]:
    """The status of the answer, and how many suggestions there are then."""
    return reader.post(address, TITLE | given).status_code, Suggestion.objects.count()


def press(user: User, act: str, answer: str = "") -> str:
    (row,) = [row for row in first_inbox_rows(50) if row.section.slug == "suggestion"]
    asked = {"kind": "suggestion", "row": row.target.pk, "token": row.token, "act": act, "reason": answer}
    return logged_in(user).post(INBOX, asked, follow=True).content.decode()


def kettles() -> Episode:
    return Episode.objects.get(guid="small-0")


def test_long_subject_of_suggestion_is_cut(reader: Client) -> None:
    link = Link.objects.get(key="https://example.org/kettles/0")
    Link.objects.filter(pk=link.pk).update(title="L" * 301)
    Episode.objects.update(title="E" * 301)
    assert sent(reader)[1] == 1
    assert sent(reader, f"/suggest/?link={link.key}", field="label")[1] == 2
    assert set(Suggestion.objects.values_list("subject", flat=True)) == {"E" * 300, "L" * 300}
    assert Suggestion.objects.get(field="label").wrong == "L" * 301


def test_another_word_becomes_alias_of_topic(reader: Client, curator: User) -> None:
    form = reader.get("/suggest/?topic=household&value=crockery%20opus").content.decode()
    assert "crockery opus</textarea>" in form
    assert sent(reader, "/suggest/?topic=household", field="alias", value="crockery opus") == (200, 1)
    assert "Corrected “Household” as suggested." in press(curator, "accept")
    assert Topic.objects.get(slug="household").aliases[-1] == "crockery opus"
    assert "crockery opus" in reader.get("/corrections/").content.decode()
    undo_changes(curator, Change.objects.all())
    assert "crockery opus" not in Topic.objects.get(slug="household").aliases
    assert reader.get("/suggest/?topic=nothing").status_code == 404
    for name in ("crockery OPUS", "household"):
        topic = Topic.objects.get(slug="household")
        Topic.objects.filter(slug="household").update(aliases=[*topic.aliases, "Crockery opus"])
        Suggestion.objects.update(state="waiting", value=name)
        assert f"“{name}” is a name of the topic already." in press(curator, "accept")


def test_what_is_accepted_is_shown_credited_and_kept(reader: Client, curator: User) -> None:
    before = export()
    assert sent(reader, website="https://spam.example") == (200, 0), "only a program fills that in"
    assert sent(reader, contact="ada@example.org") == (200, 1)
    assert (export(), Decision.objects.count()) == (before, 0)
    assert "Ada" not in reader.get("/corrections/").content.decode()
    network = Suggestion.objects.get().network
    assert "127.0.0.1" not in str(Suggestion.objects.values())
    press(curator, "accept")
    for _ in range(2):
        assert kettles().title == "All about copper kettles"
        take("feed", feed(range(5)))
        call_command("rebuild", verbosity=0)
    assert Decision.objects.get().reason == "Suggested by Ada Roe. the cover"
    page = reader.get("/corrections/").content.decode()
    assert "Title: <bdi>All about copper kettles</bdi>, instead of <bdi>All about kettles 0</bdi>" in page
    assert "Thanks to <bdi>Ada Roe</bdi>" in page
    # The address and the network are forgotten, in the history too.
    kept = f"{list(Suggestion.objects.values())}{list(Change.objects.values())}"
    assert "ada@example.org" not in kept
    assert network not in kept
    undo_changes(curator, Change.objects.all())
    assert (export(), Suggestion.objects.get().state) == (before, "waiting")


def test_suggestion_about_gone_topic_is_refused(reader: Client, curator: User) -> None:
    sent(reader, "/suggest/?topic=household", field="alias", value="crockery opus")
    Topic.objects.get(slug="household").delete()
    assert "The topic is gone." in press(curator, "accept")
    Suggestion.objects.all().delete()
    sent(reader, field="topic", value="Music")
    Topic.objects.get(slug="music").delete()
    assert "There is no topic “Music” any more." in press(curator, "accept")
    assert Suggestion.objects.get().state == "waiting"


def test_length_has_examples_and_its_unit(reader: Client, curator: User) -> None:
    form = reader.get(KETTLES).content.decode()
    assert "Length: 13:45, 1:02:03, 14 min, or 825 for seconds" in form
    assert sent(reader, field="duration_seconds", value="95") == (200, 1)
    assert "Length: “1 min 35 s”" in logged_in(curator).get(f"{INBOX}?kind=suggestion").content.decode()
    press(curator, "accept")
    assert kettles().duration_seconds == 95


def test_refused_suggestion_never_comes_again(reader: Client, curator: User) -> None:
    before = export()
    sent(reader)
    press(curator, "refuse")
    assert (export(), Suggestion.objects.get().state, Decision.objects.count()) == (before, "refused", 0)
    assert Change.objects.get().subject == "All about kettles 0"
    assert sent(reader) == (200, 1)
    assert "Ada" not in reader.get("/corrections/").content.decode()


@pytest.mark.parametrize(
    "given",
    [*CASES["invalid_suggestion_is_refused"], {"value": "x" * 501}, {"evidence": "x" * 501}, {"name": "x" * 81}],
)
def test_invalid_suggestion_is_refused(reader: Client, given: dict[str, str]) -> None:
    assert sent(reader, **given) == (422, 0)
    page = reader.post(KETTLES, TITLE | given).content.decode()
    assert "Nothing was sent yet." in page
    assert given.get("evidence", "the cover") in page


def test_more_are_taken_only_when_some_are_settled(
    reader: Client, curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same one waits once.
    assert [sent(reader), sent(reader, name="Bo"), sent(reader, value="Kettles")] == [(200, 1), (200, 1), (200, 2)]
    monkeypatch.setattr(Suggestion, "MAX_WAITING", 1)
    Suggestion.objects.filter(value="Kettles").delete()
    assert sent(reader, value="Kettles") == (422, 1)
    press(curator, "refuse")
    assert sent(reader, value="Kettles") == (200, 2)


@pytest.mark.parametrize(
    "share, address, network, others",
    [
        ("MAX_WAITING_OF_SHOW", LADDERS, "198.51.100.1", (422, 1)),
        ("MAX_WAITING_OF_THING", LADDERS, "127.0.0.1", (200, 2)),
        ("MAX_WAITING_OF_NETWORK", KETTLES, "198.51.100.1", (200, 2)),
    ],
)
def test_each_share_of_the_places_is_limited(
    reader: Client, monkeypatch: pytest.MonkeyPatch, share: str, address: str, network: str, others: tuple[int, int]
) -> None:
    monkeypatch.setattr(Suggestion, share, 1)
    assert [sent(reader), sent(reader, value="Kettles")] == [(200, 1), (422, 1)]
    assert sent(Client(REMOTE_ADDR=network), address, value="Kettles") == others


def test_markup_is_text(reader: Client, curator: User) -> None:
    longest = "<script>alert(1)</script>".ljust(500, "B")
    assert sent(reader, value=longest, name="<b>Ada</b>") == (200, 1)
    assert "<script>alert" not in logged_in(curator).get(f"{INBOX}?kind=suggestion").content.decode()
    press(curator, "accept")
    assert kettles().title == longest
    for address in ("/corrections/", kettles().get_absolute_url()):
        page = reader.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<b>Ada" not in page


def test_words_are_one_line_in_one_direction(reader: Client) -> None:
    given = {
        "value": "\u202eselttek\n \u2066tuobA\u2069",
        "name": "\u202eeoR \u200fadA",
        "evidence": "the\u2067 cover\u061c",
    }
    assert sent(reader, **given) == (200, 1)
    suggestion = Suggestion.objects.get()
    assert (suggestion.value, suggestion.name, suggestion.evidence) == ("selttek tuobA", "eoR adA", "the cover")
    assert sent(reader, value="\u202e") == (422, 1)
    assert sent(reader, field="guest", value="\u200b") == (422, 1)


@pytest.mark.parametrize("is_show", [True, False])
def test_nothing_is_told_of_what_is_not_shown(reader: Client, curator: User, is_show: bool) -> None:
    sent(reader)
    press(curator, "accept")
    assert "copper" in reader.get("/corrections/").content.decode()
    if is_show:
        Podcast.objects.update(status="removed")
        update_catalog(Podcast.objects.get())
    else:
        withdraw_episode(curator, kettles(), "hidden")
    start_new_version()
    assert not re.search("copper|kettles", reader.get("/corrections/").content.decode())


@pytest.mark.parametrize("role", ["host", "guest"])
def test_somebody_who_is_heard(reader: Client, curator: User, role: str) -> None:
    assert sent(reader, field=role, value="B" * 301) == (422, 0)
    assert sent(reader, field=role, value="B" * 300) == (200, 1)
    press(curator, "accept")
    (credit,) = Credit.objects.all()
    assert (credit.person.name, credit.role, credit.episode) == ("B" * 300, role, kettles())


def test_an_episode_that_is_gone_is_told(reader: Client, curator: User) -> None:
    sent(reader)
    Suggestion.objects.update(item_key="gone")
    assert "The episode is gone." in press(curator, "accept")
    assert (Suggestion.objects.get().state, Decision.objects.count()) == ("waiting", 0)


def test_words_of_a_transcript(bring: Bring, curator: User) -> None:
    reader, address = Client(), f"/suggest/?episode={ladders().slug}"
    words = {"field": "words", "value": "Jacquard", "name": "", "evidence": ""}
    assert sent(reader, address, **words, wrong="Jakkard") == (422, 0)
    assert sent(reader, address, **words) == (422, 0)
    assert sent(reader, address, **words, wrong=" jackard ") == (200, 1)
    assert sent(reader, address, **{**words, "value": "J" * 201}, wrong="jackard") == (422, 1)
    assert shown() == SAID
    press(curator, "accept")
    assert shown() == SAID.replace("jackard", "Jacquard")
    assert Decision.objects.get().reason == "Suggested by a reader."


@pytest.mark.parametrize(
    "field, value, status",
    [("name", "Ada Roe-Lund", 200), ("url", "https://ada.example/", 200), ("url", "ada", 422), ("title", "x", 422)],
)
def test_a_person(reader: Client, curator: User, field: str, value: str, status: int) -> None:
    sent(reader, field="guest", value="Ada Roe")
    press(curator, "accept")
    person = Person.objects.get()
    assert sent(reader, f"/suggest/?person={person.slug}", field=field, value=value)[0] == status
    if status == 200:
        press(curator, "accept")
        person = Person.objects.get()
        assert getattr(person, field) == value
        told = ["Ada Roe", value]
        assert all(words in reader.get("/corrections/").content.decode() for words in told)
        hide_subject(curator, CorrectionSubject.from_row(person))
        assert value not in reader.get("/corrections/").content.decode()


def test_correction_that_no_page_shows_is_refused(reader: Client, curator: User) -> None:
    for name in ("Ada Roe", "Bo Ek"):
        add_list_entry(curator, kettles(), "person", name, f"guest {name}")
    ada, bo = (CorrectionSubject("person", name, name) for name in ("Ada Roe", "Bo Ek"))
    sent(reader, "/suggest/?person=ada-roe", field="name", value="Ada Roe-Lund")
    merge_subjects(curator, ada, bo)
    assert "“Ada Roe” was merged into another." in press(curator, "accept")
    hide_subject(curator, bo)
    assert "“Bo Ek” is hidden on every page, by carla." in press(curator, "accept")
    assert Suggestion.objects.get().state == "waiting"


@pytest.mark.parametrize(
    "field, value, column",
    [("label", "The kettle book", "title"), ("replacement", "https://new.example/", "replacement")],
)
def test_a_link(reader: Client, curator: User, field: str, value: str, column: str) -> None:
    take("feed", feed(range(5), text=lambda n: f"{notes(n)} https://kettle.example/book-{n}"))
    link = Link.objects.get(key__contains="book-0")
    assert sent(reader, f"/suggest/?link={link.key}", field=field, value=value) == (200, 1)
    press(curator, "accept")
    link = Link.objects.get(key__contains="book-0")
    assert getattr(link, column) == value
    assert value in reader.get("/corrections/").content.decode()
    hide_subject(curator, CorrectionSubject.from_row(link))
    assert value not in reader.get("/corrections/").content.decode()


def test_topic_is_added_and_removed(reader: Client, curator: User) -> None:
    Topic.objects.create(slug="copper", name="Copper ware", aliases=["cu"])
    assert sent(reader, field="topic", value="Brass") == (422, 0)
    for field, label, has_topic in (("topic", "Missing topic", True), ("wrong-topic", "Wrong topic", False)):
        assert sent(reader, field=field, value="CU")[0] == 200
        press(curator, "accept")
        assert kettles().topics.filter(slug="copper").exists() is has_topic
        assert f"{label}: <bdi>Copper ware" in reader.get("/corrections/").text
    sent(reader, field="wrong-topic", value="Copper ware")
    with pytest.raises(InvalidChange, match="“Copper ware” is as suggested already"):
        accept_suggestion(curator, Suggestion.objects.get(state="waiting"))
    assert "Copper ware” · the cover · Ada Roe · It is so already." in logged_in(curator).get(INBOX).text
    assert "Choose one of the buttons." in press(curator, "accept")
    decisions = Decision.objects.count()
    assert "Closed the suggestion" in press(curator, "done")
    assert (Suggestion.objects.filter(state="accepted").count(), Decision.objects.count()) == (3, decisions)


def test_topic_of_another_show_is_not_accepted(reader: Client, curator: User) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    Topic.objects.create(slug="weaving", name="Weaving")
    assert sent(reader, field="topic", value="Weaving")[0] == 200
    Topic.objects.filter(slug="weaving").update(podcast=loom)
    assert sent(reader, LADDERS, field="topic", value="Weaving") == (422, 1)
    assert "Weaving is a topic of another show." in press(curator, "accept")
    assert (Suggestion.objects.get().state, Decision.objects.count()) == ("waiting", 0)


@pytest.mark.parametrize("field", ["notes", "links", "other"])
def test_free_text_is_done_by_hand(reader: Client, curator: User, field: str) -> None:
    sent(reader, field=field, value="The lid is missing.")
    assert Suggestion.objects.get().wrong == ""
    assert "Choose one of the buttons." in press(curator, "accept")
    assert "Closed the suggestion" in press(curator, "done")
    assert (Suggestion.objects.get().state, Decision.objects.count()) == ("accepted", 0)
    page = reader.get("/corrections/").text
    assert "All about kettles 0" in page
    assert "lid" not in page


def test_reader_sees_outcome_at_own_address(reader: Client, curator: User) -> None:
    thanks = reader.post(KETTLES, TITLE | {"contact": "ada@example.org"}).text
    (address,) = re.findall(r"http://testserver(/suggest/[\w-]{22}/)</pre>", thanks)
    assert address in reader.post(KETTLES, TITLE).text, "the same one has the same page"
    page = reader.get(address)
    assert "Received." in page.text
    assert '<meta name="robots" content="noindex">' in page.text
    assert "no-store" in page["Cache-Control"]
    press(curator, "refuse", "They are <b>tin</b>.")
    page = reader.get(address)
    assert "Declined." in page.text
    assert "They are &lt;b&gt;tin&lt;/b&gt;." in page.text
    assert not re.search("Ada|ada@|the cover", page.text)
    undo_changes(curator, Change.objects.all())
    press(curator, "accept")
    assert "Accepted." in reader.get(address).text
    assert "They are" not in reader.get(address).text
    withdraw_episode(curator, kettles(), "hidden")
    assert "kettles" not in reader.get(address).text
    assert reader.get("/suggest/unknown/").status_code == 404


def test_form_shows_present_values(bring: Bring) -> None:
    page = Client().get(f"/suggest/?episode={ladders().slug}&field=words&wrong=jackard").text
    assert '<div data-field="title"><dt>Title</dt>\n<dd><bdi>All about ladders 1</bdi></dd></div>' in page
    assert '<input type="text" name="wrong" value="jackard"' in page
    assert re.search(r"<textarea[^>]* name=\"value\"|name=\"value\"[^>]*>\s*jackard</textarea>", page)


@pytest.mark.on_both
def test_form_names_what_there_is_to_correct(reader: Client) -> None:
    for address in CASES["there_is_nothing_to_correct"]:
        assert reader.get(f"/suggest/{address}").status_code == 404, address
    answer = reader.get(f"{KETTLES}&field=number")
    assert "no-store" in answer["Cache-Control"]
    assert '<option value="number" selected>' in answer.content.decode()
    assert not answer.cookies


def test_removed_show_or_setting_takes_no_suggestions(reader: Client, settings: Any) -> None:
    address = kettles().get_absolute_url()
    assert "/suggest/" in reader.get(address).content.decode()
    settings.SUGGESTIONS = False
    assert "/suggest/" not in reader.get(address).content.decode()
    assert sent(reader) == (404, 0)
    settings.SUGGESTIONS = True
    Podcast.objects.update(status="removed")
    assert reader.get(KETTLES).status_code == 404
    assert sent(reader) == (404, 0)


def test_ten_a_minute_are_taken_beside_the_pages(
    reader: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The requests are of one minute, also on a slow machine.
    monkeypatch.setattr("podcast_catalog.throttling.time.time", lambda: 1_700_000_000.0)
    settings.CLIENT_REQUESTS = 2
    caches["clients"].clear()
    reader = Client()
    assert [sent(reader, value=f"Kettles {n}")[0] for n in range(11)] == [200] * 10 + [429]
    assert [reader.get(f"/time/?minutes={n}").status_code for n in (1, 2, 3)] == [200, 200, 429]
    caches["clients"].clear()


def test_viewer_sees_no_suggestion(reader: Client, viewer: User, curator: User) -> None:
    sent(reader, contact="ada@reader.example")
    for address in ("/admin/", INBOX, f"{INBOX}?kind=suggestion"):
        assert "ada@reader.example" not in said(logged_in(viewer).get(address))
        assert "Suggested by readers" not in said(logged_in(viewer).get(address))
    assert "ada@reader.example" in said(logged_in(curator).get(f"{INBOX}?kind=suggestion"))
