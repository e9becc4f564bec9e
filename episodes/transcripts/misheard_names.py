"""Names of a show that its transcripts misspell: words that are near to a name and in none of the texts
that people wrote, such as "pie torch" and "open m p"."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

MAX_WORDS = 4  # that a name was heard as
MIN_PLACES = 2  # a single error is corrected in its own transcript
MIN_LETTERS = 5  # shorter names are near to too many words
MAX_LETTERS = 30

MIN_SIMILARITY = {1: 0.75, 2: 0.86, 3: 0.86}  # by the number of words
# A name that a third of the episodes say is heard wrongly in more ways.
FREQUENT_SHARE = 1 / 3
MIN_SIMILARITY_TO_FREQUENT = {1: 0.66, 2: 0.80, 3: 0.80}
# If words are near to a name, so are the same words with an article. These are no better.
GAIN_BY_A_WORD = 0.12
# A word that a quarter of the episodes say is no error.
COMMON_SHARE = 1 / 4

_WORD = r"[^\W_]+(?:['’][^\W_]+)*"
_WORDS_IN_A_ROW = re.compile(rf"{_WORD}(?: {_WORD})*")
_SIGNS = re.compile(r"[\W_]")
# A capital after a small letter, two capitals, or a sign within a word: PyTorch, NVIDIA, torch.nn.
_COINED_NAME = re.compile(r"\w*(?:[a-z][A-Z]|[A-Z]{2}|[^\W_][._][^\W_])\w*")
_MIXED_CASE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_PART_OF_NAME = re.compile(r"[A-Z]?[a-z]{3,}")
# Letters that sound alike, to be replaced in this order.
_SOUNDS = (
    ("ph", "f"), ("ch", "k"), ("ck", "k"), ("sh", "s"), ("th", "t"), ("gh", "g"), ("qu", "k"),
    ("c", "k"), ("q", "k"), ("z", "s"), ("x", "ks"), ("v", "f"), ("d", "t"), ("b", "p"), ("g", "k"),
    ("j", "s"), ("w", "a"), ("y", "i"), ("e", "i"), ("o", "a"), ("u", "a"), ("h", ""),
)  # fmt: skip


@dataclass(frozen=True)
class MisheardName:
    """Words of transcripts that likely are a name of the show."""

    words: str  # in small letters
    name: str
    place_count: int
    episode_count: int


def find_misheard_names(
    transcripts: Mapping[int, str], names: Collection[str], texts: Collection[str]
) -> list[MisheardName]:
    """Return the names that transcripts (texts by episode) misspell, the most frequent first.

    `texts` are titles and notes. Words of them and of `names` are never taken for errors.
    """
    word_counts: Counter[str] = Counter()  # episodes, by word
    for transcript in transcripts.values():
        word_counts.update(set(_iterate_word_sequences(transcript, 1)))
    spelling = _NameSpelling.learn(names, texts, word_counts, len(transcripts))
    place_counts: Counter[str] = Counter()
    episode_counts: Counter[str] = Counter()
    name_counts: Counter[str] = Counter()  # episodes, by letters of a name
    heard_as = {}
    for transcript in transcripts.values():
        letters_of_names = set()
        for words, count in Counter(_iterate_word_sequences(transcript, MAX_WORDS)).items():
            letters = _letters(words)
            if letters in spelling.single_names:
                letters_of_names.add(letters)
            name = spelling.name_heard_as(words)
            if name:
                heard_as[words] = name
                place_counts[words] += count
                episode_counts[words] += 1
        name_counts.update(letters_of_names)
        # The sequences of many transcripts would fill the memory.
        spelling.nearest.clear()
    misheard = []
    for words, name in heard_as.items():
        is_commoner_than_name = episode_counts[words] > name_counts[_letters(name)]
        if place_counts[words] >= MIN_PLACES and not is_commoner_than_name:
            misheard.append(MisheardName(words, name, place_counts[words], episode_counts[words]))
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


def _sound(words: str) -> str:
    """Return the letters with letters that sound alike made equal, each once."""
    sound = _letters(words)
    for letters, replacement in _SOUNDS:
        sound = sound.replace(letters, replacement)
    return re.sub(r"(.)\1+", r"\1", sound)


@dataclass
class _NameSpelling:
    """The names of a show by their letters, and the words that are no errors."""

    coined_names: dict[str, str]  # such as PyTorch, which are no words of the language
    single_names: dict[str, str]  # all names of one word
    written: set[str]  # sequences of words of the texts
    common_words: list[str]
    frequent_names: set[str]
    coined_by_sound: dict[str, str]
    nearest: dict[str, tuple[float, str]] = field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        names: Collection[str],
        texts: Collection[str],
        word_counts: Mapping[str, int],
        transcript_count: int,
    ) -> "_NameSpelling":
        """Return the spelling of names, from names, texts, and the number of episodes that say a word."""
        coined_names, single_names = _spelled_names(names, [*names, *texts])
        written = set[str]()
        for text in (*names, *texts):
            written.update(_iterate_word_sequences(text, MAX_WORDS))
        common_words = {words for words in written if " " not in words}
        frequent_names = set[str]()
        for word, episode_count in word_counts.items():
            share = episode_count / transcript_count
            if share >= COMMON_SHARE:
                common_words.add(word)
            if share >= FREQUENT_SHARE and word in coined_names:
                frequent_names.add(word)
        coined_by_sound: dict[str, str] = {}
        for letters in coined_names:
            if len(letters) >= MIN_LETTERS:
                coined_by_sound.setdefault(_sound(letters), letters)
        return cls(
            coined_names,
            single_names,
            written,
            sorted(common_words - coined_names.keys()),
            frequent_names,
            coined_by_sound,
        )

    def name_heard_as(self, words: str) -> str:
        """Return the name that a transcript has as these words, or "" if they are likely right."""
        letters = _letters(words)
        single_words = words.split(" ")
        # "module s" is a plural.
        is_right = words in self.written or "'" in words or "’" in words or single_words[-1] == "s"
        if is_right or len(letters) > MAX_LETTERS:
            return ""
        if letters in self.single_names:
            is_spelled_apart = len(single_words) > 1
            is_in_letters = len(single_words) == len(letters)
            # "a ten" is no name, "n c h w" is.
            if is_spelled_apart and (is_in_letters or len(letters) >= MIN_LETTERS):
                return self.single_names[letters]
            return ""
        similarity, name = self.nearest_name(words)
        if not name or not self.is_near_enough(words, similarity, name):
            return ""
        return self.coined_names[name]

    def nearest_name(self, words: str) -> tuple[float, str]:
        """Return the similarity (0 to 1) to the nearest coined name, and the letters of this."""
        if words not in self.nearest:
            sounds = self.coined_by_sound
            match = process.extractOne(
                _sound(words),
                sounds.keys(),
                scorer=Levenshtein.normalized_similarity,
                score_cutoff=0.6,
            )
            similarity, name = 0.0, ""
            if match:
                name = sounds[match[0]]
                in_letters = Levenshtein.normalized_similarity(_letters(words), name)
                similarity = (match[1] + in_letters) / 2
            self.nearest[words] = similarity, name
        return self.nearest[words]

    def is_near_enough(self, words: str, similarity: float, name: str) -> bool:
        """Return whether words with this similarity to a name are an error."""
        letters = _letters(words)
        single_words = words.split(" ")
        limits = MIN_SIMILARITY_TO_FREQUENT if name in self.frequent_names else MIN_SIMILARITY
        is_too_far = similarity < limits.get(len(single_words), 1.1)
        # "python" is no error for CPython, and "pytorchs" none for PyTorch.
        is_part = letters in name
        is_inflected = letters.startswith(name) and len(letters) <= len(name) + 2
        if is_too_far or is_part or is_inflected or len(letters) < MIN_LETTERS:
            return False
        if len(single_words) == 1:
            return not self.is_nearer_to_common_word(words, name)
        for part in (" ".join(single_words[1:]), " ".join(single_words[:-1])):
            similarity_of_part, name_of_part = self.nearest_name(part)
            is_as_near = similarity_of_part >= similarity - GAIN_BY_A_WORD
            if _letters(part) in self.single_names or (name_of_part == name and is_as_near):
                return False
        return True

    def is_nearer_to_common_word(self, word: str, name: str) -> bool:
        """Return whether a word is nearer to a common word than to a name."""
        similarity = Levenshtein.normalized_similarity(word, name)
        choices = [common for common in self.common_words if common != word]
        match = process.extractOne(
            word, choices, scorer=Levenshtein.normalized_similarity, score_cutoff=similarity
        )
        return match is not None


def _spelled_names(
    names: Iterable[str], texts: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the coined names, and all names of one word, by their letters."""
    coined_names = _coined_names_of_texts(texts)
    parts = set[str]()
    for name in filter(_MIXED_CASE.search, coined_names.values()):
        parts.update(part.lower() for part in _PART_OF_NAME.findall(name) if len(part) > 3)
    single_names = dict(coined_names)
    for name in names:
        letters = _letters(name)
        if " " in name or len(letters) < MIN_LETTERS:
            continue
        single_names.setdefault(letters, name)
        # Of the plural "dtypes" transcripts also have the singular.
        if letters.endswith("s") and len(letters) > MIN_LETTERS:
            single_names.setdefault(letters[:-1], name[:-1])
        # "torchaudio" is coined, because of PyTorch.
        if any(part in letters for part in parts):
            coined_names.setdefault(letters, name)
    return coined_names, single_names


def _coined_names_of_texts(texts: Iterable[str]) -> dict[str, str]:
    """Return the most frequent spelling of each coined name in texts, by its letters."""
    spellings: Counter[str] = Counter()
    for text in texts:
        spellings.update(_COINED_NAME.findall(text))
    names: dict[str, str] = {}
    for spelling, _ in spellings.most_common():
        # An identifier with several numbers is no name.
        if len(spelling) <= MAX_LETTERS and len(re.findall(r"\d+", spelling)) < 2:
            names.setdefault(_letters(spelling), spelling)
    return names
