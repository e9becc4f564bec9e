"""Names of code in titles and notes: `os.path`, `__torch_function__`, TensorImpl,
`native_functions.yaml`."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from ..records import SymbolUse
from ..text.addresses import blank_addresses
from ..text.sentences import Sentences, shorten_sentence_around_match
from ..text.vocabulary import load_vocabulary, pattern_of_words

_DATA = load_vocabulary(__file__, "code")
_ROOTS = pattern_of_words(_DATA["roots"])
_HOSTS = pattern_of_words(_DATA["hosts"])
_DUNDERS = pattern_of_words(_DATA["dunders"])
_FILES = pattern_of_words(_DATA["files"])
_OPENERS = pattern_of_words(_DATA["openers"])
_ID = r"~?[A-Za-z_]\w{0,60}"
_STEP = rf"(?:\.|::){_ID}"
_HUMP = r"(?:[a-z0-9][A-Z]|[A-Z][A-Z][a-z]{2}|[A-Z]{2}[a-z][A-Z])"
# A part of a dotted name, but not a plain word with a capital: "end.Next".
_PART = r"\.(?!(?:[A-Z][a-z0-9]*|[A-Z0-9]+)(?!\w))[A-Za-z_]\w{1,60}"
# Capitals inside a word: AOTAutograd, TensorImpl, ATen; not "GPUs" and "CIed",
# "optimizationFurther", "McDonald".
_CAMEL = rf"""
    (?!(?:[A-Z0-9]{{2,}}(?:e?s|ed|ing|er|ers)|[a-z]+{_OPENERS}|(?:Mc|Mac|De|Di|Da|Le|La|Van|Von|Fitz|Du)[A-Z][a-z]+)(?!\w))
    (?=\w*?{_HUMP})(?=\w*?[a-z]{{2}})[A-Za-z][A-Za-z0-9]{{3,79}}
