"""Moments: where in an episode the words are said together, on lists, in feeds and on a topic's page."""

import pytest
from django.test import Client

from episodes.models import Episode, Transcript
from episodes.search import (
    Moment,
    find_passages,
    find_term_numbers,
    moment_of_passage,
    parse_query,
    prepare_query,
    search_episodes,
)
from episodes.search.occurrences import find_separate_occurrences
from episodes.text.spoken_time import Speech

from .pages import Seen, asked, see

FILLER = ("Nothing of note is in here at all. " * 12).strip()  # longer than words that are together


def said(words: str, *paragraphs: tuple[float | None, str], length: int | None = None) -> list[Moment]:
    query = parse_query(words)
    speech = Speech([[start, "", text] for start, text in paragraphs], length=length)
    return [moment_of_passage(speech, passage, query) for passage in find_passages(speech.text, query)]


@pytest.mark.parametrize(
    "text, first",
    [
        (f"A tape. {FILLER} The tape and its hiss.", "tape and its hiss"),  # both, not the first of them
        (
            f"Tape, and after what is really a rather long detour, hiss. {FILLER} Tape hiss.",
            "Tape hiss",
        ),  # the closer ones
        (f"Hiss here. {FILLER} Tape here: the tape, a tape.", "Tape here"),  # more of the same
        (f"Tape hiss one. {FILLER} Tape hiss two.", "Tape hiss one"),  # else the earlier one
    ],
)
def test_the_best_passage_says_most_words_closest(text: str, first: str) -> None:
    best = find_passages(text, parse_query("tape hiss"))[0]
    assert text[best.start :].startswith(first)


@pytest.mark.parametrize("distance, are_together", [(300, True), (301, False)])
def test_words_are_together_within_three_hundred_characters(distance: int, are_together: bool) -> None:
    text = f"tape{'.' * (distance - 4)}hiss"
    assert [one.terms for one in find_passages(text, parse_query("tape hiss"))] == (
        [{0, 1}] if are_together else [{0}, {1}]
    )


@pytest.mark.parametrize("distance, count", [(199, 1), (200, 2)])
def test_passages_begin_two_hundred_characters_apart(distance: int, count: int) -> None:
    assert len(find_passages(f"tape{'.' * (distance - 4)}tape", parse_query("tape"))) == count


def test_neighbouring_paragraphs_are_together_and_passages_apart() -> None:
    found = said(
        "tape hiss", (0, "First the tape."), (20, "Then the hiss."), (40, FILLER), (60, FILLER), (80, "Tape hiss.")
    )
    assert [one.second for one in found] == [0, 80]


def test_a_moment_has_the_second_of_its_sentence() -> None:
    half = "Filler words of plain talk. " * 10
    (moment,) = said("zebra", (0, "Opening."), (100, f"{half}A zebra. {half[:-9]}"), (200, "Ending."))
    assert (moment.second, moment.paragraph) == (149, 2)


def test_untimed_words_follow_timed_ones() -> None:
    timed, untimed = said("zebra", (None, "A zebra."), (30, FILLER), (None, "Zebra zebra."))
    assert (timed.second is not None and timed.second >= 30, timed.paragraph) == (True, 3)
    assert (untimed.second, untimed.paragraph) == (None, 1)


def test_excerpt_starts_with_sentence() -> None:
    (moment,) = said("tape hiss", (0, f"{FILLER} Here is the tape{', and so on' * 15}, and the hiss. {FILLER}"))
    assert "".join(moment.text).startswith("Here is the tape, and")
    assert moment.text[1::2] == ["tape", "hiss"]
    (moment,) = said("zebra", (0, f"{'on and ' * 40}zebra"))
    assert "".join(moment.text).startswith("on and")
    (moment,) = said("zebra", (0, f"{'on and ' * 50}zebra"))
    assert "".join(moment.text).startswith("… on and")
    assert (moment.second, len("".join(moment.text))) == (0, 301)


def test_short_sentence_gets_the_next_ones() -> None:
    (moment,) = said("zebra", (0, f"Opening. A zebra. {'It ran. ' * 18}It ran home."), (90, "Ending."))
    assert "".join(moment.text) == f"A zebra. {'It ran. ' * 18}It ran home."
    (moment,) = said("zebra", (0, f"A zebra. {'It ran. ' * 19}It ran home."))
    assert "".join(moment.text) == f"A zebra. {'It ran. ' * 19}".strip()


def transcribed(slug: str, *paragraphs: tuple[float | None, str]) -> Episode:
    episode = Episode.objects.get(slug=slug)
    cues = [[start, "", text] for start, text in paragraphs]
    text = "\n".join(text for _, text in paragraphs)
    Transcript.objects.create(episode=episode, url="", sha256="", text=text, cues=cues)
    return episode


def lines(page: Seen, entry: int = 0) -> list[str]:
    """The reason that a card gives."""
    found = page.tree.css("main article")[entry].css(".why")
    return [" ".join(line.text().split()) for line in found]


