"""Faults that a reviewer found who was told to break it: each stays a test."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from .conftest import export, run, run_feed

Write = Callable[[str, bytes | str], Path]
SHOW = "PyTorch Developer Podcast"
TEXTS = [
    "Engines that walk a graph backwards, and what they have to keep on the way there, told from the first commit on.",
    "How memory is handed out and taken back, why pools exist, and what goes wrong when two threads ask at one time.",
    "Shapes that are not known until the program runs, the guards that stand before them, and the price of each guard.",
    "A tour of the build: what is generated, what is compiled twice, and which switch turns most of it off again.",
]


def item(title: str, text: int, day: str, **more: str) -> str:
    extra = "".join(f"<{tag}>{value}</{tag}>" for tag, value in more.items() if tag != "audio")
    audio = f'<enclosure url="{more["audio"]}" type="audio/mpeg" length="1"/>' if "audio" in more else ""
    return f"<item><title>{title}</title><description>{TEXTS[text]}</description><pubDate>{day}</pubDate>{extra}{audio}</item>"


def feed(*items: str, title: str = SHOW) -> str:
    return f'<rss version="2.0"><channel><title>{title}</title>{"".join(items)}</channel></rss>'


def listing(*entries: tuple[str, str, int]) -> str:
    lines = [
        f"{title}\n{SHOW} - {day} 13:00 - 13 minutes ★★★★★ - 35 ratings\n{TEXTS[text]}" for title, day, text in entries
    ]
    return "Latest episodes\n" + "\n".join(lines)


def titles() -> list[str]:
    return [e["title"] for e in json.loads(export())["episodes"]]


def test_address_survives_a_doubtful_entry(ready: None, file: Write, client: Client) -> None:
    page = listing(("Autograd engines", "January 3, 2021", 0), ("Allocators", "January 10, 2021", 1))
    run(file("page.txt", page), source="pod-casts-io")
    assert client.get("/episodes/autograd-engines/").status_code == 200
    run_feed(file("feed.xml", feed(item("Autograd engine", 2, "Sun, 03 Jan 2021 10:00:00 +0000"))))
    assert json.loads(export())["held"]
    answer = client.get("/episodes/autograd-engines/")
    assert (answer.status_code, answer["Location"]) == (301, "/episodes/?q=autograd+engines")
    assert client.get("/episodes/never-was/").status_code == 404


def test_refused_document_decides_no_target(ready: None, file: Write) -> None:
    url = "https://list.example/x"
    other = f"Talk Python public\n{TEXTS[0]}\ncontinue reading\n{TEXTS[1]}\ncontinue reading\n"
    assert run(file("a.txt", other), url=url).code == 1
    good = f"{SHOW}\n1) Engines\n{TEXTS[0]}\n2) Memory\n{TEXTS[1]}\n"
    assert run(file("b.txt", good), url=url).out.startswith("list.example: 0 items: 0 new")


def test_values_of_any_length_are_stored(ready: None, file: Write) -> None:
    long = "https://cdn.example/" + "x" * 3000
    huge = item("T" * 1100 + "ü" * 400, 0, "Mon, 01 Feb 2021", guid="g" * 3000, link=long, audio=long)
    linked = item("Links", 1, "Tue, 02 Feb 2021", guid="ü" * 1000).replace(
        TEXTS[1], f"{TEXTS[1]} {long} https://e.example/{'ü' * 1000}"
    )
    assert run_feed(file("feed.xml", feed(huge, linked))).code == 0
    assert len(titles()) == 2


# No shell can pass on a zero byte, which PostgreSQL does not look for.
ZERO = pytest.param("nul\0name", marks=pytest.mark.only_on("sqlite"))


@pytest.mark.parametrize("name", ["x" * 256, "x" * 5000, "bad\udcff.txt", "http://\udcff/", ZERO])
def test_impossible_file_name_is_wrong_usage(ready: None, name: str) -> None:
    assert run(name).code == 2


def test_repeated_document_is_dry_run_exactly(ready: None, file: Write) -> None:
    run_feed(file("feed.xml", feed(item("Alpha", 0, "Mon, 01 Feb 2021"))))
    path = file("feed.xml", feed(item("Alpha", 0, "Mon, 01 Feb 2021"), item("Beta", 1, "Tue, 02 Feb 2021")))
    dry = run(path, path, source="feed", dry_run=True)
    assert dry.as_real == run(path, path, source="feed")


def test_other_apostrophes_are_no_implausible_change(ready: None, file: Write) -> None:
    said = [item(f"What's {n}", n, "Mon, 01 Feb 2021", guid=str(n)).replace("what", "what's") for n in range(4)]
    run_feed(file("feed.xml", feed(*said)))
    assert run_feed(file("feed.xml", feed(*said).replace("'", "’"))).code == 0
