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
MAX_WORDS = 10
SHOW_WORDS = frozenset({"the", "podcast", "show"})


@dataclass(frozen=True)
class TopicNames:
    """The names of the topics of the whole site. A name belongs to one topic."""

    # Slugs by the keys of names and aliases.
    by_name: Mapping[str, str] = field(default_factory=dict)
    former: Mapping[str, str] = field(default_factory=dict)  # slugs by former slugs
    declared: frozenset[str] = frozenset()  # slugs of the topics that feeds declared

    @classmethod
    def collect(
        cls,
        names_by_slug: Iterable[tuple[str, Collection[str]]],
        slug_by_former_slug: Mapping[str, str],
        declared_slugs: Collection[str],
    ) -> "TopicNames":
        """Return the names of the site's topics. `names_by_slug` are (slug, name and aliases), and
        `declared_slugs` are slugs that feeds declared."""
        by_name = {}
        for slug, names in names_by_slug:
            for name in (slug, *names):
                by_name[name_key(name)] = slug
        return cls(by_name, slug_by_former_slug, frozenset(declared_slugs))

    def find_slug(self, name: str) -> str:
        slug = topic_slug(name)
        return self.by_name.get(name_key(name)) or self.former.get(slug, slug)


def declared_topics_by_keyword(
    keywords_by_episode: Sequence[Collection[str]],
    show_title: str,
    topic_names: TopicNames,
    removed_name_keys: Collection[str] = (),
) -> dict[str, DeclaredTopic]:
    """Return the topics that keywords declare, by the `name_key` of the keyword.

    `removed_name_keys` are the `topic_name_key`s of names and slugs that curators removed. A keyword is a
    topic if at least two and at most half of the episodes share it, if it is short and if it is not
    the name of the show.
    """
    # "web development" counts "Web-Development" and "Web development".
    counts_of_spellings_by_key: dict[str, Counter[str]] = defaultdict(Counter)
    episode_count_by_key = Counter[str]()
    for episode_keywords in keywords_by_episode:
        for keyword in episode_keywords:
            counts_of_spellings_by_key[name_key(keyword)][keyword] += 1
        # A set: an episode with two spellings of a keyword counts once.
        keys_of_episode = {name_key(keyword) for keyword in episode_keywords}
        episode_count_by_key.update(keys_of_episode)
    show_words = set(name_key(show_title).split()) - SHOW_WORDS
    topics = {}
    for key, episode_count in episode_count_by_key.items():
        topic = _make_declared_topic(counts_of_spellings_by_key[key], topic_names)
        # A keyword of more than half of the episodes tells nothing about one.
        is_shared = 2 <= episode_count <= len(keywords_by_episode) / 2
        # Signs alone, such as "***", are no words.
        is_short = 1 <= len(key.split()) <= MAX_WORDS and len(topic.name) <= MAX_LENGTH
        # "Loom Hour" for "The Loom Hour Podcast".
        is_show = set(key.split()) - SHOW_WORDS == show_words
        removal_keys = {topic_name_key(topic.name), topic_name_key(topic.slug)}
        is_removed = not removal_keys.isdisjoint(removed_name_keys)
        if is_shared and is_short and not is_show and not is_removed:
            topics[key] = topic
    return topics


def _make_declared_topic(spelling_counts: Counter[str], names: TopicNames) -> DeclaredTopic:
    """Return the topic of a keyword in its most frequent spelling. Of equally frequent spellings the
    first in the alphabet counts."""
    name = max(sorted(spelling_counts), key=spelling_counts.__getitem__)
    return DeclaredTopic(names.find_slug(name), name)


def name_key(name: str) -> str:
    """Return a text that is equal for spellings of one name: "Web-Development", "web development"."""
    return " ".join(map(fold, WORD.findall(name)))


def topic_name_key(name: str) -> str:
    """Return a text that is equal for spellings of one name, for its singular and plural, and without its
    spaces: "LLM" and "LLMs", "Web App", "web-apps" and "webapp". Refusals of topics are stored with it."""
    words = WORD.findall(name) or [""]  # a name may have only signs
    last_word = words[-1]
    # "GPUs" is a plural, because its "s" is small. `singular` leaves short words such as "gpus".
    without_s = last_word.removesuffix("s")
    ends_in_capital = without_s[-1:].isupper()  # also of "GPU", which stays as it is
    if ends_in_capital:
        last_word = without_s
    folded_beginning = "".join(map(fold, words[:-1]))
    return folded_beginning + singular(fold(last_word))


def topic_slug(name: str) -> str:
    """Return the slug of a new topic. If it loses a part of the name, as with "C++" and names in
    other scripts, a hash of the name is added."""
    key = name_key(name)
    ascii_letters = key.encode("ascii", "ignore").decode()
    slug = make_slug(ascii_letters)[:MAX_LENGTH]
    if slug.replace("-", " ") == key:
        return slug
    # Shorter, so that the hash fits into MAX_LENGTH.
    beginning = slug[:80] or "topic"
    return f"{beginning}-{short_hash(key)}"
