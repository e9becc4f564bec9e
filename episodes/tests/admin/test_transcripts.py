"""Transcripts in the admin: uploaded, tried and told file by file; and their words corrected."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import override_fields, undo_change
from episodes.curation.decide import entry_anchors
from episodes.models import Change, Decision, Episode, Held, Podcast, Source, Transcript, WordProposal
from episodes.resolve import store_proposals_for_misheard_names

from ..curation.test_words import RIGHT, SAID, Bring, bring, ladders, shown
from ..tables import cases
from .conftest import at, logged_in, said

WORDS = b"All about kettles: how they boil, and why the lid rattles. " * 5


def packed(*names: str) -> SimpleUploadedFile:
    body = BytesIO()
    with ZipFile(body, "w") as archive:
        for name in names:
            archive.writestr(name, WORDS)
    return SimpleUploadedFile("all.zip", body.getvalue())


def screen() -> str:
    return reverse("admin:episodes_podcast_transcripts", args=(Podcast.objects.get().pk,))


def test_files_are_tried_then_brought(client: Client) -> None:
    name = f"{Episode.objects.order_by('order')[0].title}.txt"
    assert screen() in said(client.get(reverse("admin:episodes_podcast_change", args=(Podcast.objects.get().pk,))))
    assert "For more than 20 MB at once" in said(client.get(screen()))
    tried = said(client.post(screen(), {"transcripts": packed(name, "odd.txt"), "_preview": "1"}))
    assert "<h2>2 files: 1 matched, 1 in need of review</h2>" in tried
    assert "odd.txt: held: no episode" in tried
    assert not Transcript.objects.exists()
    assert not Change.objects.exists()
    sent = {"transcripts": packed(name, "odd.txt"), "machine_made": "on", "_save": "1"}
    told = said(client.post(screen(), sent, follow=True))
    episode = Transcript.objects.get().episode
    link = f'<a href="/admin/episodes/episode/{episode.slug}/change/">{episode.heading}</a>'
    assert f"The transcript was added to {link}." in told
    assert "odd.txt: held: no episode" in told
    assert Transcript.objects.get().machine_made
    with_it, without = (entry_anchors(Transcript.objects.get().episode, transcripts=said) for said in (True, False))
    assert len(with_it) == len(without) + 1
    assert entry_anchors(Transcript.objects.get().episode) == without, "decisions hang on no transcript"
    assert Change.objects.get().verb == "bring transcripts"
    # It is no episode, so the inbox does not offer to make one of it.
    held = reverse("admin:inbox_review", args=("held",))
    shown: Any = client.get(f"{held}?row={Held.objects.get().pk}")
    assert [button.name for button in shown.context["row"].buttons] == ["ignore"]
    assert "The transcript begins: “All about kettles: how they boil, and why the lid rattles." in said(shown)


def test_unusable_upload_is_refused(client: Client, settings: Any) -> None:
    one = SimpleUploadedFile(f"{Episode.objects.order_by('order')[0].title}.txt", WORDS)
    assert "The transcript was added to" in said(client.post(screen(), {"transcripts": one, "_save": "1"}, follow=True))
    assert "complaint" in said(client.post(screen(), {"_save": "1"}))
    bad = {"transcripts": SimpleUploadedFile("b.zip", b"PK"), "_save": "1"}
    assert "b.zip is not a zip file" in said(client.post(screen(), bad))
    settings.DOCUMENT_MB = 1
    for size, refused in ((1_000_000, False), (1_000_001, True)):
        large = {"transcripts": SimpleUploadedFile("a.txt", b"a" * size), "_preview": "1"}
        assert ("larger than 1 MB" in said(client.post(screen(), large))) == refused
    Podcast.objects.update(status="archived")
    answer = said(client.post(screen(), {"transcripts": packed("a.txt"), "_save": "1"}))
    assert re.search(r"Not imported: [^<]*archived[^<]*\.<", answer)


def test_transcript_offers_no_values(client: Client, administrator: User) -> None:
    episode = Episode.objects.order_by("order")[0]
    form = reverse("admin:episodes_episode_change", args=(episode.slug,))
    before: Any = client.get(form)
    for title in ("Odd", "Odder"):
        body = f"---\nguid: {episode.guid}\ntitle: {title}\n---\n".encode() + WORDS
        client.post(screen(), {"transcripts": [SimpleUploadedFile("odd.md", body)], "_save": "1"})
        if title == "Odd":
            override_fields(administrator, episode, {"title": f"{episode.title}, told"})
    form = reverse("admin:episodes_episode_change", args=(Episode.objects.order_by("order")[0].slug,))
    page: Any = client.get(form)
    assert any(entry.item.key == "odd.md" for entry in page.context["entries"])
    for was, now in zip(before.context["fields"], page.context["fields"], strict=True):
        assert [value["text"] for value in now["values"]] == [value["text"] for value in was["values"]]
        assert not now["upstream_changes"]
    source = Source.objects.get(slug="transcripts")
    form = reverse("admin:episodes_source_change", args=(source.pk,))
    sent = {"title": source.title or "Brought", "rank": source.rank, "status": "removed", "_preview": "1"}
    told: Any = logged_in(administrator).post(form, sent)
    assert [(was, now) for _, _, was, now in told.context["rows"]] == [("shown, with file:transcripts/odd.md", "shown")]
    assert Transcript.objects.exists()


def test_transcript_is_added_on_page_of_episode(client: Client) -> None:
    first, second = Episode.objects.order_by("order")[:2]
    form = reverse("admin:episodes_episode_transcript", args=(first.slug,))
    assert form in said(client.get(reverse("admin:episodes_episode_change", args=(first.slug,))))
    assert "Add a transcript of" in said(client.get(form))
    # Even the title of another episode does not lead away from the one that a person chose.
    for episode, words in ((first, b"One. "), (second, b"Two. ")):
        sent = {"transcripts": SimpleUploadedFile(f"{second.title}.txt", words + WORDS), "_save": "1"}
        told = said(client.post(reverse("admin:episodes_episode_transcript", args=(episode.slug,)), sent, follow=True))
        assert f"The transcript was added to “{episode.heading}”." in told
    shown = dict(Transcript.objects.values_list("episode__slug", "text"))
    assert {slug: text[:4] for slug, text in shown.items()} == {first.slug: "One.", second.slug: "Two."}
    assert Change.objects.filter(verb="judge same").count() == 2


def test_file_that_is_no_transcript_is_not_added(client: Client) -> None:
    form = reverse("admin:episodes_episode_transcript", args=(Episode.objects.order_by("order")[0].slug,))
    for upload in (packed("a.txt"), SimpleUploadedFile("a.txt", b"Sorry."), SimpleUploadedFile("a.mp3", WORDS)):
        answer = said(client.post(form, {"transcripts": upload, "_save": "1"}))
        assert "Not imported: " in answer
        assert "ignored: " in answer
    assert not Source.objects.filter(slug="transcripts").exists()


CASES = cases("admin_transcript_words")

__all__ = ["bring"]


@pytest.fixture
def editor(curator: User, bring: Bring) -> Client:
    return logged_in(curator)


def sent(editor: Client, **more: str) -> dict[str, str]:
    seen = editor.get(at(ladders(), "words")).context["token"]
    return {"seen": seen, "wrong": "jackard", "place": "0", "right": "Jacquard", "reason": "a name", **more}


def test_words_are_found_previewed_and_corrected(editor: Client) -> None:
    address = at(ladders(), "words")
    assert address in said(editor.get(at(ladders())))
    assert "[jackard]" not in said(editor.get(address))
    page = said(editor.get(address, {"wrong": "there", "right": "here"}))
    assert page.count("[there]") == 1
    assert "Everywhere" not in page
    page = said(editor.get(address, {"wrong": "jackard", "right": "Jacquard"}))
    assert page.count("[jackard]") == 2
    assert "Everywhere in this transcript (2 places)" in page
    page = said(editor.post(address, sent(editor, _preview="1")))
    assert "Paragraph 1" in page
    assert RIGHT in page
    assert (shown(), Change.objects.count()) == (SAID, 0)
    answer = editor.post(address, sent(editor), follow=True)
    assert answer.redirect_chain == [(at(ladders()), 302)]
    assert shown() == RIGHT
    assert Change.objects.get().reason == "a name"
    page = said(editor.get(address))
    assert "<del>jackard</del> → Jacquard" in page
    assert "not in this transcript" not in page
    assert "Jacquard: jackard" in said(editor.get("/admin/episodes/decision/"))


def test_words_are_corrected_wherever_they_are_said(editor: Client) -> None:
    editor.post(at(ladders(), "words"), sent(editor, place="everywhere", right=" Jacquard\n "))
    assert shown() == SAID.replace("jackard", "Jacquard")


def test_a_preview_begins_shortly_before_the_words(editor: Client, bring: Bring) -> None:
    bring(f"{'far ' * 90}before the jackard")
    for right in ("Jacquard", "jack", "jackards"):
        rows = editor.post(at(ladders(), "words"), sent(editor, _preview="1", right=right)).context["rows"]
        ((name, _, before, after),) = rows
        assert name == "Paragraph 1"
        assert before.endswith("far before the jackard")
        assert 60 < len(before) < 100
        assert after == before.replace("jackard", right)


@pytest.mark.parametrize("more, told", CASES["what_cannot_be_done_is_told_and_changes_nothing"])
def test_impossible_correction_is_reported(editor: Client, more: dict[str, str], told: str) -> None:
    assert told in said(editor.post(at(ladders(), "words"), sent(editor, **more)))
    assert (shown(), Decision.objects.count()) == (SAID, 0)


def test_an_episode_without_a_transcript_leads_back(editor: Client) -> None:
    address = at(ladders(), "words")
    Transcript.objects.all().delete()
    assert "This episode has no transcript." in said(editor.get(address, follow=True))
    assert address not in said(editor.get(at(ladders())))


def test_lost_corrections_are_listed_and_undone(editor: Client, curator: User, bring: Bring) -> None:
    editor.post(at(ladders(), "words"), sent(editor))
    assert listed(editor) == []
    bring("Quite another talk.")
    assert listed(editor) == [ladders()]
    page = said(editor.get(at(ladders(), "words")))
    assert '<a href="?wrong=jackard&amp;right=Jacquard">Find its new place</a>' in page
    undo_change(curator, Change.objects.latest("pk"))
    assert listed(editor) == []


def listed(editor: Client) -> list[Episode]:
    return list(editor.get("/admin/episodes/episode/?needs=words").context["cl"].result_list)


def test_equal_contexts_are_one_choice(editor: Client, bring: Bring) -> None:
    around = "one two three four five jackard six seven eight nine ten"
    bring(f"{around} {around}\n\n00:40.000 --> 00:50.000\nWell, {around} and a jackard")
    page = said(editor.get(at(ladders(), "words"), {"wrong": "jackard", "right": "Jacquard"}))
    assert "Paragraph 1, 1, 2: …two three four five [jackard] six seven eight nine…" in page
    assert "Paragraph 2: …nine ten and a [jackard]" in page
    assert "Everywhere in this transcript (4 places)" in page
    assert 'name="right" value="Jacquard"' in page
    editor.post(at(ladders(), "words"), sent(editor))
    assert (shown().count("Jacquard"), shown().count("jackard")) == (3, 1)


def words_screen() -> str:
    return reverse("admin:episodes_podcast_words", args=(Podcast.objects.get().pk,))


def test_words_of_show_are_previewed_and_corrected(editor: Client, curator: User) -> None:
    override_fields(curator, ladders(), {"audio_url": "https://cdn.example/1.mp3"})
    assert words_screen() in said(
        editor.get(reverse("admin:episodes_podcast_change", args=(Podcast.objects.get().pk,)))
    )
    filled = f"{words_screen()}?wrong=jackard&right=Jacquard"
    assert filled.replace("&", "&amp;") in said(editor.get(f"{at(ladders(), 'words')}?wrong=jackard&right=Jacquard"))
    page = said(editor.get(filled))
    assert "2 places in 1 episode would change." in page.replace("<b>", "").replace("</b>", "")
    assert page.count("<del>jackard</del> <ins>Jacquard</ins>") == 2
    assert '<audio controls preload="none" src="https://cdn.example/1.mp3#t=0,10"' in page
    assert shown() == SAID
    sent = {"wrong": "jackard", "right": " Jacquard\n ", "reason": "a name"}
    page = said(editor.post(words_screen(), sent, follow=True))
    assert shown() == SAID.replace("jackard", "Jacquard")
    assert reverse("admin:episodes_change_change", args=(Change.objects.latest("pk").pk,)) in page
    assert "“jackard” is corrected already." in said(editor.post(words_screen(), sent))


def test_viewer_may_not_correct_words_of_show(bring: Bring, viewer: User) -> None:
    client = logged_in(viewer)
    page = said(client.get(f"{words_screen()}?wrong=jackard&right=Jacquard"))
    assert "Corrected words of all transcripts" in page
    assert "_save" not in page
    assert client.post(words_screen(), {"wrong": "jackard", "right": "Jacquard"}).status_code == 403
    assert shown() == SAID


def propose(*words: str) -> list[str]:
    """Propose words and return the subjects of the inbox."""
    podcast = Podcast.objects.get()
    for wrong in words:
        WordProposal.objects.create(podcast=podcast, wrong=wrong, right="Jacquard", place_count=2, episode_count=1)
    return [row.subject for row in first_inbox_rows(10) if row.section.slug == "words"]


def press(editor: Client, name: str) -> str:
    row = next(row for row in first_inbox_rows(10) if row.section.slug == "words")
    sent = {"kind": "words", "row": row.target.pk, "token": row.token, "act": name}
    return said(editor.post(reverse("admin:inbox"), sent, follow=True))


def test_proposed_words_are_corrected_from_inbox(editor: Client, curator: User) -> None:
    assert propose("jackard", "loom") == ["jackard → Jacquard", "loom → Jacquard"]
    page = said(editor.get(reverse("admin:inbox")))
    assert f"{words_screen()}?wrong=jackard&amp;right=Jacquard" in page
    assert "2 places in 1 episode." in page
    assert "Corrected “jackard → Jacquard” in all transcripts." in press(editor, "correct")
    assert shown() == SAID.replace("jackard", "Jacquard")
    assert "“loom → Jacquard” is not proposed again." in press(editor, "right")
    assert propose() == []
    for change in Change.objects.order_by("-pk"):
        undo_change(curator, change)
    assert (shown(), len(propose())) == (SAID, 2)


def test_job_proposes_misspelled_names(bring: Bring) -> None:
    Podcast.objects.update(title="JacquardLoom")
    bring("A jacquard loom, and another jacquard loom of oak.")
    store_proposals_for_misheard_names(Podcast.objects.get())
    assert propose() == ["jacquard loom → JacquardLoom"]
    Podcast.objects.update(title="Looms")
    store_proposals_for_misheard_names(Podcast.objects.get())
    assert propose() == []
