"""A transcript on its episode's page: paragraphs, chapters, its search, what it links to, and quotes from it."""

import json

import pytest
from django.test import Client

from episodes.models import Chapter, CodeMention, CodeName, Episode, Transcript
from episodes.search import parse_query
from episodes.text.spoken_time import Speech
from episodes.views.moments import find_best_moments_per_transcript, moment_address
from episodes.views.quotes import (
    Quote,
    TimeRange,
    find_whole_sentence_quote_or_empty,
    load_speech,
    time_range_and_complaints,
)

from ..tables import cases
from .pages import Seen, see

CASES = cases("read_transcript")

pytestmark = pytest.mark.usefixtures("catalog")

AUDIO = "https://audio.example.org/a.mp3"
PAGE = "/episodes/vmap/"
# Ten characters a second; the last paragraph has more time than words.
CUES: list[list[object]] = [
    [0.0, "Nora", "Welcome to a talk about looms. Looms make cloth, not carpets."],
    [6.0, "Nora", "A shuttle flies."],
    [None, "", "It is quick."],
    [60.5, "Ilse", "Cards came first. Punched cards told every thread of the warp."],
]  # fmt: skip


def heard(cues: list[list[object]] = CUES, **fields: object) -> Episode:
    vmap = Episode.objects.get(slug="vmap")
    Episode.objects.filter(pk=vmap.pk).update(audio_url=AUDIO, duration_seconds=600, **fields)
    text = "\n".join(str(words) for *_, words in cues)
    Transcript.objects.create(episode=vmap, url="https://example.org/t", sha256="", text=text, cues=cues)
    return Episode.objects.select_related("podcast", "transcript").get(pk=vmap.pk)


def saying(cues: list[list[object]], times: list[list[float]] | None = None) -> Speech:
    return Speech(cues, times or (), 600)


def paragraphs(page: Seen) -> dict[str, str]:
    return {p.attributes["id"] or "": " ".join(p.text().split()) for p in page.tree.css("#transcript p[id]")}


def test_transcript_paragraphs_have_positions_with_audio(client: Client) -> None:
    assert see(client, PAGE).tree.css_first("#transcript") is None
    heard()
    page = see(client, PAGE)
    assert paragraphs(page) == {
        "p1": "0:00 Nora Welcome to a talk about looms. Looms make cloth, not carpets.",
        "p2": "0:06 A shuttle flies.",
        "p3": "It is quick.",
        "p4": "1:00 Ilse Cards came first. Punched cards told every thread of the warp.",
    }
    assert page.one("#transcript").attributes["data-times"] == "-1:0.0 0:0.0 62:6.0 92:60.5 155:600.0"
    starts = {p.attributes["id"]: p.attributes.get("data-t") for p in page.tree.css("#transcript p[id]")}
    assert starts == {"p1": "0.0", "p2": "6.0", "p3": None, "p4": "60.5"}
    assert [a.attributes["href"] for a in page.tree.css("#transcript a.time")] == ["?t=0", "?t=6", "?t=60"]
    assert page.tree.css_first("#transcript details") is None
    Episode.objects.update(audio_url="")
    page = see(client, PAGE)
    assert page.tree.css("#transcript a.time") == []
    assert [span.text() for span in page.tree.css("#transcript span.time")] == ["0:00", "0:06", "", "1:00"]


@pytest.mark.parametrize(
    "start, before",
    [(0, "p1"), (3, "p1"), (4, "p2"), (33, "p2"), (34, "p4"), (500, "p4")],
)  # fmt: skip
def test_chapter_heads_its_paragraph(client: Client, start: int, before: str) -> None:
    chapter = Chapter.objects.create(episode=heard(), start=start, title="Cloth & cards")
    page = see(client, PAGE)
    assert page.one("#transcript h3").text() == chapter.title
    assert page.one("#transcript h3 + p").attributes["id"] == before


@pytest.mark.parametrize("words, marks, told", CASES["the_words_searched_for_are_marked_and_their_passages_counted"])
def test_searched_words_are_marked_and_counted(client: Client, words: str, marks: list[str], told: str) -> None:
    heard()
    page = see(client, PAGE, q=words)
    assert [mark.text() for mark in page.tree.css("#transcript mark")] == marks
    assert " ".join(page.one(".passages").text().split()) == f"{told} Clear search"
    assert page.one("#transcript input").attributes["value"] == words


