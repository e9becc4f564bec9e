"""Names of a show that its transcripts misspell: words that are near to a name and in none of the texts
that people wrote, such as "pie torch" and "open m p"."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import NamedTuple, Self

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein, Prefix

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
    spoken_words = _SpokenWords.from_transcripts(transcripts)
    spelling = _NameSpelling.from_names_and_texts(names, written_texts, spoken_words)
    counts = _MisheardCounts()
    for transcript in transcripts:
        counts.count_names_of_transcript(transcript, spelling)
    word_counts_of_texts = Counter(re.findall(r"\w+", " ".join(written_texts)))
    misheard = []
    for words, name in counts.name_by_words.items():
        if counts.is_likely_error(words, name):
            usual_name = _with_usual_first_letter(name, word_counts_of_texts)
            misheard.append(
                MisheardName(
                    words, usual_name, counts.place_counts[words], counts.episode_counts[words]
                )
            )
    return sorted(misheard, key=lambda row: (-row.place_count, row.words))


@dataclass
class _MisheardCounts:
    """Words in transcripts that are near to a name, and how often they occur."""

    name_by_words: dict[str, str] = field(default_factory=dict)
    place_counts: Counter[str] = field(default_factory=Counter)  # by misheard words
    episode_counts: Counter[str] = field(default_factory=Counter)  # by misheard words
    episode_counts_of_names: Counter[str] = field(default_factory=Counter)  # by letters of a name

    def count_names_of_transcript(self, transcript: str, spelling: "_NameSpelling") -> None:
        """Count an episode for each name that its transcript spells right, and the places and an episode for
        each sequence of words that is a misheard name."""
        place_count_by_words = Counter(_iterate_word_sequences(transcript, MAX_WORDS))
        letters_in_transcript = set(map(_letters_only, place_count_by_words))
        self.episode_counts_of_names.update(letters_in_transcript & spelling.letters_of_names)
        for words, place_count in place_count_by_words.items():
            name = spelling.name_misheard_as_or_empty(words)
            if name:
                self.name_by_words[words] = name
                self.place_counts[words] += place_count
                self.episode_counts[words] += 1

    def is_likely_error(self, words: str, name: str) -> bool:
        # Words that are far commoner than the name are no slip.
        if self.episode_counts[words] >= 2 * self.episode_counts_of_names[_letters_only(name)]:
            return False
        # Some words are near to a name by chance, but hardly in several places, and hardly a single word
        # from its first sound on ("pyturgy", not "oftorch").
        is_repeated = self.place_counts[words] > 1
        is_single_word = " " not in words
        begins_alike = _sound_key(words)[:1] == _sound_key(name)[:1]
        is_long = len(name) > MIN_LETTERS  # "cudian" may be CUDA or another name
        return is_repeated or (is_single_word and begins_alike and is_long)


def _with_usual_first_letter(name: str, word_counts: Counter[str]) -> str:
    """Return "autograd" for the topic "Autograd", if notes have it with a small letter more often."""
    small_name = name[0].lower() + name[1:]
    return max(name, small_name, key=word_counts.__getitem__)


class _Neighbour(NamedTuple):
    """A word directly before or after another word."""

    word: str
    is_before: bool


@dataclass(frozen=True)
class _SpokenWords:
    """The words of all transcripts of a show."""

    place_counts: Counter[str]  # of words and of pairs of words
    frequent_words: set[str]  # of many transcripts
    # By a word without the s of its plural: of "lazy tensors", "lazy" is a neighbour of "tensor".
    rare_neighbours: dict[str, Counter[_Neighbour]]

    @classmethod
    def from_transcripts(cls, transcripts: Collection[str]) -> Self:
        place_counts: Counter[str] = Counter()
        transcript_counts: Counter[str] = Counter()  # by word
        for transcript in transcripts:
            place_counts.update(_iterate_word_sequences(transcript, 2))
            transcript_counts.update(set(_iterate_word_sequences(transcript, 1)))
        # A third of the transcripts do not share an error.
        min_count = len(transcripts) / 3
        frequent_words = {word for word, count in transcript_counts.items() if count >= min_count}
        return cls(place_counts, frequent_words, _rare_neighbours(place_counts, frequent_words))

    def have_same_neighbours(self, word: str, name: str) -> bool:
        """Return whether a word stands where a name does: "lazy sensor", as there is a "lazy tensor"."""
        neighbours = self.rare_neighbours.get(word.removesuffix("s"), Counter())
        neighbours_of_name = self.rare_neighbours.get(name.removesuffix("s"), Counter())
        shared_neighbours = neighbours.keys() & neighbours_of_name.keys()
        shared_count = sum(neighbours[neighbour] for neighbour in shared_neighbours)
        return len(shared_neighbours) > 1 and shared_count >= neighbours.total() / 3


def _rare_neighbours(
    place_counts: Counter[str], frequent_words: Collection[str]
) -> dict[str, Counter[_Neighbour]]:
    rare_neighbours: dict[str, Counter[_Neighbour]] = defaultdict(Counter)
    for words, count in place_counts.items():
        left, _, right = words.partition(" ")
        # Of a single word `right` is "". Any word may stand beside a frequent word.
        if right and left not in frequent_words:
            neighbour = _Neighbour(left, is_before=True)
            rare_neighbours[right.removesuffix("s")][neighbour] += count
        if right and right not in frequent_words:
            neighbour = _Neighbour(right, is_before=False)
            rare_neighbours[left.removesuffix("s")][neighbour] += count
    return dict(rare_neighbours)


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
def _sound_key(words: str) -> str:
    """Return the letters with letters that sound alike made equal, each once: "pitark" for "pytorch"
    and for "pie torch"."""
    sound = _letters_only(words)
    for letters, replacement in _SOUNDS.items():
        sound = sound.replace(letters, replacement)
    return re.sub(r"(.)\1+", r"\1", sound)


def _similarity(left: str, right: str) -> float:
    """Return the similarity of two words by sound and letters, from 0 to 1."""
    by_sound = Levenshtein.normalized_similarity(_sound_key(left), _sound_key(right))
    by_letters = Levenshtein.normalized_similarity(_letters_only(left), _letters_only(right))
    return (by_sound + by_letters) / 2


class _TwoWordName(NamedTuple):
    """A name of two words, or of two parts: ("torch", "script", "TorchScript")."""

    first: str
    last: str
    name: str


class _NearestName(NamedTuple):
    """A coined name by its letters, and its similarity to some words from 0 to 1."""

    letters: str  # "" if no name is near
    similarity: float


@dataclass(frozen=True)
class _NameSpelling:
    """The names of a show by their letters, and the words that are no errors.

    A coined name is no word of the language, such as PyTorch, so a word that is nearly it was likely misheard.
    """

    coined_names_by_letters: dict[str, str]
    one_word_names_by_letters: dict[str, str]  # all names of one word
    word_sequences_in_texts: set[str]  # of up to MAX_WORDS words
    common_words: list[str]  # of the texts and of many transcripts, without coined names
    letters_by_sound: dict[str, str]  # of coined names
    names_by_word_in_context: dict[str, str]  # by a word that stands where the name does
    two_word_names_by_word: dict[str, list[_TwoWordName]]  # by their first and last word
    letters_of_names: set[str]  # and of their plurals
    spoken_words: _SpokenWords

    @classmethod
    def from_names_and_texts(
        cls, names: Collection[str], written_texts: Collection[str], spoken_words: _SpokenWords
    ) -> Self:
        """Return the names of a show, and the words of its texts, which are never errors. Letters are a name
        without spaces and signs: `pytorch`."""
        coined_names_by_letters = _coined_names_by_letters(names, written_texts)
        letters_by_sound = {
            _sound_key(letters): letters
            for letters in coined_names_by_letters
            if len(letters) >= MIN_LETTERS
        }
        one_word_names_by_letters = _one_word_name_by_letters(names, coined_names_by_letters)
        names_and_their_words = _coined_names_and_their_words(names, coined_names_by_letters)
        two_word_names = _two_word_names([*names, *coined_names_by_letters.values()])
        # A transcript with any of these letters spells a name right.
        letters_of_names = {*one_word_names_by_letters, *names_and_their_words}
        letters_of_names.update(f"{letters}s" for letters in names_and_their_words)
        letters_of_names.update(name.first + name.last for name in two_word_names)
        all_texts = "\n".join([*names, *written_texts])
        words_in_texts = set(_iterate_word_sequences(all_texts, 1))
        # A word that is nearer to a common word than to a name is no error.
        common_words = words_in_texts | spoken_words.frequent_words
        return cls(
            coined_names_by_letters=coined_names_by_letters,
            one_word_names_by_letters=one_word_names_by_letters,
            word_sequences_in_texts=set(_iterate_word_sequences(all_texts, MAX_WORDS)),
            common_words=sorted(common_words - coined_names_by_letters.keys()),
            letters_by_sound=letters_by_sound,
            names_by_word_in_context=_names_by_word_in_context(names_and_their_words, spoken_words),
            two_word_names_by_word=_two_word_names_by_word(two_word_names),
            letters_of_names=letters_of_names,
            spoken_words=spoken_words,
        )

    def name_misheard_as_or_empty(self, words: str) -> str:
        """Return the name that a transcript has as these words, or "" if they are likely right."""
        is_in_texts = words in self.word_sequences_in_texts
        is_plural_of_texts = words.removesuffix("s") in self.word_sequences_in_texts
        if is_in_texts or is_plural_of_texts:
            return ""
        letters = _letters_only(words)
        word_count = words.count(" ") + 1
        # The letters are a name of one word, which is right unless it is written apart.
        if letters in self.one_word_names_by_letters:
            is_written_apart = word_count > 1  # "py torch"
            is_spelled_out = word_count == len(letters)  # "n c h w"
            # "a i" is too short to be AI.
            is_clear = is_spelled_out or len(letters) >= MIN_LETTERS
            return self.one_word_names_by_letters[letters] if is_written_apart and is_clear else ""
        nearest = self.nearest_coined_name_with_similarity(words)
        if self.is_misspelling(words, nearest):  # "pie torch"
            return self.coined_names_by_letters[nearest.letters]
        if word_count == 1:
            # "sensor" stands where the name "tensor" does: in "lazy sensor".
            return self.names_by_word_in_context.get(words, "")
        if word_count == 2:
            return self.name_with_misheard_word_or_empty(words)
        return ""

    def nearest_coined_name_with_similarity(self, words: str) -> _NearestName:
        """Return the letters of the coined name that is nearest by its sound, and its similarity by sound and
        letters. Return "" and 0 if none is near."""
        match = process.extractOne(
            _sound_key(words),
            self.letters_by_sound.keys(),
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=0.6,
        )
        if match is None:
            return _NearestName("", similarity=0)
        sound, similarity_of_sounds, _ = match
        letters = self.letters_by_sound[sound]
        similarity_of_letters = Levenshtein.normalized_similarity(_letters_only(words), letters)
        return _NearestName(letters, (similarity_of_sounds + similarity_of_letters) / 2)

    def is_misspelling(self, words: str, nearest: _NearestName) -> bool:
        """Return True if words are the nearest coined name, misspelled: "pie torch" is PyTorch."""
        word_count = words.count(" ") + 1
        is_too_short = len(nearest.letters) < word_count + 3  # "up is" is not APIs
        is_too_different = nearest.similarity < self.min_similarity(word_count, nearest.letters)
        # "python" is no error for CPython, and "pytorches" none for PyTorch.
        letters = _letters_only(words)
        is_part = letters in nearest.letters or nearest.letters in letters
        if is_too_short or is_too_different or is_part:
            return False
        if word_count == 1:
            return not self.is_nearer_to_common_word(words, nearest.letters)
        _, _, without_first_word = words.partition(" ")
        without_last_word, _, _ = words.rpartition(" ")
        # Of "a pytruch" the first word is of the sentence, and "pytruch" alone is the misspelling.
        is_first_word_extra = self.is_as_near(without_first_word, nearest)
        is_last_word_extra = self.is_as_near(without_last_word, nearest)
        return not is_first_word_extra and not is_last_word_extra

    def min_similarity(self, word_count: int, letters_of_name: str) -> float:
        # Two words are near to a name by chance more often than one, and four never are a name. A frequent
        # name is misheard in more ways.
        if letters_of_name in self.spoken_words.frequent_words:
            similarity_by_word_count = {1: 0.60, 2: 0.80, 3: 0.80}
        else:
            similarity_by_word_count = {1: 0.75, 2: 0.86, 3: 0.86}
        return similarity_by_word_count.get(word_count, inf)

    def is_as_near(self, part: str, nearest: _NearestName) -> bool:
        """Return whether a part of some words is a name, or hardly less similar than all the words to
        their nearest name."""
        nearest_of_part = self.nearest_coined_name_with_similarity(part)
        is_same_name = nearest_of_part.letters == nearest.letters
        is_near = is_same_name and nearest_of_part.similarity >= nearest.similarity - 0.12
        return is_near or _letters_only(part) in self.one_word_names_by_letters

    def name_with_misheard_word_or_empty(self, word_pair: str) -> str:
        """Return the name of which one word is right and the other misheard: TensorIterator for "tensor editor"."""
        first, last = word_pair.split(" ")
        names_of_first_word = self.two_word_names_by_word.get(first, [])
        names_of_last_word = self.two_word_names_by_word.get(last, [])
        for name in (*names_of_first_word, *names_of_last_word):
            is_last_misheard = name.first == first and self.is_misheard_part(
                last, name.last, word_pair
            )
            is_first_misheard = name.last == last and self.is_misheard_part(
                first, name.first, word_pair
            )
            if is_last_misheard or is_first_misheard:
                return name.name
        return ""

    def is_misheard_part(self, word: str, part_of_name: str, word_pair: str) -> bool:
        # "grip" is hardly ever in other words than "torch grip".
        place_counts = self.spoken_words.place_counts
        if place_counts[word_pair] < place_counts[word] / 3:
            return False
        # "data loader" is no error for "data loading".
        begins_alike = Prefix.similarity(word, part_of_name) >= 4
        is_other_form = begins_alike or stem(word) == stem(part_of_name)
        return not is_other_form and _similarity(word, part_of_name) >= 0.55

    def is_nearer_to_common_word(self, word: str, letters_of_name: str) -> bool:
        match = process.extractOne(
            word,
            self.common_words,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=Levenshtein.normalized_similarity(word, letters_of_name),
        )
        return match is not None


def _one_word_name_by_letters(
    names: Iterable[str], coined_names_by_letters: Mapping[str, str]
) -> dict[str, str]:
    # A coined name comes before another name with the same letters.
    one_word_names_by_letters = dict(coined_names_by_letters)
    for name in names:
        if " " not in name and "_" not in name:
            letters = _letters_only(name)
            one_word_names_by_letters.setdefault(letters, name)
            # Of the plural "dtypes" transcripts also have the singular.
            one_word_names_by_letters.setdefault(letters.removesuffix("s"), name.removesuffix("s"))
    return one_word_names_by_letters


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


def _coined_names_and_their_words(
    names: Iterable[str], coined_names_by_letters: Mapping[str, str]
) -> dict[str, str]:
    """Return the coined names by their letters, and words of names that are a part of them: "Tensor" of
    "Tensor subclasses", if there is a "TensorImpl"."""
    names_by_letters = dict(coined_names_by_letters)
    all_coined_names = " ".join(coined_names_by_letters.values())
    for word in re.findall(r"[^\W\d_]+", " ".join(names)):
        if word.istitle() and re.search(rf"{word}\w|\w{word}", all_coined_names):
            names_by_letters.setdefault(word.lower(), word)
    return {
        letters: name for letters, name in names_by_letters.items() if len(letters) >= MIN_LETTERS
    }


def _names_by_word_in_context(
    names_by_letters: Mapping[str, str], spoken_words: _SpokenWords
) -> dict[str, str]:
    """Return the name for each word that is a little like it and stands beside the same words. The name of a
    plural is a plural."""
    names_by_word = {}
    spoken_letters = sorted(spoken_words.rare_neighbours.keys() & names_by_letters.keys())
    for word, place_count in spoken_words.place_counts.items():
        # `place_counts` has pairs of words, too.
        if place_count < 3 or " " in word:
            continue
        letters = _letters_of_nearest_name_in_context(word, spoken_letters, spoken_words)
        if letters:
            is_plural = word.endswith("s") and f"{letters}s" in spoken_words.place_counts
            plural_ending = "s" if is_plural else ""
            names_by_word[word] = names_by_letters[letters] + plural_ending
    return names_by_word


def _letters_of_nearest_name_in_context(
    word: str, letters_of_names: Iterable[str], spoken_words: _SpokenWords
) -> str:
    """Return "tensor" for "sensors", if they have the same neighbours, or ""."""
    singular = word.removesuffix("s")
    nearest = _NearestName("", similarity=0.5)
    for letters in letters_of_names:
        is_part = letters in word or singular in letters
        if is_part or not spoken_words.have_same_neighbours(word, letters):
            continue
        similarity = _similarity(singular, letters)
        if similarity >= nearest.similarity:
            nearest = _NearestName(letters, similarity)
    return nearest.letters


def _two_word_names(names: Iterable[str]) -> list[_TwoWordName]:
    two_word_names = []
    for name in names:
        # "torch" and "script" of "TorchScript", "GPU" and "tests" of "GPU tests".
        words = re.findall(r"[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+", name)
        if len(words) == 2:
            first, last = words
            two_word_names.append(_TwoWordName(first.lower(), last.lower(), name))
    return two_word_names


def _two_word_names_by_word(names: Iterable[_TwoWordName]) -> dict[str, list[_TwoWordName]]:
    names_by_word: dict[str, list[_TwoWordName]] = defaultdict(list)
    for name in names:
        names_by_word[name.first].append(name)
        names_by_word[name.last].append(name)
    return names_by_word
