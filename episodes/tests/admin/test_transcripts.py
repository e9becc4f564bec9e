"""Transcripts of a show are uploaded in the admin: tried, brought, and told file by file."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from episodes.curation import override_fields
from episodes.curation.decide import entry_anchors
from episodes.models import Change, Episode, Held, Podcast, Source, Transcript

from .conftest import logged_in, said

WORDS = b"All about kettles: how they boil, and why the lid rattles. " * 5


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def packed(*names: str) -> SimpleUploadedFile:
    body = BytesIO()
    with ZipFile(body, "w") as archive:
        for name in names:
            archive.writestr(name, WORDS)
    return SimpleUploadedFile("all.zip", body.getvalue())


def at() -> str:
    return reverse("admin:episodes_podcast_transcripts", args=(Podcast.objects.get().pk,))


def test_files_are_tried_then_brought(client: Client) -> None:
    name = f"{Episode.objects.order_by('order')[0].title}.txt"
    assert at() in said(client.get(reverse("admin:episodes_podcast_change", args=(Podcast.objects.get().pk,))))
    assert "For more than 20 MB at once" in said(client.get(at()))
    tried = said(client.post(at(), {"transcripts": packed(name, "odd.txt"), "_preview": "1"}))
    assert "transcripts: 2 files: 1 matched, 1 held, 0 ignored; 0 unchanged since last time" in tried
    assert "odd.txt: held: no episode" in tried
    assert not Transcript.objects.exists()
    assert not Change.objects.exists()
    sent = {"transcripts": packed(name, "odd.txt"), "machine_made": "on", "_save": "1"}
    told = said(client.post(at(), sent, follow=True))
    assert "transcripts: 2 files: 1 matched, 1 held" in told
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
    assert "1 files: 1 matched" in said(client.post(at(), {"transcripts": one, "_save": "1"}, follow=True))
    assert "complaint" in said(client.post(at(), {"_save": "1"}))
    bad = {"transcripts": SimpleUploadedFile("b.zip", b"PK"), "_save": "1"}
    assert "b.zip is not a zip file" in said(client.post(at(), bad))
    settings.DOCUMENT_MB = 1
    for size, refused in ((1_000_000, False), (1_000_001, True)):
        large = {"transcripts": SimpleUploadedFile("a.txt", b"a" * size), "_preview": "1"}
        assert ("larger than 1 MB" in said(client.post(at(), large))) == refused
    Podcast.objects.update(status="archived")
    answer = said(client.post(at(), {"transcripts": packed("a.txt"), "_save": "1"}))
    assert re.search(r"Not imported: [^<]*archived[^<]*\.<", answer)


def test_transcript_offers_no_values(client: Client, administrator: User) -> None:
    episode = Episode.objects.order_by("order")[0]
    form = reverse("admin:episodes_episode_change", args=(episode.slug,))
    before: Any = client.get(form)
    for title in ("Odd", "Odder"):
        body = f"---\nguid: {episode.guid}\ntitle: {title}\n---\n".encode() + WORDS
        client.post(at(), {"transcripts": [SimpleUploadedFile("odd.md", body)], "_save": "1"})
        if title == "Odd":
            override_fields(administrator, episode, {"title": f"{episode.title}, told"})
    form = reverse("admin:episodes_episode_change", args=(Episode.objects.order_by("order")[0].slug,))
    page: Any = client.get(form)
    assert any(entry.item.key == "odd.md" for entry in page.context["entries"])
    for was, now in zip(before.context["fields"], page.context["fields"], strict=True):
        assert [value["words"] for value in now["values"]] == [value["words"] for value in was["values"]]
        assert not now["moved"]
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