def test_each_passage_leads_to_the_next(client: Client) -> None:
    far = f" {'They weave all day. ' * 12}"
    heard([[0.0, "", f"Looms.{far}"], [9.0, "", "Cards."], [20.0, "", f"A loom.{far}"], [30.0, "", "The loom."]])
    page = see(client, PAGE, q="loom")
    assert page.one(".passages a").attributes["href"] == "#p1"
    nexts = [(a.parent.attributes["id"], a.attributes["href"]) for a in page.tree.css("a.next") if a.parent]
    assert nexts == [("p1", "#p3"), ("p3", "#p4")]
    assert see(client, PAGE, q=" ").tree.css(".passages") == []


def test_neighbouring_paragraphs_are_two_passages(client: Client) -> None:
    heard([[0.0, "Ann", "At the top of the fog."], [9.0, "Bo", "No fog here. No fog there."]])
    page = see(client, PAGE, q="fog")
    assert "2 passages with “fog”" in page.one(".passages").text()
    assert [mark.text() for mark in page.tree.css("#p1 mark, #p2 mark")] == ["fog", "fog", "fog"]


FAR = " ".join(["They weave all day."] * 20)
TALK: list[list[object]] = [
    [0.0, "", f"The moth sleeps. {FAR}"],
    [30.0, "", f"{FAR} A moth eats wool. {FAR} The wool is gone, said the moth."],
    [90.0, "", f"{FAR} Wool keeps warm."],
]  # fmt: skip


def test_page_counts_the_passages_that_search_counts(client: Client) -> None:
    episode = heard(TALK)
    (shown,) = find_best_moments_per_transcript([episode], parse_query("moth wool"), {})
    page = see(client, PAGE, q="moth wool")
    assert len(shown.best) + shown.more == 2
    assert "2 passages with “moth wool”" in page.one(".passages").text()
    assert [mark.text() for mark in page.tree.css("#p2 mark")] == ["moth", "wool", "wool", "moth"]


def test_passages_with_most_words_are_marked(client: Client) -> None:
    heard(TALK)
    page = see(client, PAGE, q="moth wool zebra")
    assert [mark.text() for mark in page.tree.css("#p2 mark")] == ["moth", "wool", "wool", "moth"]
    assert page.tree.css("#p1 mark, #p3 mark") == []


@pytest.mark.parametrize("number", [0, 1])
def test_found_moment_opens_at_its_own_words(client: Client, number: int) -> None:
    episode = heard(TALK)
    (shown,) = find_best_moments_per_transcript([episode], parse_query("moth wool"), {})
    moment = sorted(shown.best, key=lambda one: one.second or 0)[number]
    path, _, fragment = moment_address(episode, moment, "moth wool").partition("#")
    page = see(client, path)
    opened = page.one(f"#{fragment}")
    assert opened.text() == ("moth", "wool")[number]
    assert opened.next is not None
    assert opened.next.text_content == (" eats ", " is gone, said the ")[number]
    assert page.one("audio").attributes["src"] == f"{AUDIO}#t={moment.second}"


def test_moment_of_one_word_is_marked_elsewhere(client: Client) -> None:
    heard(TALK)
    page = see(client, f"{PAGE}?t=170&q=moth+wool")
    assert page.one("#moment").text() == "Wool"
    assert page.one("#p3 #moment")
    assert see(client, PAGE, q="moth").tree.css("#moment") == []


def test_long_transcript_folds_after_three_paragraphs(client: Client) -> None:
    episode = heard([[10.0 * number, "", f"Loom {number} weaves."] for number in range(7)])
    Chapter.objects.create(episode=episode, start=20, title="Weaving")
    page = see(client, PAGE)
    assert [p.attributes["id"] for p in page.tree.css("#transcript details p")] == ["p4", "p5", "p6", "p7"]
    assert page.one("#transcript summary span").text() == "Read all 10 minutes"
    assert page.one("#transcript h3 + p").attributes["id"] == "p3"
    assert page.tree.css("#transcript details h3") == []
    for query, is_open in (("", False), ("?t=0", False), ("?t=50", True), ("?q=6", True), ("?q=cloth", False)):
        folded = see(client, f"{PAGE}{query}").one("#transcript details")
        assert ("open" in folded.attributes) is is_open, query
    assert see(client, f"{PAGE}?t=50").one("#transcript .opened").attributes["id"] == "p6"


