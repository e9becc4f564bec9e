"""The inbox and its review: everything that needs a person in one list, settled by one press each, and taken back."""

import re
from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes import curation
from episodes.admin import inbox
from episodes.admin.inbox_sections import INBOX_SECTIONS, InboxRow, first_inbox_rows, sections_by_slug
from episodes.curation import CorrectionSubject
from episodes.models import (
    Capture,
    Change,
    Credit,
    Decision,
    Document,
    Episode,
    Held,
    IngestRun,
    Item,
    Person,
    Podcast,
    Source,
    Suggestion,
)
from episodes.records import EntryData

from ..curation.conftest import export, feed
from ..curation.test_withdrawals import at, twice
from ..ingest.conftest import imported, take
from ..kept import made_once
from .conftest import doubtful_show, episode, logged_in, said

INBOX = "/admin/inbox/"
UNDO = r'action="(/admin/episodes/change/\d+/change/)"'
HOSTILE = ["", "\0", "x", "-1", "9" * 40, "²", "\ufffd", "a" * 10_000, "held:1", "nothing:1", "held:x"]


@pytest.fixture
def busy(curator: User) -> Podcast:
    """The small show with held entries, a title that changed upstream, and three sources in trouble."""
    made_once(_busy, curator)
    return Podcast.objects.get()


def _busy() -> None:
    curator = User.objects.get(username="carla")
    made_once(doubtful_show)
    curation.override_fields(curator, episode(1), {"title": "My ladders"})
    take("feed", feed(range(5)).replace(b"ladders 1<", b"ladders, revised 1<"), "--accept")
    show = Podcast.objects.get()
    for slug in ("gone-1", "gone-2"):
        Source.objects.create(podcast=show, slug=slug, address=f"https://{slug}.example/", reader="feed", rank=70)
    for slug in ("odd", "gone-1", "gone-2"):
        assert imported(slug, b"<html>Please log in</html>").code == 1


@pytest.fixture
def client(curator: User, busy: Podcast) -> Client:
    return logged_in(curator)


def rows(kind: str = "") -> list[InboxRow]:
    return [row for row in first_inbox_rows(50) if kind in ("", row.section.slug)]


def count(kind: str) -> int:
    return sections_by_slug()[kind].queryset().count()


def suggest(show: Podcast, n: int) -> None:
    about = {"podcast": show, "key": f"a.example/{n}", "subject": f"K{n}", "page": "/links/a/"}
    Suggestion.objects.create(kind="link", field="label", value="B", **about)


def press(client: Client, row: InboxRow, act: str, more: dict[str, Any] | None = None) -> str:
    sent = {"kind": row.section.slug, "row": row.target.pk, "token": row.token, "act": act, **(more or {})}
    answer = client.post(INBOX, sent, follow=True)
    assert answer.status_code == 200
    return said(answer)


@pytest.mark.on_both
def test_rows_are_counted_and_lead_to_screens(client: Client) -> None:
    page, shown = said(client.get(INBOX)), rows()
    assert {row.section.slug for row in shown} == {"held", "source", "upstream"}
    assert "yours is “My ladders”; feed now has “All about ladders, revised 1”" in page
    for row in shown:
        assert row.words in page.replace("&amp;", "&").replace("&#x27;", "'")
        assert client.get(row.address, follow=True).status_code == 200, row
    assert [count(kind) for kind in ("held", "source", "upstream")] == [3, 3, 1]
    assert client.get(INBOX).context["total"] == len(shown) == 7
    words = "https://odd.example/feed could not be reached: connection refused"
    IngestRun.objects.filter(source__slug="odd").update(outcome="failed", reason=words)
    assert f"{words}." in [row.words for row in rows("source")], "the reason is told once"
    conflict = {"field": "title", "source": "feed", "value": "A", "other_source": "other", "other_value": "B"}
    Episode.objects.filter(pk=episode(0).pk).update(conflicts=[conflict])
    assert "feed has “A”, other has “B”" in rows("conflict")[0].words
    assert [button.label for button in rows("conflict")[0].buttons][:2] == ["Keep A (feed)", "Keep B (other)"]
    press(client, rows("conflict")[0], "closed")
    assert count("conflict") == 0
    Episode.objects.filter(pk=episode(0).pk).update(conflicts=[conflict])
    press(client, rows("conflict")[0], "2")
    assert Episode.objects.filter(title="B").exists()


