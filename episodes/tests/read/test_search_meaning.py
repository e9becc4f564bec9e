"""Search by meaning, with the encoder. Margins are wide: the last digits of vectors differ between processors."""

import pytest
from django.core.management import call_command
from django.test import Client

from episodes import meaning
from episodes.models import (
    Episode,
    EpisodeMeaning,
    EpisodeTopic,
    Podcast,
    Topic,
    Transcript,
    start_new_version,
)
from episodes.resolve import has_missing_meanings, update_catalog, write_missing_meanings
from episodes.resolve.write_meanings import delete_stale_meanings, split_into_pieces
from episodes.search import prepare_query
from episodes.search.meaning import compare_query_with_all_episodes

from .pages import found, see

BREAD = "Baking bread with sourdough and a hot oven."


@pytest.fixture(autouse=True)
def encoder(catalog: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "has_encoder", lambda: True)
    Episode.objects.exclude(slug__in=["vmap", "strides"]).update(listed=False)
    Episode.objects.filter(slug="vmap").update(title="Loaves", summary=BREAD, description_text=BREAD)
    EpisodeMeaning.objects.all().delete()
    for slug, text in (("vmap", f"Loaves. {BREAD}"), ("strides", "Strides. How tensors lie in memory.")):
        (vector,) = meaning.encode_texts([text])
        EpisodeMeaning.objects.create(episode=Episode.objects.get(slug=slug), vector=vector)
    start_new_version()


@pytest.mark.on_both
@pytest.mark.parametrize(
    "query, slugs",
    [
        ("making dough at home", ["vmap"]), ("makingDoughAtHome", ["vmap"]), ("making_dough_at_home", ["vmap"]),
        ("MAKING DOUGH AT HOME", ["vmap"]),
        ("making dough at home -football -championship -final", ["vmap"]), ("football championship final", []),
    ],
)  # fmt: skip
def test_other_words_find_same_meaning(query: str, slugs: list[str]) -> None:
    assert found(query) == slugs


def test_punctuation_of_query_has_no_meaning() -> None:
    without, with_marks = (
        compare_query_with_all_episodes(text, 1).similarity for text in ("rye, dough", "rye dough?!")
    )
    assert without == with_marks


def test_excluded_word_is_not_wanted() -> None:
    assert prepare_query("making dough at home -football").query.typed_without_exclusions == "making dough at home"


def test_card_says_similar_in_meaning(client: Client) -> None:
    page = see(client, "/episodes/", q="making dough at home")
    assert "Similar in meaning; missing: making dough home" in " ".join(page.text.split())


def test_changed_episode_is_encoded_again() -> None:
    before = bytes(EpisodeMeaning.objects.get(episode__slug="vmap").vector)
    write_missing_meanings()
    assert not has_missing_meanings()
    assert EpisodeMeaning.objects.count() == Episode.objects.count()
    assert len(before) == 512
    # A resolve writes the episode as its sources have it.
    call_command("rebuild", verbosity=0)
    assert bytes(EpisodeMeaning.objects.get(episode__slug="vmap").vector) != before


@pytest.mark.on_both
def test_speech_finds_same_meaning() -> None:
    episode = Episode.objects.get(slug="strides")
    speech = f"{'Strides tell where a number lies in memory. ' * 7}{f'{BREAD} ' * 6}"
    Transcript.objects.create(episode=episode, url="", sha256="1", text=speech)
    # The words of the query are written somewhere, so it may be about the catalog.
    vmap = Episode.objects.filter(slug="vmap")
    vmap.update(listed=False, description_text="Making dough at home.")
    assert found("making dough at home") == []
    EpisodeMeaning.objects.filter(episode=episode).delete()
    write_missing_meanings()
    assert found("making dough at home") == ["strides"]


def test_changed_transcript_is_encoded_again() -> None:
    write_missing_meanings()
    episode = Episode.objects.get(slug="vmap")
    Transcript.objects.create(episode=episode, url="", sha256="1", text=BREAD)
    delete_stale_meanings({"episode": episode})
    write_missing_meanings()
    with_transcript = bytes(EpisodeMeaning.objects.get(episode=episode).transcript_signs)
    assert len(with_transcript) == 64
    delete_stale_meanings({"episode": episode})
    assert not has_missing_meanings()
    Transcript.objects.all().delete()
    delete_stale_meanings({"episode": episode})
    write_missing_meanings()
    assert bytes(EpisodeMeaning.objects.get(episode=episode).transcript_signs) == b""


def test_pieces_are_whole_sentences() -> None:
    sentence = "A sentence of forty characters or so."
    pieces = split_into_pieces(" ".join([sentence] * 20))
    assert pieces == [" ".join([sentence] * 7), " ".join([sentence] * 7), " ".join([sentence] * 6)]
    assert [len(piece) for piece in split_into_pieces("word " * 200)] == [449, 449, 99]


def test_names_of_topics_draw_vectors() -> None:
    episode = Episode.objects.get(slug="strides")
    topic = Topic.objects.create(slug="bakery", name="Bakery", aliases=["sourdough bread", "ovens"])
    before = bytes(EpisodeMeaning.objects.get(episode=episode).vector)
    EpisodeTopic.objects.create(episode=episode, topic=topic)
    delete_stale_meanings({"episode": episode})
    write_missing_meanings()
    after = bytes(EpisodeMeaning.objects.get(episode=episode).vector)
    without, with_names = meaning.similarities("baking bread", [before, after])
    assert with_names > without + 0.1


def test_changed_alias_is_encoded_again() -> None:
    podcast = Podcast.objects.get()
    update_catalog(podcast)
    write_missing_meanings()
    topic = Topic.objects.filter(uses__isnull=False).first()
    assert topic is not None
    count = topic.uses.count()
    topic.aliases = [*topic.aliases, "sourdough bread"]
    topic.save()
    update_catalog(podcast)
    assert Episode.objects.filter(meaning=None).count() == count


def test_unknown_name_in_code_is_read_as_words() -> None:
    assert found("hotOvenSourdough") == found("hot::oven::sourdough") == ["vmap"]


def test_unchanged_resolve_keeps_vectors() -> None:
    podcast = Podcast.objects.get()
    update_catalog(podcast)
    write_missing_meanings()
    update_catalog(podcast)
    assert not has_missing_meanings()


def test_without_encoder_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "has_encoder", lambda: False)
    assert found("sourdough") == ["vmap"]
    assert found("making dough at home") == []
    assert not has_missing_meanings()