def test_page_marks_what_incomplete_result_shows(client: Client) -> None:
    episode = heard([[None, "", f"{FAR} Moth and wool."], [None, "", f"{FAR} A heddle. {FAR}"]])
    query = "moth wool heddle zebra"
    (shown,) = find_best_moments_per_transcript([episode], parse_query(query), {episode.pk: {2, 3}})
    assert shown.best[0].paragraph == 2
    page = see(client, PAGE, q=query)
    assert [mark.text() for mark in page.tree.css("#transcript mark")] == ["Moth", "wool", "heddle"]


def use_symbol(name: str, slug: str = "vmap") -> None:
    symbol, _ = CodeName.objects.get_or_create(name=name, defaults={"slug": f"the-{name.replace('.', '-').lower()}"})
    CodeMention.objects.create(episode=Episode.objects.get(slug=slug), name=symbol, field="notes", position=9)


@pytest.mark.parametrize(
    "name, said, linked", CASES["a_name_of_code_that_the_show_knows_leads_to_its_page_once_a_paragraph"]
)
def test_known_symbol_is_linked_once_per_paragraph(client: Client, name: str, said: str, linked: list[str]) -> None:
    CodeMention.objects.all().delete()
    use_symbol(name, "strides")
    heard([[0.0, "", said], [9.0, "", said]])
    links = see(client, PAGE).tree.css("#transcript p[id] > span > a")
    assert [a.text() for a in links] == linked * 2
    assert {a.attributes["href"] for a in links} <= {f"/names/the-{name.replace('.', '-').lower()}/"}


def test_longest_symbol_is_linked_first(client: Client) -> None:
    CodeMention.objects.all().delete()
    use_symbol("heddle_count")
    use_symbol("heddle_count.low")
    heard([[0.0, "", "A heddle_count, heddle_count.low and heddle_count & more."]])
    said = see(client, PAGE).one("#transcript p[id] > span")
    assert [a.text() for a in said.css("a")] == ["heddle_count", "heddle_count.low", "heddle_count"]
    assert said.text() == "A heddle_count, heddle_count.low and heddle_count & more."


CLOTH = "Looms make cloth, not carpets."


@pytest.mark.parametrize("start, end, words, span", CASES["a_quote_is_the_whole_sentences_that_are_said_at_a_time"])
def test_quote_is_whole_sentences(start: int, end: int, words: str, span: str) -> None:
    episode = heard()
    speech = load_speech(episode)
    quote = find_whole_sentence_quote_or_empty(speech, TimeRange(start, end))
    assert (quote.words, quote.span) == (words, span)
    assert find_whole_sentence_quote_or_empty(speech, TimeRange(quote.start, quote.end)) == quote


def test_overlong_or_untimed_sentence_is_no_quote() -> None:
    assert (
        find_whole_sentence_quote_or_empty(
            saying([[0.0, "", "So " * 299 + "on."], [180.0, "", "End."]]), TimeRange(0, 9)
        ).span
        == "0-180"
    )
    assert (
        find_whole_sentence_quote_or_empty(
            saying([[0.0, "", "So " * 399 + "on."], [181.0, "", "End."]]), TimeRange(0, 9)
        )
        == Quote()
    )
    assert (
        find_whole_sentence_quote_or_empty(saying([[None, "", "Looms."], [None, "", "Cards."]]), TimeRange(0, 4))
        == Quote()
    )
    speech = saying([[None, "", "Looms."], [3.0, "", "Cards."]])
    assert [
        find_whole_sentence_quote_or_empty(speech, asked).words for asked in (TimeRange(0, 3), TimeRange(3, 4))
    ] == ["", "Cards."]


def test_quote_has_times_of_its_words() -> None:
    """Not those of their shares of a paragraph, nor the silence behind them."""
    said = "Looms hum. They stop. And hum again, for long."
    speech = saying([[0.0, "", said], [90.0, "", "Cards."]], [[11, 20.0], [22, 50.0]])
    assert [find_whole_sentence_quote_or_empty(speech, TimeRange(at, at + 1)).span for at in (0, 20, 50)] == [
        "0-2",
        "20-22",
        "50-55",
    ]


def test_quote_stands_below_stopping_player(client: Client) -> None:
    heard()
    page = see(client, f"{PAGE}?t=3-10")
    assert page.one("audio").attributes["src"] == f"{AUDIO}#t=3,10"
    assert [p.text() for p in page.tree.css(".quote blockquote p")] == [f"Nora {CLOTH} A shuttle flies."]
    assert " ".join(page.one(".quote figcaption").text().split()) == "0:03–0:10, see it in the transcript"
    assert page.one(".quote a").attributes["href"] == "#p1"
    assert page.one("[data-copy=link]").text() == f"http://testserver{PAGE}?t=3-10"
    assert see(client, f"{PAGE}?t=0-3").one("audio").attributes["src"] == f"{AUDIO}#t=0,3"