def test_clean_candidate_is_accepted_by_one_press(client: Client) -> None:
    held = Held.objects.order_by("pk")[0]
    kettles, mirrors = episode(0).slug, episode(2).slug
    assert not rows("held")[0].buttons, "its candidate has something against it"

    def row_with(*candidates: tuple[str, list[str]]) -> InboxRow:
        held.candidates = [{"episode": slug, "reasons": reasons} for slug, reasons in candidates]
        held.save()
        return rows("held")[0]

    two = row_with((kettles, ["equal title"]), (mirrors, ["equal title"]))
    assert "Choose one of the buttons" in press(client, two, "same")
    unclear = row_with((kettles, []))
    assert unclear.words == "Could be “All about kettles 0”: nothing else suggests it."
    assert not unclear.buttons
    gone = row_with(("gone", ["equal title"]))
    assert (gone.words, list(gone.buttons)) == ("Could be “gone”: equal title.", [])
    clean = row_with((kettles, ["equal title"]))
    assert clean.words == "Could be “All about kettles 0”: equal title."
    assert "Matched “All about kettles 0”" in press(client, clean, "same")
    assert held.item.attachment.episode == episode(0)
    assert count("held") == 2


def test_each_button_has_its_own_letter() -> None:
    for kind in INBOX_SECTIONS:
        letters = [act.letter for act in kind.buttons]
        assert sorted(set("".join(letters))) == sorted(letters), kind.slug


def test_kept_value_returns_after_next_change(client: Client) -> None:
    press(client, rows("upstream")[0], "keep")
    assert count("upstream") == 0
    assert Episode.objects.get(title="My ladders")
    call_command("rebuild", verbosity=0)
    assert count("upstream") == 0
    again = feed(range(5)).replace(b"ladders 1<", b"ladders, once more 1<")
    take("feed", again, "--accept")
    assert "once more" in rows("upstream")[0].words
    press(client, rows("upstream")[0], "theirs")
    assert not Decision.objects.filter(kind="value", field="title", ended_at=None).exists()
    assert Episode.objects.filter(title="All about ladders, once more 1").exists()


def test_dismissed_row_returns_when_it_changes(client: Client) -> None:
    before = export()
    press(client, rows("source")[0], "fine")
    call_command("rebuild", verbosity=0)
    assert count("source") == 2
    gone = Decision.objects.get(kind="dismissal")
    page = said(client.get("/admin/episodes/decision/?kind__exact=dismissal"))
    assert re.findall(r'field-subject">(?:<a [^>]*>)?([^<]*)<', page) == [gone.detail]
    IngestRun.objects.filter(source__slug=gone.source).update(outcome="failed")
    assert count("source") == 3
    press(client, next(row for row in rows("source") if row.target.slug == gone.source), "fine")
    assert Decision.objects.in_force("dismissal").count() == 1
    assert export() == before


def test_last_decision_is_undone_in_inbox(client: Client) -> None:
    before, all_rows = export(), [row.token for row in rows()]
    last = re.search(UNDO, press(client, rows("source")[0], "fine"))
    assert last
    assert not re.search(UNDO, said(client.get(INBOX))), "only on the page after the decision"
    answer = client.post(last[1], {"next": INBOX, "all": "1"}, follow=True)
    assert answer.redirect_chain[-1][0] == INBOX
    assert not Decision.objects.in_force("dismissal").exists()
    assert ([row.token for row in rows()], export()) == (all_rows, before)


