"""Names of a show that its transcripts misspell: words that are near to a name and in none of the texts
that people wrote, such as "pie torch" and "open m p"."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

MAX_WORDS = 4  # that a name was heard as
MIN_PLACES = 2  # a single error is corrected in its own transcript
MIN_LETTERS = 5  # shorter names are near to too many words
MAX_LETTERS = 30

MIN_SIMILARITY = {1: 0.75, 2: 0.86, 3: 0.86}  # by the number of words
# A word that a third of the transcripts have is no error. If it is a name, it is misheard in more ways.
FREQUENT_SHARE = 1 / 3
MIN_SIMILARITY_TO_FREQUENT = {1: 0.66, 2: 0.80, 3: 0.80}
# If words are near to a name, so are the same words with an article. These are no better.
GAIN_BY_A_WORD = 0.12

_WORDS_IN_A_ROW = re.compile(r"[^\W_]+(?: [^\W_]+)*")
_SIGNS = re.compile(r"[\W_]")
_WORD_OR_NAME = re.compile(r"\w+(?:\.\w+)?")
# A capital after a small letter, two capitals, or a sign within a word: PyTorch, NVIDIA, torch.nn.
_SIGN_OF_COINED_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[^\W_][._][^\W_]")
_MIXED_CASE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_PART_OF_NAME = re.compile(r"[A-Z][a-z]{3,}|[a-z]{4,}")
_SEVERAL_NUMBERS = re.compile(r"\d\D+\d")
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
    word_counts: Counter[str] = Counter()  # transcripts, by word
    for transcript in transcripts:
        word_counts.update(set(_iterate_word_sequences(transcript, 1)))
    spelling = _NameSpelling.learn(names, texts, word_counts, len(transcripts))
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
        is_commoner_than_name = episode_counts[words] > name_counts[_letters(name)]
        if place_counts[words] >= MIN_PLACES and not is_commoner_than_name:
            # The topic "Autograd" is autograd in notes.
            inner_name = name[0].lower() + name[1:]
            form = max(name, inner_name, key=forms.__getitem__)
            misheard.append(MisheardName(words, form, place_counts[words], episode_counts[words]))
    return sorted(misheard, key=lambda row: (-row.place_count, row.words))


def _iterate_word_sequences(text: str, max_words: int) -> Iterator[str]:
    """Yield all sequences of words without a sign between them, in small letters."""
    for match in _WORDS_IN_A_ROW.finditer(text.lower()):
        words = match[0].split(" ")
        for start in range(len(words)):
            for end in range(start + 1, min(start + max_words, len(words)) + 1):
                yield " ".join(words[start:end])


def _letters(words: str) -> str:
    return _SIGNS.sub("", words.lower())


@lru_cache(100_000)
def _sound(words: str) -> str:
    """Return the letters with letters that sound alike made equal, each once."""
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
        cls,
        names: Collection[str],
        texts: Collection[str],
        word_counts: Mapping[str, int],
        transcript_count: int,
    ) -> Self:
        """Return the spelling of names, from names, texts, and the number of transcripts with a word."""
        coined_names, single_names = _coined_and_single_word_names(names, [*names, *texts])
        written = set[str]()
        written_words = set[str]()
        for text in (*names, *texts):
            written.update(_iterate_word_sequences(text, MAX_WORDS))
            written_words.update(_iterate_word_sequences(text, 1))
        min_count = transcript_count * FREQUENT_SHARE
        frequent_words = {word for word, count in word_counts.items() if count >= min_count}
        common_words = (written_words | frequent_words) - coined_names.keys()
        long_names = [letters for letters in coined_names if len(letters) >= MIN_LETTERS]
        return cls(
            coined_names,
            single_names,
            written,
            sorted(common_words),
            frequent_words,
            {_sound(letters): letters for letters in long_names},
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
        """Return whether words with this similarity to a name are an error."""
        letters = _letters(words)
        is_frequent = name in self.frequent_words
        limits = MIN_SIMILARITY_TO_FREQUENT if is_frequent else MIN_SIMILARITY
        first_word, _, later_words = words.partition(" ")
        word_count = words.count(" ") + 1
        # No similarity is enough for more words than the table has.
        is_too_far = word_count not in limits or similarity < limits[word_count]
        # "python" is no error for CPython, and "pytorches" none for PyTorch.
        if is_too_far or letters in name or name in letters:
            return False
        if not later_words:
            return not self.is_nearer_to_common_word(first_word, name)
        for part in (later_words, words.rpartition(" ")[0]):
            similarity_of_part, name_of_part = self.nearest_name(part)
            is_as_near = similarity_of_part >= similarity - GAIN_BY_A_WORD
            if _letters(part) in self.single_names or (name_of_part == name and is_as_near):
                return False
        return True

    def is_nearer_to_common_word(self, word: str, name: str) -> bool:
        """Return whether a word is nearer to a common word than to a name."""
        match = process.extractOne(
            word,
            self.common_words,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=Levenshtein.normalized_similarity(word, name),
        )
        return match is not None


def _coined_and_single_word_names(
    names: Iterable[str], texts: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the coined names, and all names of one word, by their letters."""
    coined_names = _coined_names_by_letters(texts)
    parts = set[str]()
    for name in filter(_MIXED_CASE.search, coined_names.values()):
        parts.update(map(str.lower, _PART_OF_NAME.findall(name)))
    single_names = dict(coined_names)
    for name in names:
        if " " in name:
            continue
        letters = _letters(name)
        single_names.setdefault(letters, name)
        # Of the plural "dtypes" transcripts also have the singular.
        single_names.setdefault(letters.removesuffix("s"), name.removesuffix("s"))
        # "torchaudio" is coined, because of PyTorch.
        if any(part in letters for part in parts):
            coined_names.setdefault(letters, name)
    return coined_names, single_names


def _coined_names_by_letters(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each coined name in texts, by its letters."""
    spellings: Counter[str] = Counter()
    for text in texts:
        for word in _WORD_OR_NAME.findall(text):
            if _SIGN_OF_COINED_NAME.search(word):
                spellings[word] += 1
    names: dict[str, str] = {}
    for spelling, _ in spellings.most_common():
        # An identifier with several numbers is no name.
        if len(spelling) <= MAX_LETTERS and not _SEVERAL_NUMBERS.search(spelling):
            names.setdefault(_letters(spelling), spelling)
    return names
