"""Feeds that are made up from a seed: the same seed gives the same bytes on every machine.

An item depends on the seed, its show and its number alone, so a feed with one item more is the same feed beside it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

BEGINNINGS = "b br c cl d dr f g gr h k l m n p pl r s st t tr v w".split()
MIDDLES = "a e i o u ai ea io ou".split()
ENDINGS = "l m n r s t x nd rt sk".split()
GLUE = (
    "the and of to a in is that for it with as on this be are by or from at which can not have when how what more about "
    "into than other only some time because we you they one all their if will each so before between after"
).split()
TOPICS = (
    "Databases, Testing, Compilers, Networking, Security, Caching, Scheduling, Observability, Packaging, Typography, "
    "Concurrency, Accessibility, Cartography, Robotics, Statistics, Cryptography, Simulation, Compression, Translation, "
    "Astronomy, Gardening, Acoustics, Ceramics, Metallurgy, Linguistics, Meteorology, Printing, Navigation, Optics, Weaving"
).split(", ")
FORENAMES = (
    "Ada Bela Carin Doro Edda Falk Gita Hanno Ines Jorin Kaja Leif Mira Nils Oda Pavo Runa Sven Tilda Ulf".split()
)
WORDS, LONGEST_TAIL = 6_000, 60_000
SOME_CODE, SOME_REFERENCE, SOME_RARE, SOME_GUEST = 0.2, 0.05, 0.02, 0.3
FIRST_DAY, DAYS = datetime(1997, 1, 1, 6, tzinfo=UTC), 9_000
SPACES = (
    "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:podcast='https://podcastindex.org/namespace/1.0'"
)


class Vocabulary(NamedTuple):
    """Words by falling frequency with their summed weights, and what else notes are made of."""

    words: list[str]
    weights: list[float]
    topic_weights: list[float]
    code: list[str]
    surnames: list[str]
    repositories: list[str]


class Item(NamedTuple):
    number: int
    title: str
    notes: str
    guest: str
    seconds: int
    published: datetime


@cache
def vocabulary(seed: int) -> Vocabulary:
    random = Random(f"{seed} vocabulary")
    words = list(dict.fromkeys(_word(random) for _ in range(2 * WORDS)))[:WORDS]
    code = [_code_name(random, words) for _ in range(400)]
    surnames = [_word(random).capitalize() for _ in range(200)]
    repositories = [f"{random.choice(words)}/{random.choice(words)}" for _ in range(150)]
    return Vocabulary(words, _zipf(WORDS), _zipf(len(TOPICS)), code, surnames, repositories)


def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / (place + 2) for place in range(count)))


def _word(random: Random) -> str:
    syllables = "".join(random.choice(BEGINNINGS) + random.choice(MIDDLES) for _ in range(random.choice((1, 2, 2, 3))))
    return syllables + random.choice(ENDINGS)


def _code_name(random: Random, words: list[str]) -> str:
    first, second = random.choice(words), random.choice(words)
    return random.choice((f"{first}_{second}", f"{first}.{second}_{first}", f"{first}{second}".title() + "Impl"))


def sizes_of_shows(episodes: int) -> list[int]:
    """The number of episodes of each show: many shows, a few of which hold most of them."""
    shows = max(1, min(40, episodes // 25))
    weights = [1 / (place + 3) for place in range(shows)]
    sizes = [max(1, int(episodes * weight / sum(weights))) for weight in weights]
    sizes[0] += episodes - sum(sizes)
    return sizes


def address(show: int) -> str:
    return f"https://show-{show}.example/feed.xml"


def feed(seed: int, show: int, items: int, *, changed: int = 0, built: str = "") -> bytes:
    """A show's feed with that many items, the newest first; `changed` is the number of one that says something more,
    `built` the date of the feed itself, which many hosts set at every answer."""
    title = show_title(seed, show)
    entries = "".join(_entry(item(seed, show, number), show, changed) for number in range(items, 0, -1))
    dated = f"<lastBuildDate>{built}</lastBuildDate>" if built else ""
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" {SPACES}><channel><title>{title}</title>'
        f"<link>https://show-{show}.example/</link><language>en</language><description>All about {title}.</description>"
        f"<itunes:author>{_host(seed, show)}</itunes:author>{dated}{entries}</channel></rss>"
    )
    return text.encode()


def show_title(seed: int, show: int) -> str:
    random, known = Random(f"{seed} {show}"), vocabulary(seed)
    return " ".join(random.choice(known.words).capitalize() for _ in range(3))


def _host(seed: int, show: int) -> str:
    return _name(Random(f"{seed} {show} host"), vocabulary(seed))


def _name(random: Random, known: Vocabulary) -> str:
    return f"{random.choice(FORENAMES)} {random.choice(known.surnames)}"


def item(seed: int, show: int, number: int) -> Item:
    random, known = Random(f"{seed} {show} {number}"), vocabulary(seed)
    topics = list(dict.fromkeys(random.choices(TOPICS, cum_weights=known.topic_weights, k=random.choice((1, 1, 2, 3)))))
    title = f"{' and '.join(topics[:2])} {_glued(random, known, 1)} {random.choice(known.words)}"
    guest = _name(random, known) if random.random() < SOME_GUEST else ""
    sentences = [f"We talk about {topic.lower()} {_glued(random, known, 8)}." for topic in topics]
    sentences += [f"{_glued(random, known, random.randint(6, 16)).capitalize()}." for _ in range(random.randint(3, 7))]
    sentences += _some_more(random, known, number)
    random.shuffle(sentences)
    half = len(sentences) // 2
    notes = (
        f"<p>{' '.join(sentences[:half])}</p><p>{' '.join(sentences[half:])}</p>{_links(random, known, show, number)}"
    )
    # An episode a day, from a first day of the show's own.
    published = FIRST_DAY + timedelta(days=(show - 1) * 211 % DAYS + number, minutes=7 * show)
    return Item(number, title.capitalize(), notes, guest, random.randint(300, 5_400), published)


def _glued(random: Random, known: Vocabulary, count: int) -> str:
    """Words of the vocabulary with small words between them."""
    words = random.choices(known.words, cum_weights=known.weights, k=count)
    glue = random.choices(GLUE, k=count)
    return " ".join(part for pair in zip(glue, words, strict=True) for part in pair)


def _some_more(random: Random, known: Vocabulary, number: int) -> list[str]:
    """Sentences that few notes have: a name of code, another episode, a word that is nowhere else."""
    found = []
    if random.random() < SOME_CODE:
        found.append(f"This calls {random.choice(known.code)} and then {random.choice(known.code)}().")
    if random.random() < SOME_REFERENCE and number > 1:
        found.append(f"Before this one, listen to episode {random.randint(1, number - 1)}.")
    if random.random() < SOME_RARE:
        found.append(f"Some call it {_word(random)}{_word(random)}{random.randint(1, LONGEST_TAIL)}.")
    return found


def _links(random: Random, known: Vocabulary, show: int, number: int) -> str:
    repository, word = random.choice(known.repositories), random.choice(known.words)
    targets = (
        f"https://github.com/{repository}/pull/{random.randint(1, 900)}",
        f"https://github.com/{repository}",
        f"https://docs.{word}.example/guide/{random.randint(1, 30)}.html",
        f"https://show-{show}.example/notes/{number}",
    )
    chosen = random.sample(targets, k=random.randint(1, 3))
    return (
        "<ul>"
        + "".join(f'<li><a href="{target}">{word} {place}</a></li>' for place, target in enumerate(chosen))
        + "</ul>"
    )


def _entry(item: Item, show: int, changed: int) -> str:
    notes = item.notes + ("<p>Mended on a later day.</p>" if item.number == changed else "")
    guest = f'<podcast:person role="guest">{item.guest}</podcast:person>' if item.guest else ""
    audio = f"https://show-{show}.example/audio/{item.number}.mp3"
    return (
        f"<item><title>{escape(item.title)}</title><guid isPermaLink='false'>show-{show}-{item.number}</guid>"
        f"<link>https://show-{show}.example/{item.number}</link><pubDate>{format_datetime(item.published)}</pubDate>"
        f"<description>{escape(notes)}</description><enclosure url={quoteattr(audio)} type='audio/mpeg' length='1'/>"
        f"<itunes:duration>{item.seconds}</itunes:duration><itunes:episode>{item.number}</itunes:episode>{guest}</item>"
    )
