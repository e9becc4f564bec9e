"""Names of a show that its transcripts misspell: words that are near to a name and in none of the texts
that people wrote, such as "pie torch" and "open m p"."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Self

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

MAX_WORDS = 4  # that a name was heard as
MIN_LETTERS = 5  # shorter names are near to too many words

_WORDS_IN_A_ROW = re.compile(r"[^\W_]+(?: [^\W_]+)*")
# A capital after a small letter, two capitals, or a sign within a word: PyTorch, NVIDIA, torch.nn.
_SIGN_OF_COINED_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[^\W_][._][^\W_]")
# Letters that sound alike, to be replaced in this order: pairs of letters first.
_SOUNDS_OF_PAIRS = {
    "ph": "f", "ch": "k", "ck": "k", "sh": "s", "th": "t", "gh": "g", "qu": "k",
}  # fmt: skip
_SOUNDS_OF_LETTERS = {
    "c": "k", "q": "k", "z": "s", "x": "ks", "v": "f", "d": "t", "b": "p", "g": "k", "j": "s", "w": "a",
    "y": "i", "e": "i", "o": "a", "u": "a", "h": "",
}  # fmt: skip


@dataclass(frozen=True)
class MisheardName:
    """Words of transcripts that likely are a name of the show."""

    words: str  # in small letters
    name: str
    place_count: int
    episode_count: int


def find_misheard_names(
    transcripts: Collection[str], names: Collection[str], texts: Collection[str]
) -> list[MisheardName]:
    """Return the names that transcripts misspell, the most frequent first.

    `texts` are titles and notes. Words of them and of `names` are never taken for errors.
    """
    frequent_words = _words_of_many_transcripts(transcripts)
    spelling = _NameSpelling.learn(names, texts, frequent_words)
    place_counts: Counter[str] = Counter()
    episode_counts: Counter[str] = Counter()
    name_counts: Counter[str] = Counter()  # transcripts, by letters of a name
    heard_as = {}
    for transcript in transcripts:
        sequences = Counter(_iterate_word_sequences(transcript, MAX_WORDS))
        name_counts.update(spelling.single_names.keys() & set(map(_letters, sequences)))
        for words, count in sequences.items():
            name = spelling.name_heard_as(words)
            if name:
                heard_as[words] = name
                place_counts[words] += count
                episode_counts[words] += 1
    forms = Counter(re.findall(r"\w+", " ".join(texts)))
    misheard = []
    for words, name in heard_as.items():
        # Words that are commoner than the name are no slip. A single error is corrected in its transcript.
        is_commoner_than_name = episode_counts[words] > name_counts[_letters(name)]
        if place_counts[words] > 1 and not is_commoner_than_name:
            # The topic "Autograd" is autograd in notes.
            inner_name = name[0].lower() + name[1:]
            form = max(name, inner_name, key=forms.__getitem__)
            misheard.append(MisheardName(words, form, place_counts[words], episode_counts[words]))
    return sorted(misheard, key=lambda row: (-row.place_count, row.words))


def _words_of_many_transcripts(transcripts: Collection[str]) -> set[str]:
    word_counts: Counter[str] = Counter()  # transcripts, by word
    for transcript in transcripts:
        word_counts.update(set(_iterate_word_sequences(transcript, 1)))
    # A third of the transcripts do not share an error.
    return {word for word, count in word_counts.items() if count >= len(transcripts) / 3}


def _iterate_word_sequences(text: str, max_words: int) -> Iterator[str]:
    """Yield all sequences of words without a sign between them, in small letters."""
    for match in _WORDS_IN_A_ROW.finditer(text.lower()):
        words = match[0].split(" ")
        for start in range(len(words)):
            for end in range(start + 1, min(start + max_words, len(words)) + 1):
                yield " ".join(words[start:end])


def _letters(words: str) -> str:
    return re.sub(r"[\W_]", "", words.lower())


@lru_cache(100_000)
def _sound(words: str) -> str:
    """Return the letters with letters that sound alike made equal, each once: "pitark" for "pytorch"
    and for "pie torch"."""
    sound = _letters(words)
    for letters, replacement in (_SOUNDS_OF_PAIRS | _SOUNDS_OF_LETTERS).items():
        sound = sound.replace(letters, replacement)
    return re.sub(r"(.)\1+", r"\1", sound)


@dataclass(frozen=True)
class _NameSpelling:
    """The names of a show by their letters, and the words that are no errors."""

    coined_names: dict[str, str]  # such as PyTorch, which are no words of the language
    single_names: dict[str, str]  # all names of one word
    written: set[str]  # sequences of words of the texts
    common_words: list[str]
    frequent_words: set[str]
    coined_by_sound: dict[str, str]

    @classmethod
    def learn(
        cls, names: Collection[str], texts: Collection[str], frequent_words: set[str]
    ) -> Self:
        coined_names = _coined_names_by_letters([*names, *texts])
        written = set[str]()
        written_words = set[str]()
        for text in (*names, *texts):
            written.update(_iterate_word_sequences(text, MAX_WORDS))
            written_words.update(_iterate_word_sequences(text, 1))
        common_words = (written_words | frequent_words) - coined_names.keys()
        return cls(
            coined_names,
            _single_word_names_by_letters(names, coined_names),
            written,
            sorted(common_words),
            frequent_words,
            {_sound(name): name for name in coined_names if len(name) >= MIN_LETTERS},
        )

    def name_heard_as(self, words: str) -> str:
        """Return the name that a transcript has as these words, or "" if they are likely right."""
        letters = _letters(words)
        if words in self.written:
            return ""
        if letters in self.single_names:
            word_count = words.count(" ") + 1
            # "a ten" is no name, "n c h w" is.
            is_clear = len(letters) >= MIN_LETTERS or word_count == len(letters)
            return self.single_names[letters] if is_clear and word_count > 1 else ""
        similarity, name = self.nearest_name(words)
        return self.coined_names[name] if self.is_misspelling(words, similarity, name) else ""

    def nearest_name(self, words: str) -> tuple[float, str]:
        """Return the similarity (0 to 1) to the nearest coined name, and the letters of this."""
        match = process.extractOne(
            _sound(words),
            self.coined_by_sound.keys(),
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=0.6,
        )
        if match is None:
            return 0.0, ""
        name = self.coined_by_sound[match[0]]
        in_letters = Levenshtein.normalized_similarity(_letters(words), name)
        return (match[1] + in_letters) / 2, name

    def is_misspelling(self, words: str, similarity: float, name: str) -> bool:
        letters = _letters(words)
        first_word, _, later_words = words.partition(" ")
        # By the number of words: two are near to a name by chance more often than one, and four never
        # are a name. A frequent name is misheard in more ways.
        min_similarities = {1: 0.75, 2: 0.86, 3: 0.86}
        if name in self.frequent_words:
            min_similarities = {1: 0.66, 2: 0.80, 3: 0.80}
        word_count = words.count(" ") + 1
        # "python" is no error for CPython, and "pytorches" none for PyTorch.
        is_part = letters in name or name in letters
        if is_part or similarity < min_similarities.get(word_count, inf):
            return False
        if not later_words:
            return not self.is_nearer_to_common_word(first_word, name)
        earlier_words, _, _ = words.rpartition(" ")
        return not any(
            self.is_as_near(part, similarity, name) for part in (later_words, earlier_words)
        )

    def is_as_near(self, part: str, similarity: float, name: str) -> bool:
        """Return whether a part of some words is a name, or hardly less similar to a name than all of
        them. If "pytruch" is near to a name, so is "a pytruch"."""
        similarity_of_part, name_of_part = self.nearest_name(part)
        is_near = name_of_part == name and similarity_of_part >= similarity - 0.12
        return is_near or _letters(part) in self.single_names

    def is_nearer_to_common_word(self, word: str, name: str) -> bool:
        match = process.extractOne(
            word,
            self.common_words,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=Levenshtein.normalized_similarity(word, name),
        )
        return match is not None


def _single_word_names_by_letters(
    names: Iterable[str], coined_names: Mapping[str, str]
) -> dict[str, str]:
    single_names = dict(coined_names)
    for name in names:
        if " " not in name:
            letters = _letters(name)
            single_names.setdefault(letters, name)
            # Of the plural "dtypes" transcripts also have the singular.
            single_names.setdefault(letters.removesuffix("s"), name.removesuffix("s"))
    return single_names


def _coined_names_by_letters(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each coined name in texts, by its letters."""
    words = re.findall(r"\w+(?:\.\w+)?", "\n".join(texts))
    spellings = Counter(filter(_SIGN_OF_COINED_NAME.search, words))
    names: dict[str, str] = {}
    for spelling, _ in spellings.most_common():
        if len(spelling) <= 30:  # a longer word is an identifier
            names.setdefault(_letters(spelling), spelling)
    return names