def test_moved_feed_is_followed_or_dismissed(administrator: User, client: Client) -> None:
    Source.objects.filter(slug="odd").update(moved_to="https://new.example/feed")
    (row,) = rows("moved")
    sent = {"kind": "moved", "row": row.target.pk, "token": row.token, "act": "follow"}
    assert client.post(INBOX, sent).status_code == 403, "only administrators set up sources"
    press(client, row, "stay")
    assert count("moved") == 0
    Source.objects.filter(slug="odd").update(moved_to="https://newer.example/feed")
    (row,) = rows("moved")
    press(logged_in(administrator), row, "follow")
    assert (Source.objects.get(slug="odd").address, count("moved")) == ("https://newer.example/feed", 0)
    assert "No kind is called “nonsense”" in said(client.get(f"{INBOX}?kind=nonsense"))


def test_changed_row_is_not_settled(client: Client) -> None:
    row = rows("source")[0]
    IngestRun.objects.filter(source=row.target).update(outcome="failed")
    assert "This row has changed since you opened the page" in press(client, row, "fine")
    press(client, rows("held")[0], "new", {"row": rows("held")[1].target.pk})
    assert (Decision.objects.in_force("dismissal").count(), count("held")) == (0, 3), "a token is of one row"
    place = next(n for n, row in enumerate(rows()) if row.section.slug == "source")
    sent, after = rows()[place], rows()[place + 1].subject
    page = press(client, sent, "fine", {"at": place})
    assert re.search(rf'<li class="at">.*?autofocus>{re.escape(after)}', page, re.S), "the next row follows"


def test_all_kinds_show_first_rows_one_pages(client: Client, busy: Podcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "ROWS_PER_PAGE", 2)
    for n in range(12):
        suggest(busy, n)
    every, shown = rows("held"), client.get(INBOX).context["rows"]
    of_kinds = Counter(row.section.slug for row in shown)
    assert of_kinds == {"held": 3, "source": 3, "upstream": 1, "suggestion": 10}
    pages = [client.get(f"{INBOX}?kind=held&page={n}").context["rows"] for n in (1, 2)]
    assert [row.target for page in pages for row in page] == [row.target for row in every]
    assert "?kind=held&amp;page=2" in said(client.get(f"{INBOX}?kind=held"))


def test_several_rows_are_settled_and_undone_together(client: Client) -> None:
    first, second, third = rows("source")
    sent = {"kind": "source", "act": "fine", "token": [first.token, second.token, third.token]}
    answer = client.post(INBOX, {**sent, "act": "nothing", "row": [first.target.pk, second.target.pk]}, follow=True)
    assert said(answer).count("Not done: ") == 2
    assert not re.search(UNDO, said(answer)), "what was refused offers no undo"
    answer = client.post(INBOX, {**sent, "row": [first.target.pk, second.target.pk]}, follow=True)
    assert "Done: 2 rows." in said(answer)
    undo = re.search(UNDO, said(answer))
    assert undo
    client.post(undo[1], {"all": "1"})
    assert count("source") == 3
    assert 'name="all" value="3"' in said(client.get(f"{INBOX}?kind=source"))
    for number, left in (("4", 3), ("3", 0)):
        client.post(f"{INBOX}?kind=source", {**sent, "all": number}, follow=True)
        assert count("source") == left


def test_no_address_and_no_form_breaks_it(client: Client) -> None:
    next_pages = set()
    for value in HOSTILE:
        assert client.get(INBOX, dict.fromkeys(("kind", "show", "page", "at"), value)).status_code == 200
        for kind in (value, "source"):
            sent = {**dict.fromkeys(("row", "token", "act", "at"), value), "kind": kind}
            answer = client.post(f"{INBOX}?page=2", sent)
            assert answer.status_code == 302, value
            next_pages.add(answer["Location"])
    for page in next_pages:
        assert client.get(page).status_code == 200, page
    assert not Decision.objects.in_force("dismissal").exists()