"""
_SYMBOL = rf"""
    # Most words have no punctuation and no capital inside. This skips them fast.
    (?<![\w.@#$\\-])(?=\S{{0,99}}?(?:[_.:(`]|[a-z0-9][A-Z]|[A-Z]{{2}}))(?:-D)?(?:
        (?<!/)(?:\.?[\w-]{{1,60}}/){{0,9}}
        (?P<file>[A-Za-z_][\w-]{{1,60}}(?:\.[A-Za-z_][\w-]{{0,30}}){{0,3}}\.{_FILES})(?![\w(]|\.\w)
    |   @?(?P<dotted>{_ROOTS}(?:{_STEP}){{1,9}}
        | {_ID}(?:\.{_ID}){{0,4}}::{_ID}(?:{_STEP}){{0,4}}
        | {_ID}(?:{_STEP}){{1,9}}(?=\()
        | (?=[\w.]*?(?:_|{_HUMP}|\.\w+\.\w)|[a-z0-9.]+(?!\w))[A-Za-z_]\w{{1,60}}(?:{_PART}){{0,8}}(?!\.(?i:{_HOSTS})(?!\w)){_PART}
        )(?!\w)
    |   (?P<word>
          \w{{3,79}}(?=\(\)) | _\w{{1,78}}(?=\() | [A-Z0-9_]{{4,79}}(?=\()  # called
        | (?<=`)[A-Za-z_]\w{{1,78}}(?=(?:\(\))?`)                          # marked as code
        | _{{0,9}}[A-Za-z0-9]+_\w*[A-Za-z0-9]\w{{0,9}}                       # num_workers
        | _{{0,2}}{_DUNDERS}__ | __{_DUNDERS} | [a-z][a-z0-9]{{2,78}}_+      # __init__, add_
        | _{{0,2}}(?P<camel>{_CAMEL})
        )(?!\w)
    )
"""


@cache
def _symbol_pattern() -> re.Pattern[str]:
    return re.compile(_SYMBOL, re.VERBOSE)


@dataclass(frozen=True, slots=True)
class CodeNameMatch:
    """A name of code at text[start:end]."""

    name: str
    start: int
    end: int


def find_code_symbol_uses(
    title: str, text: str, not_code: Collection[str] = (), *, is_cut: bool = False
) -> tuple[SymbolUse, ...]:
    """Return the names of code in a title, then in notes, each once a sentence. Never raises.

    Words in `not_code` are not names of code in this show, in any case. If the notes are
    cut (`is_cut`), a name at their end is left out because it may go on.
    """
    stop_words = _stop_words(tuple(not_code))
    title_names = _find_code_names(title, stop_words)
    notes_names = _find_code_names(text, stop_words, is_cut=is_cut)
    spellings = _spellings_with_lost_underscores(
        code_name.name for code_name in (*title_names, *notes_names)
    )
    return (
        *_symbol_uses_once_a_sentence("title", title, title_names, spellings),
        *_symbol_uses_once_a_sentence("notes", text, notes_names, spellings),
    )


@lru_cache(maxsize=16)
def _stop_words(not_code: tuple[str, ...]) -> frozenset[str]:
    default: list[str] = _DATA["not_code"].split()
    return frozenset(map(str.casefold, (*default, *not_code)))


def _find_code_names(
    text: str, stop_words: frozenset[str], *, is_cut: bool = False
) -> list[CodeNameMatch]:
    """Return the names of code in a text: `torch.nn` and `__init__`, but no word of `stop_words`."""
    max_matches = 5000  # a limit against hostile texts
    masked = blank_addresses(text)
    end_of_text = len(masked.rstrip())
    names = []
    for match in islice(_symbol_pattern().finditer(masked), max_matches):
        # The group that closed last: `file`, `dotted` or `word`. `camel` is inside of `word`.
        group = str(match.lastgroup)
        start, end = match.span(group)
        written_name = match[group]
        folded_name = written_name.casefold()
        # "GPT4" is a stop word if "gpt" is one.
        folded_names = (folded_name, folded_name.rstrip("0123456789"))
        is_stop_word = not stop_words.isdisjoint(folded_names)
        # "torch.nn.fun…"
        may_go_on = is_cut and end == end_of_text
        name = _singular_name(written_name) if match["camel"] else written_name
        is_too_long = len(name) > 80  # characters
        if not (is_stop_word or may_go_on or is_too_long):
            names.append(CodeNameMatch(name, start, end))
    return names


def _singular_name(name: str) -> str:
    """Return SymInt for SymInts. A name that begins with a small letter stays, and so does a
    singular that ends in "s", such as CrossEntropyLoss."""
    singular_endings = tuple(_DATA["singular"].split())
    if name[0].isupper() and not name.endswith(singular_endings):
        return name.removesuffix("s")
    return name


def _spellings_with_lost_underscores(names: Iterable[str]) -> dict[str, str]:
    """Return the right spelling of each name that lost underscores: `__init__` for `init__`.

    Sites take the first and the last pair of underscores of a passage for bold. If one name has lost
    its first pair (`torch_function__`), another has lost its last (`__array_function`).
    """
    # __init__, __array_function, torch_function__
    underscored = [name for name in names if re.fullmatch(r"__\w*|\w*__", name)]
    # No name has lost its first pair. Then `__array_function` is no damaged name.
    if all(name.startswith("_") for name in underscored):
        return {}
    return {name: f"__{name.strip('_')}__" for name in underscored}


def _symbol_uses_once_a_sentence(
    field: str, text: str, names: Sequence[CodeNameMatch], spellings: Mapping[str, str]
) -> list[SymbolUse]:
    sentences = Sentences(text)
    uses: dict[tuple[str, tuple[int, int]], SymbolUse] = {}  # by name and span of the sentence
    for code_name in names:
        name = spellings.get(code_name.name, code_name.name)
        span = sentences.span_containing(code_name.start)
        sentence = shorten_sentence_around_match(
            text, span, code_name.start, code_name.end, cut_mark="…"
        )
        uses.setdefault((name, span), SymbolUse(name, field, code_name.start, sentence))
    return list(uses.values())
