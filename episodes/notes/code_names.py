"""Finds the names of code in titles and notes: `os.path`, `__torch_function__`, TensorImpl, `native_functions.yaml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..records import SymbolUse
from ..text.addresses import without_addresses
from ..text.sentences import Sentences, excerpt
from ..text.vocabulary import alternatives, load, word_set

_DATA = load(__file__, "code")
NOT_CODE = word_set(_DATA["not_code"])
_ROOTS, _HOSTS, _DUNDERS = (word_set(_DATA[name]) for name in ("roots", "hosts", "dunders"))
LONGEST_NAME = 80

_FOLDERS = r"(?:\.?[\w-]{1,60}/){0,9}"
_ENDING = rf"\.(?:{alternatives(_DATA['files'])})"
_FILE = rf"{_FOLDERS}[A-Za-z_][\w-]{{0,60}}(?:\.[A-Za-z_][\w-]{{0,30}}){{0,3}}{_ENDING}"
_CANDIDATE = re.compile(
    rf"(?<![\w.@#$\\-])(?:-D)?(?:(?P<file>(?<!/){_FILE})(?![\w(]|\.\w)"
    r"|(?P<dotfile>\.[a-z][a-z-]{1,30}(?:ignore|rc|attributes|config|format|tidy)\b)"
    r"|@?(?P<dotted>[A-Za-z_]\w{0,60}(?:(?:\.|::)~?[A-Za-z_]\w{0,60}){1,9})"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]{1,79}))(?!\w)"
)
_SEPARATOR = re.compile(r"\.|::")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]{2}|[A-Z]{2}[a-z][A-Z]")
_PLAIN_CAPITAL = re.compile(r"[A-Z][a-z0-9]*|[A-Z0-9]+")
_SMALL_LETTERS = re.compile(r"[a-z]{2}")
# "GPUs" and "CIed", "optimizationFurther", and "McDonald" and "DeVito".
_NOT_CAMEL = re.compile(
    rf"[A-Z0-9]{{2,}}(?:e?s|ed|ing|er|ers)|[a-z]+(?:(?-i:{alternatives(_DATA['openers'])}))"
    r"|(?:Mc|Mac|De|Di|Da|Le|La|Van|Von|Fitz|Du)[A-Z][a-z]+"
)
_NO_DIGITS = str.maketrans("", "", "0123456789")
_SINGULAR = tuple(_DATA["singular"].split())
_CUT_OFF = re.compile(r"(?:\.{3}|…)\s*(?:show more|continue reading|read more)?\s*\Z", re.IGNORECASE)


class _Hit(NamedTuple):
    name: str
    start: int
    end: int


def code_names(title: str, text: str, stop: Collection[str] = (), cut: bool = False) -> tuple[SymbolUse, ...]:
    """The names of code in the title, then in the notes, in their order, each once a sentence.

    `stop` are names that are none for this show, beside `NOT_CODE`; case does not count. A name whose underscores a site
    took for markup (`torch_function__`) has the spelling that title or text give it elsewhere. A name that touches the
    end of a text that is `cut`, or an ellipsis there, is none: it may go on. Linear; never raises.
    """
    stopped = {name.casefold() for name in (*NOT_CODE, *stop)}
    parts = (("title", title, list(_hits(title, stopped))), ("notes", text, list(_hits(text, stopped, cut))))
    spelled = _spellings([hit.name for _, _, hits in parts for hit in hits])
    found: dict[tuple[str, str, int], SymbolUse] = {}
    for field, words, hits in parts:
        sentences = Sentences(words)
        for hit in hits:
            name, span = spelled.get(hit.name, hit.name), sentences.around(hit.start)
            if (field, name, span[0]) not in found and name.casefold() not in stopped:
                words_around = excerpt(words, span, hit.start, hit.end, mark="…")
                found[field, name, span[0]] = SymbolUse(name, field, hit.start, words_around)
    return tuple(found.values())


def distinct(names: Iterable[SymbolUse]) -> tuple[str, ...]:
    """The names, each once, in the order of their letters whatever the case."""
    return tuple(sorted({one.name for one in names}, key=lambda name: (name.strip("_").casefold(), name)))


# --- What is a name --------------------------------------------------------------------------------------------------


def _hits(text: str, stopped: Collection[str], cut: bool = False) -> Iterator[_Hit]:
    masked = without_addresses(text)
    ellipsis = _CUT_OFF.search(masked, max(0, len(masked) - 60))
    cut_at = ellipsis.start() if ellipsis else len(masked.rstrip()) if cut else -1
    for found in _CANDIDATE.finditer(masked):
        if found.end() == cut_at:
            continue  # it may go on
        kind = found.lastgroup or ""
        for hit in _READERS[kind](found[kind], found.start(kind), masked):
            written = text[hit.start : hit.end].casefold()
            spellings = {hit.name.casefold(), written, written.rstrip("0123456789")}
            if spellings.isdisjoint(stopped) and len(hit.name) <= LONGEST_NAME:
                yield hit


def _file(written: str, start: int, text: str) -> Iterator[_Hit]:
    name = written.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    # "1.c" and "e.h" are no files; one letter is an ending only of what looks like code.
    if len(stem) >= (3 if len(ending) == 1 and name == written else 2):
        end = start + len(written)
        yield _Hit(name, end - len(name), end)


def _dotfile(written: str, start: int, text: str) -> Iterator[_Hit]:
    yield _Hit(written, start, start + len(written))


def _dotted(written: str, start: int, text: str) -> Iterator[_Hit]:
    end = start + len(written)
    parts = _SEPARATOR.split(written)
    if _is_dotted(written, parts) or text.startswith("(", end):
        yield _Hit(written, start, end)
        return
    place = start
    for part in parts:  # two sentences glued together: each word for itself
        place = text.index(part, place)
        if _is_name(part):
            yield _Hit(_singular(part), place, place + len(part))
        place += len(part)


def _word(written: str, start: int, text: str) -> Iterator[_Hit]:
    end = start + len(written)
    if _is_called(written, text[end : end + 2]) or _is_ticked(text, start, end) or _is_name(written):
        yield _Hit(_singular(written), start, end)


_READERS = {"file": _file, "dotfile": _dotfile, "dotted": _dotted, "word": _word}


def _is_called(word: str, after: str) -> bool:
    """True for "backward()", "_process(delta)" and "UPROPERTY(EditAnywhere)"; prose glues no bracket to such words."""
    if after == "()":
        return len(word) > 2
    return after[:1] == "(" and (word.startswith("_") or (len(word) > 3 and word.isupper()))


def _is_ticked(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "`" and text[end : end + 3].removeprefix("()").startswith("`")


def _is_dotted(name: str, parts: Sequence[str]) -> bool:
    if "::" in name or parts[0] in _ROOTS:
        return True
    bare = [part.strip("_") for part in parts]
    is_sentence = any(map(_PLAIN_CAPITAL.fullmatch, bare[1:]))  # "end.Next"
    if is_sentence or min(map(len, bare)) < 2 or parts[-1].lower() in _HOSTS:
        return False
    return len(parts) > 2 or "_" in name or name.islower() or _HUMP.search(name) is not None


def _is_name(word: str) -> bool:
    inner = word.strip("_")
    if "_" in inner or len(inner) < 2:
        return len(inner) > 1
    before, _, after = word.partition(inner)
    if "__" in (before, after):
        return inner in _DUNDERS
    if after:  # a member of C++, an operation in place
        return not before and inner.islower() and len(inner) > 2
    return _HUMP.search(inner) is not None if before else _is_camel(inner)


def _is_camel(word: str) -> bool:
    """True where capitals stand inside a word: AOTAutograd, TensorImpl, ATen; not in GPUs, PT2 or a glued sentence."""
    letters = word.translate(_NO_DIGITS)
    is_mixed = len(letters) > 3 and _HUMP.search(word) and _SMALL_LETTERS.search(letters)
    return bool(is_mixed) and not _NOT_CAMEL.fullmatch(word)


def _singular(word: str) -> str:
    """SymInt for SymInts."""
    one = word.removesuffix("s")
    is_plural = word[0].isupper() and _is_camel(word) and _is_camel(one) and not word.endswith(_SINGULAR)
    return one if is_plural else word


# --- One spelling ----------------------------------------------------------------------------------------------------


def _spellings(names: Sequence[str]) -> dict[str, str]:
    """For each name the spelling it has with all its underscores.

    Sites take the first and the last pair of underscores of a passage for bold: what has lost its first is followed by
    what has lost its last.
    """
    names = [name for name in names if "_" in name]
    whole = {core: name for name in names if name == f"__{(core := name.strip('_'))}__"}
    spelled: dict[str, str] = {}
    lost_first = False
    for name in names:
        core = name.strip("_")
        has_only_last = name == f"{core}__" and core.isidentifier()
        lost_first |= has_only_last
        has_only_first = name.startswith("__") and not name.endswith("_")
        is_torn = has_only_last or (lost_first and has_only_first)
        spelled.setdefault(name, whole.get(core, f"__{core}__" if is_torn else name))
    return spelled
