"""Names of a show that its transcripts misspell: words that are near to a name and in none of the texts
that people wrote, such as "pie torch" and "open m p"."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf, log2
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from ..text.word_forms import stem

MAX_WORDS = 4  # that a name was heard as
MIN_LETTERS = 4  # shorter names are near to too many words

_WORDS_IN_A_ROW = re.compile(r"[^\W_]+(?: [^\W_]+)*")
# A capital after a small letter, two capitals, or a sign within a word: PyTorch, NVIDIA, torch.nn.
_SIGN_OF_COINED_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[^\W_][.][^\W_]")
# Letters that sound alike, to be replaced in this order: pairs of letters first.
_SOUNDS = {
    "ph": "f", "ch": "k", "ck": "k", "sh": "s", "th": "t", "gh": "g", "qu": "k",
    "c": "k", "q": "k", "z": "s", "x": "ks", "v": "f", "d": "t", "b": "p", "g": "k", "j": "s", "w": "a",
    "y": "i", "e": "i", "o": "a", "u": "a", "h": "",
}  # fmt: skip


@dataclass(frozen=True)
class MisheardName:
    """Words of transcripts that likely are a name of the show."""

    words: str  # in small letters, "pie torch"
    name: str
    place_count: int
    episode_count: int


def find_misheard_names(
    transcripts: Collection[str], names: Collection[str], written_texts: Collection[str]
) -> list[MisheardName]:
    """Return the names that transcripts misspell, the most frequent first.

    `written_texts` are titles and notes. Words of them and of `names` are never errors.
    """
    spoken_words = _SpokenWords(transcripts)
    spelling = _NameSpelling(names, written_texts, spoken_words)
    counts = _NameCounts(transcripts, spelling)
    word_counts_of_texts = Counter(re.findall(r"\w+", " ".join(written_texts)))
    misheard = []
    for words, count_by_transcript in counts.counts_of_near_words.items():
        name = counts.likely_name_or_empty(words)
        if name:
            usual_name = _with_usual_first_letter(name, word_counts_of_texts)
            place_count = count_by_transcript.total()
            episode_count = len(count_by_transcript)
            misheard.append(MisheardName(words, usual_name, place_count, episode_count))
    return sorted(misheard, key=lambda row: (-row.place_count, row.words))


class _NameCounts:
    """How often each transcript, by its number, spells a name right, and has words that are near to a name."""

    def __init__(self, transcripts: Collection[str], spelling: "_NameSpelling") -> None:
        self.spelling = spelling
        self.transcript_count = len(transcripts)
        # By the letters of a name in the singular, then by transcript.
        self.right_counts = defaultdict[str, Counter[int]](Counter)
        # By words, then by transcript.
        self.counts_of_near_words = defaultdict[str, Counter[int]](Counter)
        self.near_names_by_words: dict[str, list[_NearName]] = {}
        for number, transcript in enumerate(transcripts):
            self._count_names_of_transcript(number, transcript)

    def _count_names_of_transcript(self, number: int, transcript: str) -> None:
        word_sequences = Counter(_iterate_word_sequences(transcript, MAX_WORDS))
        for words, count in word_sequences.items():
            letters = _letters_only(words)
            if letters in self.spelling.names_by_letters:
                # "tensor" and "tensors" have one count.
                singular_letters = letters.removesuffix("s")
                self.right_counts[singular_letters][number] += count
            # An earlier transcript may have the same words.
            near_names = self.near_names_by_words.get(words) or self.spelling.near_names(words)
            if near_names:
                self.near_names_by_words[words] = near_names
                self.counts_of_near_words[words][number] += count

    def likely_name_or_empty(self, words: str) -> str:
        # A pair of words in one place is near to a name by chance.
        if " " in words and not self.are_in_several_places(words):
            return ""
        likeliest = max(
            self.near_names_by_words[words],
            key=lambda near_name: self.error_score(words, near_name),
        )
        if self.error_score(words, likeliest) < 1:
            return ""
        return self.spelling.name_in_same_number(likeliest.letters, words)

    def are_in_several_places(self, words: str) -> bool:
        return self.counts_of_near_words[words].total() > 1

    def error_score(self, words: str, near_name: "_NearName") -> float:
        """Return 1 or more if words are likely an error for a name. Equal letters are 1, and each reason adds a part.

        In real transcripts "rough count" for "refcount" just reaches 1 with these parts, "seat" for "seed" does not.
        """
        # The letters of the name, written apart, need no further reason.
        if near_name.similarity == 1:
            return inf
        # 40 bits of evidence count as much as equal letters.
        score = near_name.similarity + self.bits_of_evidence(words, near_name.letters) / 40
        if self.are_in_several_places(words):
            score += 0.065
        if self.spelling.is_coined(near_name.letters):
            score += 0.2
        if self.spelling.spoken_words.have_same_neighbours(words, near_name.letters):
            score += 0.15
        return score

    def bits_of_evidence(self, words: str, letters_of_name: str) -> float:
        """Return a bit for each doubling of the counts of the right name: of its mean in all transcripts, and from
        this mean to each transcript with these words. A transcript about CMake likely has it right and wrong."""
        singular_letters = letters_of_name.removesuffix("s")
        right_counts = self.right_counts[singular_letters]
        added_count = 0.1  # to each count, because 0 has no logarithm
        mean_count = right_counts.total() / self.transcript_count + added_count
        bits = log2(mean_count)
        for number in self.counts_of_near_words[words]:
            count = right_counts[number] + added_count
            bits += log2(count / mean_count)
        return bits


def _with_usual_first_letter(name: str, word_counts: Counter[str]) -> str:
    """Return "autograd" for the topic "Autograd", if notes have it with a small letter more often."""
    small_name = name[0].lower() + name[1:]
    return max(name, small_name, key=word_counts.__getitem__)


class _Neighbour(NamedTuple):
    """A word directly before or after another word."""

    word: str
    is_before: bool


class _SpokenWords:
    """The words of all transcripts of a show."""

    def __init__(self, transcripts: Collection[str]) -> None:
        self.counts_of_words_and_pairs = Counter[str]()
        transcript_count_by_word = Counter[str]()
        for transcript in transcripts:
            self.counts_of_words_and_pairs.update(_iterate_word_sequences(transcript, 2))
            transcript_count_by_word.update(set(_iterate_word_sequences(transcript, 1)))
        min_count = len(transcripts) / 3
        self.frequent_words = {
            word for word, count in transcript_count_by_word.items() if count >= min_count
        }
        self.rare_neighbours = _rare_neighbours_by_singular(
            self.counts_of_words_and_pairs, self.frequent_words
        )

    def have_same_neighbours(self, word: str, name: str) -> bool:
        """Return whether a word stands where a name does: "lazy sensor", as there is a "lazy tensor"."""
        neighbours = self.rare_neighbours.get(word.removesuffix("s"), Counter())
        neighbours_of_name = self.rare_neighbours.get(name.removesuffix("s"), Counter())
        shared_neighbours = neighbours.keys() & neighbours_of_name.keys()
        shared_count = sum(neighbours[neighbour] for neighbour in shared_neighbours)
        # A single neighbour, or a few of many, may be shared by chance.
        return len(shared_neighbours) > 1 and shared_count >= neighbours.total() / 3

    def is_repeated(self, words: Sequence[str]) -> bool:
        """Return whether all neighbouring words stand side by side in several places."""
        counts = self.counts_of_words_and_pairs
        return all(counts[f"{left} {right}"] > 1 for left, right in pairwise(words))


def _rare_neighbours_by_singular(
    counts_of_words_and_pairs: Counter[str], frequent_words: Collection[str]
) -> dict[str, Counter[_Neighbour]]:
    """Return how often each word stands beside another: of "lazy tensors", "lazy" is before "tensor". Frequent
    words are left out, because they stand beside any word."""
    rare_neighbours: dict[str, Counter[_Neighbour]] = defaultdict(Counter)
    for words, count in counts_of_words_and_pairs.items():
        left, _, right = words.partition(" ")
        if not right:  # a single word
            continue
        if left not in frequent_words:
            neighbour = _Neighbour(left, is_before=True)
            rare_neighbours[right.removesuffix("s")][neighbour] += count
        if right not in frequent_words:
            neighbour = _Neighbour(right, is_before=False)
            rare_neighbours[left.removesuffix("s")][neighbour] += count
    return rare_neighbours


def _iterate_word_sequences(text: str, max_words: int) -> Iterator[str]:
    """Yield all sequences of words without a sign between them, in small letters: "a", "a b" and "b" of "A b."."""
    for match in _WORDS_IN_A_ROW.finditer(text.lower()):
        words = match[0].split(" ")
        for start in range(len(words)):
            for end in range(start + 1, min(start + max_words, len(words)) + 1):
                yield " ".join(words[start:end])


def _letters_only(words: str) -> str:
    return re.sub(r"[\W_]", "", words.lower())


@lru_cache(100_000)
def _letters_sounds_and_consonants(words: str) -> str:
    """Return three spellings in one text, to compare by: the letters, then with letters that sound alike made
    equal, each once, and then without vowels. "pie torch" is "pietorch pitark ptrk"."""
    letters = _letters_only(words)
    sounds = letters
    for spelled, replacement in _SOUNDS.items():
        sounds = sounds.replace(spelled, replacement)
    sounds = _each_letter_once(sounds)
    # All vowels are "a" or "i" by now. The first sound stays: "oftorch" begins unlike PyTorch.
    consonants = sounds[:1] + re.sub("[ai]", "", sounds[1:])
    return f"{letters} {sounds} {_each_letter_once(consonants)}"


def _each_letter_once(letters: str) -> str:
    return re.sub(r"(.)\1+", r"\1", letters)


class _NearName(NamedTuple):
    """A name by its letters, and its similarity to some words from 0 to 1."""

    letters: str
    similarity: float


class _NameSpelling:
    """The names of a show by their letters, and the words that are no errors.

    A coined name is no word of the language, such as PyTorch, so a word that is nearly it was likely misheard.
    Letters are a name without spaces and signs: `pytorch`.
    """

    def __init__(
        self, names: Collection[str], written_texts: Collection[str], spoken_words: _SpokenWords
    ) -> None:
        self.spoken_words = spoken_words
        all_texts = "\n".join([*names, *written_texts])
        self.word_sequences_in_texts = set(_iterate_word_sequences(all_texts, MAX_WORDS))
        words_in_texts = set(_iterate_word_sequences(all_texts, 1))
        self.stems_in_texts = set(map(stem, words_in_texts))
        self.coined_names = _coined_names_by_letters(names, written_texts)
        written_names = _written_names_by_letters(names, self.coined_names)
        self.letters_of_one_word_names = {
            letters for letters, name in written_names.items() if " " not in name
        }
        # Names that may be misheard. Only here "Tensor" of "Tensor subclasses" is a name. As a name of one word it would
        # make "tensor" of "tensor editor" right, and the two words no error for TensorIterator.
        self.names_by_letters = dict(written_names)
        _add_words_in_coined_names(self.names_by_letters, names, self.coined_names)
        _add_spoken_plurals(self.names_by_letters, spoken_words)
        self.letters_by_sound = {
            _letters_sounds_and_consonants(letters): letters
            for letters in self.names_by_letters
            if len(letters) >= MIN_LETTERS
        }

    def is_coined(self, letters: str) -> bool:
        # A shorter name is like many words of the language.
        is_long = len(letters) > MIN_LETTERS
        # "torch.save" is two words of the language.
        is_one_word = "." not in self.names_by_letters[letters]
        is_coined = letters in self.coined_names or letters.removesuffix("s") in self.coined_names
        return is_coined and is_long and is_one_word

    def name_in_same_number(self, letters: str, words: str) -> str:
        """Return "tensors" for "tenses", if transcripts have that plural."""
        name = self.names_by_letters[letters]
        if words.endswith("s"):
            return self.names_by_letters.get(f"{letters}s", name)
        return name

    def near_names(self, words: str) -> list[_NearName]:
        """Return the names that a transcript may have as these words, or [] if they are likely right."""
        letters = _letters_only(words)
        word_count = words.count(" ") + 1
        if words in self.word_sequences_in_texts:
            return []
        # The letters are a name of one word, which is right unless it is written apart.
        if letters in self.letters_of_one_word_names:
            is_written_apart = word_count > 1  # "py torch"
            is_spelled_out = word_count == len(letters)  # "n c h w"
            # "a i" is too short to be AI.
            is_clear = is_spelled_out or len(letters) >= MIN_LETTERS
            return [_NearName(letters, similarity=1)] if is_written_apart and is_clear else []
        # Four words never are a name, unless it is spelled out.
        if word_count == MAX_WORDS or self.are_right_words(words):
            return []
        # Words that stand together once are near to a name by chance.
        if word_count > 1 and not self.spoken_words.is_repeated(words.split(" ")):
            return []
        near_names = []
        for near_name in self.names_by_similarity(words):
            is_other_form = self.is_other_form(words, near_name)
            if not is_other_form and not self.has_word_before_or_after_name(words, near_name):
                near_names.append(near_name)
        return near_names

    def are_right_words(self, words: str) -> bool:
        # A frequent word may be an error if it is alone: all transcripts may have "sensor" for "tensor".
        if " " not in words:
            return stem(words) in self.stems_in_texts
        # "auto cast" is right if texts have "autocast".
        if _letters_only(words) in self.word_sequences_in_texts:
            return True
        return all(map(self.is_right_or_frequent_word, words.split(" ")))

    def is_right_or_frequent_word(self, word: str) -> bool:
        return stem(word) in self.stems_in_texts or word in self.spoken_words.frequent_words

    def names_by_similarity(self, words: str) -> list[_NearName]:
        """Return the names that are near to words by their letters and sounds, the nearest first."""
        matches = process.extract(
            _letters_sounds_and_consonants(words),
            self.letters_by_sound.keys(),
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=0.5,
            limit=8,
        )
        return [
            _NearName(self.letters_by_sound[sound], similarity) for sound, similarity, _ in matches
        ]

    def is_other_form(self, words: str, near_name: _NearName) -> bool:
        """Return whether words are a part of the name, or a form of it: "pytorches" is no error for PyTorch."""
        letters = _letters_only(words)
        stem_of_name = stem(near_name.letters)
        if letters in near_name.letters or stem(letters) == stem_of_name:
            return True  # "torch", "py torches"
        # A longer form is a single word, such as "vmapping". But "v m app" is an error for vmap.
        is_single_word = " " not in words
        return is_single_word and stem_of_name in letters

    def has_word_before_or_after_name(self, words: str, near_name: _NearName) -> bool:
        """Return whether the first or last word is of the sentence: of "a pytruch", "pytruch" is misheard."""
        if " " not in words:
            return False
        _, _, tail = words.partition(" ")
        head, _, _ = words.rpartition(" ")
        return self.is_as_near_as_whole(tail, near_name) or self.is_as_near_as_whole(
            head, near_name
        )

    def is_as_near_as_whole(self, part: str, near_name: _NearName) -> bool:
        """Return whether a part of some words is a name, or as similar to a name as all the words."""
        if _letters_only(part) in self.letters_of_one_word_names:
            return True
        # Of "rough count", for "refcount", the part "count" is near to the name as well. But a right word is no error.
        if self.is_right_or_frequent_word(part):
            return False
        names_of_part = self.names_by_similarity(part)
        return bool(names_of_part) and names_of_part[0].similarity >= near_name.similarity


def _written_names_by_letters(
    names: Iterable[str], coined_names: Mapping[str, str]
) -> dict[str, str]:
    names_by_letters = dict(coined_names)
    for name in names:
        # "requires_grad" is read as two words, which are right.
        if "_" not in name:
            names_by_letters.setdefault(_letters_only(name), name)
    # Of the plural "dtypes" transcripts also have the singular.
    for letters, name in list(names_by_letters.items()):
        if name.endswith("s"):
            names_by_letters.setdefault(letters[:-1], name[:-1])
    return names_by_letters


def _add_words_in_coined_names(
    names_by_letters: dict[str, str], names: Iterable[str], coined_names: Mapping[str, str]
) -> None:
    """Add words of names that are a part of a coined name: "Tensor" of "Tensor subclasses", if there is a
    TensorImpl."""
    all_coined_names = " ".join(coined_names.values())
    for word in re.findall(r"[^\W\d_]+", " ".join(names)):
        # Coined names have parts with capitals. A small "in" would be a part of many words.
        is_capitalized = word.istitle()
        if is_capitalized and re.search(rf"{word}\w|\w{word}", all_coined_names):
            names_by_letters.setdefault(word.lower(), word)


def _add_spoken_plurals(names_by_letters: dict[str, str], spoken_words: _SpokenWords) -> None:
    for letters, name in list(names_by_letters.items()):
        is_spoken = f"{letters}s" in spoken_words.counts_of_words_and_pairs
        if is_spoken and len(letters) >= MIN_LETTERS:
            names_by_letters.setdefault(f"{letters}s", f"{name}s")


def _coined_names_by_letters(
    names: Collection[str], written_texts: Collection[str]
) -> dict[str, str]:
    """Return the most frequent spelling of each coined name, such as PyTorch, by its letters."""
    words = re.findall(r"\w+(?:\.\w+)?", "\n".join([*names, *written_texts]))
    # "requires_grad" is read as two words, which are right.
    words_without_identifiers = [word for word in words if "_" not in word]
    spellings = Counter(filter(_SIGN_OF_COINED_NAME.search, words_without_identifiers))
    coined_names_by_letters: dict[str, str] = {}
    for spelling, _ in spellings.most_common():
        if len(spelling) <= 30:  # a longer word is an identifier
            coined_names_by_letters.setdefault(_letters_only(spelling), spelling)
    # "Autograd" is coined, too, if there is an "AOTAutograd".
    all_coined_names = " ".join(coined_names_by_letters.values())
    for name in names:
        is_capitalized_word = name.isalpha() and name.istitle()
        if is_capitalized_word and re.search(rf"\w{name}", all_coined_names):
            coined_names_by_letters.setdefault(name.lower(), name)
    return coined_names_by_letters