def test_page_at_time_shows_half_minute(client: Client) -> None:
    heard([[0.0, "", "Welcome."], [40.0, "", "A shuttle flies."], [69.0, "", "It is quick."], [71.0, "", "Cards."]])
    page = see(client, f"{PAGE}?t=40&q=quick")
    assert page.one(".quote blockquote").text() == "A shuttle flies. It is quick."
    assert [mark.text() for mark in page.tree.css(".quote mark")] == ["quick"]
    assert page.one("audio").attributes["src"] == f"{AUDIO}#t=40"
    speech = saying([[0.0, "Nora", "Looms."], [2.0, "Nora", "Cards."], [4.0, "Ilse", "Why?"]])
    quote = find_whole_sentence_quote_or_empty(speech, TimeRange(0, 5))
    assert quote.speakers_and_words == [("Nora", "Looms. Cards."), ("Ilse", "Why?")]
    assert page.one('meta[property="og:title"]').attributes["content"] == "34. vmap – PyTorch Developer Podcast"
    for query in ("", "?q=quick", "?t=0", "?t=500", "?t=x"):
        assert see(client, f"{PAGE}{query}").tree.css_first(".quote") is None


def test_machine_made_transcript_says_so(client: Client) -> None:
    heard()
    for mark, told in ((None, False), (False, False), (True, True)):
        Transcript.objects.update(machine_made=mark)
        assert ("This transcript was generated automatically" in see(client, PAGE).text) is told


def test_quote_unfurls_as_its_sentence(client: Client) -> None:
    heard()
    page = see(client, f"{PAGE}?t=3-6")
    metas = [meta.attributes for meta in page.tree.css("meta[property^='og:']")]
    said = {meta["property"]: meta["content"] for meta in metas}
    assert said["og:title"] == f"“{CLOTH}”"
    assert said["og:description"] == "PyTorch Developer Podcast: 34. vmap, at 0:03"
    assert said["og:url"] == f"http://testserver{PAGE}?t=3-6"
    assert said["og:image"] == f"http://testserver{PAGE}card.png?t=3-6"
    assert page.one("link[rel=canonical]").attributes["href"] == f"http://testserver{PAGE}"
    clip = json.loads(page.one("script[type='application/ld+json']").text())["hasPart"]
    assert clip == {"@type": "Clip", "name": CLOTH, "startOffset": 3, "endOffset": 6, "url": said["og:url"]}
    assert "hasPart" not in see(client, PAGE).one("script[type='application/ld+json']").text()


@pytest.mark.parametrize("ending", ["", "card.png"])
@pytest.mark.parametrize(
    "asked, answered", [("3-6", None), ("0:03-0:06", "3-6"), ("4-5", "3-6"), ("03-6", "3-6"), ("2 - 5", "0-6")]
)
def test_loose_range_redirects_to_sentences(client: Client, ending: str, asked: str, answered: str | None) -> None:
    heard()
    answer = client.get(f"{PAGE}{ending}", {"t": asked})
    assert answer.status_code == (302 if answered else 200)
    assert answer.headers.get("Location") == (f"{PAGE}{ending}?t={answered}" if answered else None)


def test_card_of_quote_differs_from_episodes(client: Client) -> None:
    heard()
    for asked in ("200-230", "6-3", "x", "3", "0-9999", "3-"):
        answer = client.get(f"{PAGE}card.png", {"t": asked})
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{PAGE}card.png")
    cards = {client.get(f"{PAGE}card.png{query}").content for query in ("", "?t=3-6", "?t=0-3")}
    assert len(cards) == 3
    Transcript.objects.update(cues=[[0.0, "", "深入理解自动求导。"]])
    assert client.get(f"{PAGE}card.png?t=0-2").status_code == 200  # the title in place of letters that the fonts lack


@pytest.mark.parametrize("text, time, wrong", CASES["a_time_may_have_an_end_and_is_told_where_it_is_none"])
def test_range_may_have_end(text: str, time: str, wrong: str) -> None:
    asked, complaints = time_range_and_complaints(text, heard())
    assert (str(asked), complaints) == (time, [wrong] if wrong else [])
