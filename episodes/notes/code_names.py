"""Names of code in titles and notes: `os.path`, `__torch_function__`, TensorImpl,
`native_functions.yaml`."""

import re
from collections.abc import Collection
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from ..records import SymbolUse
from ..text.addresses import without_addresses
from ..text.normalize import TAIL
from ..text.sentences import Sentences, excerpt
from ..text.vocabulary import alternatives, load, word_set

_DATA = load(__file__, "code")
NOT_CODE = word_set(_DATA["not_code"])
LONGEST_NAME = 80
MOST_NAMES = 5000  # of a text, each as often as it occurs

_ROOTS, _HOSTS, _DUNDERS, _FILES, _OPENERS = (
    f"(?:{alternatives(_DATA[name])})" for name in ("roots", "hosts", "dunders", "files", "openers")
)
_ENDS_IN_S = tuple(_DATA["singular"].split())  # although they are one thing
_ID = r"~?[A-Za-z_]\w{0,60}"
_STEP = rf"(?:\.|::){_ID}"
_HUMP = r"(?:[a-z0-9][A-Z]|[A-Z][A-Z][a-z]{2}|[A-Z]{2}[a-z][A-Z])"
# A part of a dotted name, but no plain word with a capital: "end.Next".
_PART = r"\.(?!(?:[A-Z][a-z0-9]*|[A-Z0-9]+)(?!\w))[A-Za-z_]\w{1,60}"
# Capitals inside a word: AOTAutograd, TensorImpl, ATen; not "GPUs" and "CIed",
# "optimizationFurther", "McDonald".
_CAMEL = rf"""
    (?!(?:[A-Z0-9]{{2,}}(?:e?s|ed|ing|er|ers)|[a-z]+{_OPENERS}|(?:Mc|Mac|De|Di|Da|Le|La|Van|Von|Fitz|Du)[A-Z][a-z]+)(?!\w))
    (?=\w*?{_HUMP})(?=\w*?[a-z]{{2}})[A-Za-z][A-Za-z0-9]{{3,79}}
"""
_SYMBOL = rf"""
    # Most words hold none of the signs and humps without which nothing below fits.
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
_MARKED = re.compile(r"__\w*|\w*__")


@cache
def _symbol_pattern() -> re.Pattern[str]:
    return re.compile(_SYMBOL, re.VERBOSE)


class _Hit(NamedTuple):
    name: str
    start: int
    end: int


def code_names(
    title: str, text: str, stop: Collection[str] = (), cut: bool = False
) -> tuple[SymbolUse, ...]:
    """The names of code in the title, then in the notes, in their order, each once a sentence.

    `stop` are names that are none for this show, beside `NOT_CODE`; case does not count. A name
    whose underscores a site took for markup (`torch_function__`) has the spelling that title or
    text give it elsewhere. A name that touches the end of a text that is `cut`, or an ellipsis
    there, is none: it may go on. Linear; never raises.
    """
    stopped = _stopped(tuple(stop))
    parts = (
        ("title", title, _hits(title, stopped)),
        ("notes", text, _hits(text, stopped, cut)),
    )
    names = [hit.name for _, _, hits in parts for hit in hits]
    # Sites take the first and the last pair of underscores of a passage for bold: where one name has
    # lost its first (`torch_function__`), another has lost its last (`__array_function`).
    marked = list(filter(_MARKED.fullmatch, names))
    is_torn = {name[0] for name in marked} != {"_"}
    spelled = {name: f"__{name.strip('_')}__" for name in marked} if is_torn else {}
    found: dict[tuple[str, str, int], SymbolUse] = {}
    for field, words, hits in parts:
        sentences = Sentences(words)
        for hit in hits:
            name, span = spelled.get(hit.name, hit.name), sentences.around(hit.start)
            if (field, name, span[0]) not in found:
                sentence = excerpt(words, span, hit.start, hit.end, mark="…")
                found[field, name, span[0]] = SymbolUse(name, field, hit.start, sentence)
    return tuple(found.values())


@lru_cache(maxsize=16)
def _stopped(own: tuple[str, ...]) -> frozenset[str]:
    """Words that look like names of code and are none, in every show and in this one."""
    return frozenset(name.casefold() for name in (*NOT_CODE, *own))


def _hits(text: str, stopped: Collection[str], cut: bool = False) -> list[_Hit]:
    masked, hits = without_addresses(text), []
    ellipsis = TAIL.search(masked, max(0, len(masked) - 60))
    cut_at = ellipsis.start() if ellipsis else len(masked.rstrip()) if cut else -1
    for found in islice(_symbol_pattern().finditer(masked), MOST_NAMES):
        group = str(found.lastgroup)
        name, start, end = found[group], *found.span(group)
        forms = {name.casefold(), name.casefold().rstrip("0123456789")}
        # SymInt for SymInts
        if found["camel"] and name[0].isupper() and not name.endswith(_ENDS_IN_S):
            name = name.removesuffix("s")
        if end != cut_at and len(name) <= LONGEST_NAME and forms.isdisjoint(stopped):
            hits.append(_Hit(name, start, end))
    return hits
