"""The topics that the keywords and categories of a feed's items declare."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..identity import make_slug, short_hash
from ..records import DeclaredTopic
from ..text.normalize import fold
from ..text.sentences import WORD
from .related import singular

MAX_LENGTH = 100  # characters of a topic's name and of its slug
SHOW_WORDS = frozenset({"the", "podcast", "show"})


@dataclass(frozen=True)
class TopicNames:
    """The names of the topics of the whole site. A name belongs to one topic."""

    by_name: Mapping[str, str] = field(
        default_factory=dict
    )  # slugs by the keys of names and aliases
    former: Mapping[str, str] = field(default_factory=dict)  # slugs by former slugs
    declared: frozenset[str] = frozenset()  # slugs of the topics that feeds declared

    @classmethod
    def collect(
        cls,
        topics: Iterable[tuple[str, Collection[str]]],
        former: Mapping[str, str],
        declared: Collection[str],
    ) -> "TopicNames":
        """Return the names of the site's topics. `topics` are (slug, name and aliases), `former`
        are slugs by former slugs, `declared` are slugs that feeds declared."""
        by_name = {}
        for slug, names in topics:
            for name in (slug, *names):
                by_name[name_key(name)] = slug
        return cls(by_name, former, frozenset(declared))

    def find_slug(self, name: str) -> str:
        """Return the slug of the topic with a name, or the slug of a new topic."""
        slug = topic_slug(name)
        return self.by_name.get(name_key(name)) or self.former.get(slug, slug)


def declared_topics_by_keyword(
    keywords_by_episode: Sequence[Collection[str]],
    show_title: str,
    names: TopicNames,
    removed: Collection[str] = (),
) -> dict[str, DeclaredTopic]:
    """Return the topics that keywords declare, by the `name_key` of the keyword.

    `removed` are the `topic_name_key`s of names and slugs that curators removed. A keyword is a
    topic if at least two and at most half of the episodes share it, if it is at most ten words long
    and if it is not the name of the show.
    """
    spellings_of: dict[str, Counter[str]] = defaultdict(Counter)
    episode_counts = Counter[str]()
    for episode_keywords in keywords_by_episode:
        episode_counts.update({name_key(keyword) for keyword in episode_keywords})
        for keyword in episode_keywords:
            spellings_of[name_key(keyword)][keyword] += 1
    show_words = set(name_key(show_title).split()) - SHOW_WORDS
    topics = {}
    for key, episode_count in episode_counts.items():
        # The most frequent spelling. Of equally frequent spellings the first in the alphabet.
        spellings = spellings_of[key]
        name = max(sorted(spellings), key=spellings.__getitem__)
        # A keyword of more than half of the episodes tells nothing about one.
        is_shared = 2 <= episode_count <= len(keywords_by_episode) / 2
        is_short = len(key.split()) <= 10 and len(name) <= MAX_LENGTH
        is_show = set(key.split()) - SHOW_WORDS == show_words
        if not key or not is_shared or not is_short or is_show:
            continue
        topic = DeclaredTopic(names.find_slug(name), name)
        removable_keys = {topic_name_key(topic.name), topic_name_key(topic.slug)}
        if removable_keys.isdisjoint(removed):
            topics[key] = topic
    return topics


def name_key(name: str) -> str:
    """Return a text that is equal for spellings of one name: "Web-Development", "web development"."""
    return " ".join(map(fold, WORD.findall(name)))


def topic_name_key(name: str) -> str:
    """Return a text that is also equal for "LLM" and "LLMs", as refusals of topics keep it."""
    *before, last = ["", *WORD.findall(name)]
    if last[-2:-1].isupper():
        last = last.removesuffix("s")
    return "".join([*map(fold, before), singular(fold(last))])


def topic_slug(name: str) -> str:
    """Return the slug of a new topic. "C++" and names in other scripts get a hash."""
    key = name_key(name)
    slug = make_slug(key.encode("ascii", "ignore").decode())[:MAX_LENGTH]
    return slug if slug.replace("-", " ") == key else f"{slug[:80] or 'topic'}-{short_hash(key)}"