def test_queries_do_not_grow_with_rows(client: Client, busy: Podcast) -> None:
    def queries(address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert client.get(address).status_code == 200
        return len(caught)

    pages = (INBOX, f"{INBOX}?kind=suggestion", "/admin/")
    counts = []
    for n in range(3):
        suggest(busy, n)
        counts.append([queries(page) for page in pages])
    assert counts[0] == counts[2]
    assert max(counts[0]) <= 60


@pytest.fixture
def host_page(client: Client) -> Document:
    """A page of another show on the host of a known site, confirmed by its host alone."""
    show = Podcast.objects.get()
    source = Source.objects.create(podcast=show, slug="player-fm", reader="player-fm", rank=40, may_create=True)
    address = "https://player.fm/series/gold"
    document = Document.objects.create(source=source, address=address, vouched=True, confirmed_by_host=True)
    Capture.objects.create(document=document, version=1, sha256="0" * 64, taken_at=timezone.now())
    for position, title in enumerate(("Gold rush", "Gold dust"), 1):
        item = Item.objects.create(document=document, key=f"title:{title}", position=position, first_version=1)
        values = EntryData(title=title, published=f"2019-01-0{position}")
        item.revisions.create(version=1, payload=values.payload(), recorded_at=timezone.now())
    call_command("rebuild", verbosity=0)
    return document


def test_episodes_of_a_host_page_are_withdrawn(client: Client, host_page: Document) -> None:
    Document.objects.update(confirmed_by_host=False)
    assert count("host") == 0
    Document.objects.filter(pk=host_page.pk).update(confirmed_by_host=True)
    before = export()
    press(client, rows("host")[0], "closed")
    assert (count("host"), export()) == (0, before), "a page that is right stays"
    curation.undo_change(User.objects.get(username="carla"), Change.objects.latest("pk"))
    (row,) = rows("host")
    assert row.subject == "https://player.fm/series/gold"
    assert client.get("/episodes/gold-rush/").status_code == 200
    press(client, row, "withdraw")
    assert count("host") == 0
    for address in ("/episodes/gold-rush/", "/episodes/gold-dust/"):
        assert client.get(address).status_code == 410
    call_command("rebuild", verbosity=0)
    assert client.get("/episodes/gold-rush/").status_code == 410
    batch = Change.objects.filter(lot=Change.objects.latest("pk").lot)
    curation.undo_changes(User.objects.get(username="carla"), batch)
    assert export() == before


@pytest.fixture
def namesakes(talks: Podcast, curator: User) -> None:
    episodes = list(Episode.objects.filter(podcast=talks).order_by("order"))
    curation.add_list_entry(curator, episodes[0], "person", "bo-lund@small-talks", "host Bo Lund")
    curation.add_list_entry(curator, episodes[1], "person", "bo-lund@rope-hour", "guest Bo Lund")


@pytest.mark.parametrize("act, people", [("same", 1), ("different", 2)])
def test_one_press_joins_or_parts_two_people(namesakes: None, curator: User, act: str, people: int) -> None:
    one, other = Person.objects.filter(name="Bo Lund")
    for person, namesake in ((one, other), (other, one)):
        page = said(Client().get(person.get_absolute_url()))
        assert f'<a href="{namesake.get_absolute_url()}">Another Bo Lund</a>: {namesake.roles_in_shows()}' in page
    press(logged_in(curator), rows("namesake")[0], act)
    assert rows("namesake") == []
    assert Person.objects.filter(name="Bo Lund").count() == people
    assert Credit.objects.filter(person__name="Bo Lund").count() == 2
    curation.undo_change(curator, Change.objects.latest("pk"))
    assert len(rows("namesake")) == 1
    one, other = Person.objects.filter(name="Bo Lund")
    curation.merge_subjects(curator, CorrectionSubject.from_row(one), CorrectionSubject.from_row(other))
    assert rows("namesake") == []


__all__ = ["twice"]


@pytest.fixture
def reviewer(curator: User) -> Client:
    return logged_in(curator)


def form_of_row(kind: str, target: object) -> dict[str, str]:
    row = next(
        row
        for row in first_inbox_rows(20)
        if row.section.slug == kind and target in (row.target, getattr(row.target, "item", 0))
    )
    return {"kind": kind, "row": str(row.target.pk), "token": row.token}


def decide(reviewer: Client, kind: str, target: object, act: str, **more: str) -> str:
    answer = reviewer.post(f"{INBOX}{kind}/", {**form_of_row(kind, target), "act": act, **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def verdicts() -> list[tuple[str, str, str]]:
    rows = Decision.objects.filter(kind="match").order_by("id")
    return list(rows.values_list("value", "reason", "made_by__username"))


def held_item(n: int) -> Item:
    return Item.objects.get(key=f"guid:odd-{n}")


def episode_of_feed(n: int) -> Episode:
    return Item.objects.get(key=f"guid:small-{n}").attachment.episode


def test_entry_is_compared_with_its_candidate(reviewer: Client, doubtful: Podcast) -> None:
    page = said(reviewer.get(f"{INBOX}held/"))
    assert re.search("<li>against: .* days apart</li>", page)
    for words in ("<b>1 of 3</b>", "<li>equal title</li>", "9 December 2023", "1 May 2021", "Quite another talk"):
        assert words in page
    for later, words in ((1, "All about mirrors 2"), (2, "All about organs 4"), (3, "<b>1 of 3</b>")):
        assert words in said(reviewer.get(f"{INBOX}held/?at={later}"))
    assert not Decision.objects.exists()
    for kind in ("source", "nothing"):  # which are not compared
        assert reviewer.get(f"{INBOX}{kind}/")["Location"] == INBOX


def test_the_queue_is_cleared_one_after_another(reviewer: Client, doubtful: Podcast) -> None:
    page = decide(reviewer, "held", held_item(1), "same", **{"with": episode(0).slug, "reason": "re-run"})
    for words in ("Matched “All about kettles 0” to “All about kettles 0”.", "<b>1 of 2</b>", "All about mirrors 2"):
        assert words in page
    assert held_item(1).attachment.episode == episode(0)
    assert "All about organs 4" in decide(reviewer, "held", held_item(2), "new")
    assert held_item(2).attachment.episode != episode_of_feed(2)
    assert "Nothing is left here" in decide(reviewer, "held", held_item(3), "ignore")
    same, *apart, new, none = verdicts()
    assert [same, new, none] == [("same", "re-run", "carla"), ("new", "", "carla"), ("ignore", "", "carla")]
    assert apart == [("different", "", "carla")] * 2, "a new episode is kept off both entries of its candidate"


def test_other_episode_can_be_searched(reviewer: Client, doubtful: Podcast) -> None:
    searched = reviewer.get(f"{INBOX}held/", {"row": form_of_row("held", held_item(1))["row"], "q": "organs"})
    assert f"with={episode_of_feed(4).slug}" in said(searched)
    assert "Choose one of the buttons." in decide(reviewer, "held", held_item(1), "same", **{"with": "nothing"})
    assert verdicts() == []
    decide(reviewer, "held", held_item(1), "same", **{"with": "all-about-organs-4"})
    assert held_item(1).attachment.episode == episode_of_feed(4)
    decide(reviewer, "held", held_item(2), "different", **{"with": episode(2).slug})
    assert ("different", "", "carla") in verdicts()
    assert not episode(2).attachments.filter(item=held_item(2)).exists()


@pytest.mark.on_both
def test_concurrent_decisions_do_not_overrule(reviewer: Client, doubtful: Podcast) -> None:
    sent = form_of_row("held", held_item(1))
    decide(reviewer, "held", held_item(1), "ignore")
    answer = reviewer.post(f"{INBOX}held/", {**sent, "act": "new"}, follow=True)
    assert "was settled by you or somebody else" in said(answer)
    assert Decision.objects.get(kind="match").value == "ignore"


def test_rerun_is_previewed_before_it_is_marked(reviewer: Client, twice: Podcast) -> None:
    address = f"/admin/episodes/episode/{at('fixed').slug}/re-run/"
    for other in ("", at("fixed").slug, "nothing"):
        reviewer.post(address, {"other": other, "kind": "repeats"})
    answer = reviewer.get(address, {"other": at("small-0").slug, "kind": "replaces"})
    preview = said(answer)
    assert "Lists: All about kettles 0" in preview
    assert "left out" in preview
    assert verdicts() == []
    reviewer.post(address, {**answer.context["form"].data.dict(), "reason": "was silent"})
    assert verdicts() == [("replaces", "was silent", "carla")]
    assert (at("small-0").listed, at("fixed").listed) == (False, True)
