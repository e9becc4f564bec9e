"""Words of a page are no notes: links to the rest of a text."""

import pytest

from episodes.listings.any_site import parse
from episodes.records import EntryData, FetchedDocument, Show

SHOW = Show("bee-talk", "Bee Talk")
PAGE = "https://bees.example/"
# Title, day and notes; no other source has these, so that the page alone tells where they end.
EPISODES = [
    ("Wax and combs", 1, "Two keepers compare how colonies build combs and what the wax is worth"),
    ("Honey harvest", 2, "When the frames are ripe, how to spin them, and who gets the first jar"),
    ("Winter hives", 3, "A cold month, a small cluster: what to check without opening the box"),
    ("Young queens", 4, "How a queen finds her way back, and why some colonies raise three"),
    ("Swarm season", 5, "Signs in the entrance, an empty box in the tree, a patient neighbour"),
    ("Quiet robbing", 6, "Wasps at the door, sugar on the floor, and a very narrow entrance"),
    ("Old frames", 7, "What to melt, what to burn, and what a beginner may buy without worry"),
]
Episodes = list[tuple[str, int, str]]
Texts = list[tuple[str, bool | None]]


def address(day: int) -> str:
    return f"{PAGE}e/{day}"


def texts(form: str, episodes: Episodes = EPISODES, *, linked: bool = True) -> Texts:
    """The texts of a page and whether they are cut; `form` is the markup below title and date."""
    heading = "<h3><a href={page}>{title}</a></h3>" if linked else "<h3>{title}</h3>"
    entry = f"<article>{heading}<p>{{day}} May 2024</p>{form}</article>"
    entries = [entry.format(title=title, text=text, page=address(day), day=day) for title, day, text in episodes]
    head = "<!doctype html><html><head><title>Bee Talk</title></head><body><h1>Bee Talk</h1>"
    return read(f"{head}{''.join(entries)}</body></html>")


def saved(form: str) -> Texts:
    """The same of a page saved as text."""
    entry = f"{{day}} May 2024\n{{title}}\n{form}\n\n"
    entries = [entry.format(title=title, day=day, text=text) for title, day, text in EPISODES]
    return read(f"Bee Talk\n\n{''.join(entries)}")


def read(body: str, *notes: str) -> Texts:
    known = [
        EntryData(title=title, published=f"2024-05-{day:02}", text=text)
        for (title, day, _), text in zip(EPISODES, notes or [""] * len(EPISODES), strict=False)
    ]
    reading = parse(FetchedDocument(body.encode(), PAGE), SHOW, known, given=True)
    return [(entry.text, entry.cut) for entry in reading.entries]


WHOLE: Texts = [(text, None) for _, _, text in EPISODES]
CUT: Texts = [(text, True) for _, _, text in EPISODES]


def test_a_page_without_furniture_says_nothing_of_cuts() -> None:
    assert texts("<p>{text}</p>") == WHOLE


@pytest.mark.parametrize(
    "form",
    [
        "<p>{text} <a href={page}>[Mer]</a></p>",
        "<p>{text}. <a href={page}>Weiterlesen →</a></p>",
        "<p>{text} <a href={page}#more-7>Continue <span>{title}</span> <span>→</span></a></p>",
        "<p>{text}</p><p><a href={page}>Continue Reading →</a></p>",
        "<p>{text}</p><p><a href={page}>Läs mer om {title} och allt som hör till den »</a></p>",
        "<p>{text} … <a href={page}>Weiterlesen →</a></p>",
    ],
)
def test_a_text_that_ends_in_a_link_to_its_own_page_is_cut_there(form: str) -> None:
    assert [(text.rstrip("."), cut) for text, cut in texts(form)] == CUT


def test_one_entry_alone_may_end_in_such_a_link() -> None:
    for form in (
        "<p>{text} <a href={page}>[Mer]</a></p>",
        "<p>{text}</p><p><a href={page}>Continue Reading →</a></p>",
    ):
        assert texts(form, EPISODES[:1]) == CUT[:1]


@pytest.mark.parametrize(
    "form",
    [
        "<p><a href={page}>{text}</a></p>",  # the whole text is the link
        "<p>{text}</p><p><a href={page}>3 comments</a></p>",
        "<p>{text}</p><p>3 comments</p><p><a href={page}>Permalink »</a></p>",
        "<p>{text}</p><p><a href=https://elsewhere.example/{day}>Buy →</a></p>",
    ],
)
def test_other_links_cut_no_text(form: str) -> None:
    assert texts(form) == WHOLE


def test_a_card_that_is_one_link_keeps_its_paragraphs() -> None:
    card = "<a href={page}><p>{text}</p><p>All of it once more, in short: {text}</p></a>"
    expected = [(f"{text}\nAll of it once more, in short: {text}", None) for text, _ in WHOLE]
    assert texts(card) == expected


def test_a_known_text_that_is_a_link_behind_a_field_stays() -> None:
    link = "<a href={page}>{text}</a>"
    entry = f"<article><h3><a href={{page}}>{{title}}</a></h3><p>{{day}} May 2024: {link}</p></article>"
    rows = [
        entry.format(page=address(day), title=title, day=day, text=f"{text} and more") for title, day, text in EPISODES
    ]
    found = read(f"<h1>Bee Talk</h1>{''.join(rows)}", *(text for text, _ in WHOLE))
    assert found == [(f"{text} and more", None) for text, _ in WHOLE]


def test_what_follows_a_link_is_no_link() -> None:
    found = texts("<p><a href=https://bees.club/{day}>Friends</a> say: {text}</p>", linked=False)
    assert found == [(f"Friends say: {text}", None) for text, _ in WHOLE]


@pytest.mark.parametrize("form", ["{text}\nRead on →", "{text}.\nMehr →"])
def test_saved_text_is_cut_at_the_sign_that_leads_on(form: str) -> None:
    assert [(text.rstrip("."), cut) for text, cut in saved(form)] == CUT


def test_a_sign_behind_one_saved_text_alone_cuts_nothing() -> None:
    assert saved("{text}\nJar number {day} →") == WHOLE


def test_words_that_are_part_of_a_sentence_stay() -> None:
    form = "In this episode of the show: {text}, as always with the keepers."
    assert texts(f"<p>{form}</p>") == [(form.format(text=text), None) for text, _ in WHOLE]