@pytest.mark.usefixtures("catalog")
class TestResults:
    def test_an_episode_shows_its_three_best_moments_and_the_way_to_the_others(self, client: Client) -> None:
        kumquats = [(100.0 * n, f"A kumquat number {n}. {FILLER}") for n in range(1, 6)]
        transcribed("vmap", *kumquats)
        page = see(client, "/episodes/", q="kumquat")
        assert [line[:34].strip() for line in lines(page)] == [
            f"Said at {n}: A kumquat number {m}." for n, m in (("1:40", 1), ("3:20", 2), ("5:00", 3))
        ]
        assert lines(page)[-1].endswith("and 2 more")
        ways = [asked(link.attributes["href"] or "") for link in page.tree.css("main article .why a")]
        assert ways == [{"t": [str(n)], "q": ["kumquat"]} for n in (100, 200, 300)] + [{"q": ["kumquat"]}]

    def test_without_a_time_the_passage_leads_to_its_paragraph(self, client: Client) -> None:
        transcribed("vmap", (None, FILLER), (None, "A kumquat."))
        page = see(client, "/episodes/", q="kumquat")
        assert lines(page) == ["Said in the transcript: A kumquat."]
        assert page.one(".why a").attributes["href"] == "/episodes/vmap/?q=kumquat#p2"

    def test_words_that_are_apart_show_one_moment_that_the_card_lacks(self, client: Client) -> None:
        transcribed("vmap", (0, "On vmap."), (50, FILLER), (100, "A kumquat."), (150, FILLER), (200, "Kumquat two."))
        (line,) = lines(see(client, "/episodes/", q="vmap kumquat"))
        assert line == "Said at 1:40: A kumquat."

    def test_an_episode_that_lacks_words_shows_the_moment_with_most_of_them(self, client: Client) -> None:
        transcribed("vmap", (0, "A kumquat."), (50, FILLER), (100, "A kumquat and a persimmon."))
        page = see(client, "/episodes/", q="kumquat persimmon zebra")
        assert lines(page) == ["Missing: zebra", "Said at 1:40: A kumquat and a persimmon."]

    def test_a_fact_needs_not_be_said(self, client: Client) -> None:
        transcribed("vmap", (7, "A kumquat."))
        assert lines(see(client, "/episodes/", q="kumquat 2021")) == ["Said at 0:07: A kumquat."]

    @pytest.mark.on_both
    def test_words_that_are_said_together_come_before_words_that_are_only_said(self) -> None:
        together = transcribed("vmap", (0, f"{FILLER} A kumquat and a persimmon. {FILLER}"))
        apart = transcribed("strides", (0, f"A kumquat. {FILLER} A persimmon."))
        ids = search_episodes(prepare_query("kumquat persimmon")).ids
        assert ids == [together.pk, apart.pk]
        Episode.objects.filter(pk=apart.pk).update(description_text="kumquat persimmon")
        assert search_episodes(prepare_query("kumquat persimmon")).ids == [apart.pk, together.pk]

    @pytest.mark.on_both
    def test_episode_without_transcript_is_not_last(self) -> None:
        text = f"{FILLER} A kumquat, a persimmon and a medlar. {FILLER}"
        spoken_ids = {transcribed(slug, (0, text)).pk for slug in ("vmap", "batching", "code-generation")}
        without_transcript = Episode.objects.get(slug="strides")
        Episode.objects.filter(pk=without_transcript.pk).update(description_text="kumquat persimmon")
        first_id, *other_ids = search_episodes(prepare_query("kumquat persimmon medlar")).ids
        assert first_id == without_transcript.pk
        assert set(other_ids) == spoken_ids

    @pytest.mark.on_both
    def test_only_transcript_with_all_words_is_first(self) -> None:
        transcribed_episode = transcribed("vmap", (0, f"{FILLER} A kumquat, a persimmon and a medlar."))
        slugs = ["strides", "batching", "code-generation", "autograd"]
        Episode.objects.filter(slug__in=slugs).update(description_text="kumquat")
        assert search_episodes(prepare_query("kumquat persimmon medlar")).ids[0] == transcribed_episode.pk


@pytest.mark.parametrize(
    "typed, near",
    [
        ('near:"tape hiss"', [("tape", "hiss")]), ("NEAR: “tape hiss”", [("tape", "hiss")]), ('near:"tape - hiss"', [("tape", "hiss")]),
        ('near:"tape"', []), ('near:"tape2', []), ('near:"one tape hiss"', []), ("near:tape hiss", []), ("tape near:", []), ('linear:"tape hiss"', []),
    ],
)  # fmt: skip
def test_near_takes_two_words_in_quotation_marks(typed: str, near: list[tuple[str, ...]]) -> None:
    assert [term.pieces for term in parse_query(typed).terms if term.near] == near


NEAR = [
    (f"tape {'la ' * 10}hiss", True), (f"tape {'la ' * 11}hiss", False), (f"hiss {'la ' * 10}tapes", True),
    (f"hiss {'la ' * 11}tapes", False), ("tape and a tape", False), ("hissing of taped words", True),
]  # fmt: skip


@pytest.mark.on_both
@pytest.mark.parametrize("text, is_near", NEAR)
def test_near_means_at_most_ten_words_between(catalog: None, text: str, is_near: bool) -> None:
    asked = prepare_query('near:"tape hiss"')
    assert (
        bool(find_term_numbers(text, asked.query)) == bool([*find_separate_occurrences(text, asked.query)]) == is_near
    )
    for column in ("said", "notes"):
        Transcript.objects.all().delete()
        Episode.objects.filter(slug="vmap").update(description_text=text if column == "notes" else "")
        if column == "said":
            transcribed("vmap", (0, text))
        assert bool(search_episodes(asked).ids) == is_near, column


def test_page_explains_near(catalog: None, client: Client) -> None:
    transcribed("vmap", (0, "The tape and its hiss."))
    page = see(client, "/episodes/", q='near:"tape hiss"')
    assert "Understood as: “tape” and “hiss” with at most 10 words between them" in page.text
    assert lines(page) == ["Said at 0:00: The tape and its hiss."]
