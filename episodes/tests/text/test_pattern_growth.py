"""No pattern takes the square of the length of a stranger's text: every one is run on texts that it finds hard."""

import ast
import inspect
import pkgutil
import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import episodes
from episodes.text.vocabulary import Phrases

from ..patience import cpu_limit

Node = tuple[Any, Any]

SIZE = 400  # characters of the shorter text, the longer one has eight times as many
MAX_RATIO = 24  # of the costs; even growth gives 8, a square 64
CHEAP_SECONDS = 0.001  # in which no square of the longer text is taken
ALPHABET = " \n\ta0A_<>&-.:,;/\"'()[]{}|=#@!?%*+~`^$\\–’é中\x01"
UNKNOWN = "\x01"  # a character that no pattern waits for
SINGLE = (code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN)
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
MANY_TIMES = 1_000


def hard_text(pattern: re.Pattern[Any], *, anchored: bool) -> str:
    """Return a text on which a pattern takes the square of its length or more, "" if none is found."""
    tree, flags = parsed(pattern)
    # At most two of what it repeats a limited number of times: that is no growth, but a cost.
    limit(tree)
    searcher: re.Pattern[Any] = compiler.compile(tree, flags)
    with cpu_limit():
        for small, large in zip(hard_texts(pattern, SIZE), hard_texts(pattern, 8 * SIZE), strict=False):
            # Noise makes single comparisons worse, but does not hide a square in all of them.
            if all(is_square(searcher, small, large, anchored) for _ in range(3)):
                return small
    return ""


def parsed(pattern: re.Pattern[Any]) -> tuple[Any, int]:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & ~re.DEBUG
    return parser.parse(source, flags), flags


def limit(tree: Any) -> None:
    for index, (operation, argument) in enumerate(tree.data):
        for inner in inner_trees(operation, argument):
            limit(inner)
        if operation in REPEATS and not is_unlimited(argument[1]):
            tree.data[index] = operation, (min(argument[0], 2), min(argument[1], 2), argument[2])


def is_unlimited(times: Any) -> bool:
    return bool(times is code.MAXREPEAT or times > MANY_TIMES)


def is_square(pattern: re.Pattern[Any], small: str, large: str, anchored: bool) -> bool:
    seconds = cost(pattern, large, anchored)
    return seconds > CHEAP_SECONDS and seconds > MAX_RATIO * cost(pattern, small, anchored)


def cost(pattern: re.Pattern[Any], text: str, anchored: bool) -> float:
    """Return the CPU time of all searches in a text, or of one match at its beginning."""
    before = time.thread_time()
    if anchored:
        pattern.match(text)
    else:
        deque(pattern.finditer(text), maxlen=0)
    return time.thread_time() - before


def hard_texts(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    """Yield texts that repeat what the pattern repeats, behind a beginning it asks for, with an end at which it fails."""
    tree, flags = parsed(pattern)
    for start, inner in repetitions(list(tree), "", flags):
        for pump in pumps(inner, flags):
            for unit in (pump, start + pump):
                if unit:
                    yield start + unit * (size // len(unit)) + UNKNOWN
            yield pump * (size // max(1, len(pump))) + UNKNOWN


def repetitions(nodes: Sequence[Node], start: str, flags: int) -> Iterator[tuple[str, list[Node]]]:
    """Yield each repetition without a small limit, with a text that leads to it."""
    for operation, argument in nodes:
        for inner in inner_trees(operation, argument):
            yield from repetitions(inner, start, flags)
        if operation in REPEATS and is_unlimited(argument[1]):
            yield start, list(argument[2])
        start += example([(operation, argument)], flags)


def inner_trees(operation: Any, argument: Any) -> list[Any]:
    if operation is code.SUBPATTERN:
        return [argument[3]]
    if operation is code.BRANCH:
        return list(argument[1])
    if operation in REPEATS:
        return [argument[2]]
    if operation in (code.ASSERT, code.ASSERT_NOT):
        return [argument[1]]
    if operation is code.GROUPREF_EXISTS:
        return [inner for inner in argument[1:] if inner]
    return [argument] if operation is code.ATOMIC_GROUP else []


def example(nodes: Sequence[Node], flags: int) -> str:
    """Return a short text that the nodes match, if they are as simple as most are."""
    text = ""
    for operation, argument in nodes:
        if operation in SINGLE:
            text += characters((operation, argument), flags)[0]
        elif operation in REPEATS:
            text += example(list(argument[2]), flags) * min(argument[0], 2)
        elif operation is code.ASSERT and argument[0] < 0 and not text:
            text += example(list(argument[1]), flags)
        elif operation in (code.SUBPATTERN, code.BRANCH, code.ATOMIC_GROUP):
            text += example(inner_trees(operation, argument)[0], flags)
    return text


def pumps(inner: list[Node], flags: int) -> list[str]:
    if len(inner) == 1 and inner[0][0] in SINGLE:
        return characters(inner[0], flags)
    return [example(inner, flags)]


def characters(node: Node, flags: int) -> list[str]:
    """Return characters that a node matches, at least one."""
    operation, argument = node
    if operation is code.LITERAL:
        return [chr(argument)]
    state = parser.State()
    state.flags = flags
    single = compiler.compile(parser.SubPattern(state, [node]), flags)
    matched = [character for character in ALPHABET if single.match(character)]
    if matched:
        return matched
    kind, value = argument[0]
    return [chr(value[0] if kind is code.RANGE else value) if kind in (code.LITERAL, code.RANGE) else "a"]


ANCHORED = {"match", "fullmatch"}
# Patterns that take the square of their text, and the length of the longest text that they are given.
SHORT_TEXTS = {
    "dates.time_mentions.NO_LENGTH_BEFORE": 60,
    "dates.parse_dates.FEED_REWRITES[0][0]": 200,
    "notes.person_names._introduced_name_pattern": 400,
    "notes.person_names._name_pattern": 400,
    "notes.person_names._uncased_pattern(en)": 400,
    "notes.person_names._uncased_pattern(ja)": 400,
    "text.normalize.CUT_MARK": 80,
    "text.timecodes._TITLE_BEFORE": 60,
}
# Patterns for what the program or the operator wrote. The sanitiser closes every tag and every quotation mark.
OWN_TEXTS = {
    "notes.read_notes._SANITISED_LINK": "sanitised notes",
    "publish.copy_addresses._ADDRESS_ATTRIBUTE": "pages of this site",
    "publish.copy_addresses._ALTERNATE_LINK": "pages of this site",
    "publish.copy_addresses._FORM": "pages of this site",
    "publish.copy_addresses._SITEMAP_ROW": "the sitemap of this site",
    "publish.copy_addresses._TEXT_LINK": "pages of this site",
    "templating._BARE_LINK": "sanitised notes",
    "templating._LINK_OR_TAG": "sanitised notes",
    "text.markup._PRE": "sanitised notes",
    "text.vocabulary._ADDRESS_TOKEN": "the program's vocabulary",
}
# Of the functions that make a pattern for a language: with words of our own, with none, without spaces between words.
LANGUAGES = ("en", "de", "xx", "ja", "th")
# Patterns in tables, and how they are used.
USED_IN_TABLES = {"text.link_labels.SPELLINGS": "fullmatch"}


@cache
def modules() -> dict[str, ModuleType]:
    names = (module.name for module in pkgutil.walk_packages(episodes.__path__, "episodes."))
    names = (name for name in names if not {"tests", "migrations"} & set(name.split(".")))
    return {name.removeprefix("episodes."): import_module(name) for name in names}


@cache
def source(module: str) -> str:
    return Path(str(modules()[module].__file__)).read_text("utf-8")


def patterns_in(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in a value of a module, with what each is called."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Phrases):
        yield name, value.pattern
    elif depth == 4:
        return
    elif isinstance(value, tuple | list):
        for place, part in enumerate(value):
            yield from patterns_in(f"{name}[{place}]", part, depth + 1)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from patterns_in(f"{name}[{key}]", part, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from patterns_in(f"{name}.{field.name}", getattr(value, field.name), depth + 1)
    elif getattr(value, "__annotations__", {}).get("return") == re.Pattern[str]:
        parameters = inspect.signature(value).parameters  # type: ignore[arg-type]
        if not parameters:
            yield from patterns_in(name, value())  # type: ignore[operator]
        elif [*parameters] == ["language"]:
            for language in LANGUAGES:
                yield from patterns_in(f"{name}({language})", value(language))  # type: ignore[operator]


@cache
def patterns() -> dict[str, tuple[re.Pattern[Any], bool]]:
    """The patterns of the program by the module and the name that they have first, and whether each is only used for the
    beginning of a text."""
    found: dict[str, tuple[re.Pattern[Any], bool]] = {}
    seen = set[int]()
    for module, loaded in modules().items():
        for name, value in list(vars(loaded).items()):
            is_imported = getattr(value, "__module__", loaded.__name__) != loaded.__name__
            if name.startswith("__") or (callable(value) and is_imported):
                continue
            for called, pattern in patterns_in(name, value):
                if id(pattern) not in seen and f"{name} = " in source(module) + f"{name} = " * callable(value):
                    seen.add(id(pattern))
                    found[f"{module}.{called}"] = pattern, is_anchored(module, called)
        for line, pattern, method in written_in_calls(module):
            found[f"{module}:{line}"] = pattern, method in ANCHORED
    return found


def is_anchored(module: str, name: str) -> bool:
    """True for a pattern of which every use in the modules that know it begins with the text."""
    base = re.split(r"[.\[(]", name)[0]
    if name != base:
        return USED_IN_TABLES.get(f"{module}.{base}") in ANCHORED
    uses = set[str]()
    for each in modules():
        if each == module or re.search(rf"^(?:from .*\bimport .*|    ){name}\b", source(each), re.MULTILINE):
            uses |= set(re.findall(rf"(?<![.\w]){name}\.(\w+)", source(each)))
    return bool(uses) and uses <= ANCHORED


def written_in_calls(module: str) -> Iterator[tuple[int, re.Pattern[Any], str]]:
    """The patterns that stand in calls such as `re.sub("…", …)`, with their lines and the names of the functions."""
    for node in ast.walk(ast.parse(source(module))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        is_of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        written = node.args[0]
        if is_of_re and node.func.attr not in ("compile", "escape") and isinstance(written, ast.Constant):
            flags = [word.value for word in node.keywords if word.arg == "flags"]
            value = eval(ast.unparse(flags[0]), {"re": re}) if flags else 0
            yield node.lineno, re.compile(written.value, value), node.func.attr


def test_no_pattern_takes_the_square_of_its_text() -> None:
    hard = {}
    for name, (pattern, anchored) in patterns().items():
        if name not in OWN_TEXTS and (text := hard_text(pattern, anchored=anchored)):
            hard[name] = text
    assert {name: text for name, text in hard.items() if name not in SHORT_TEXTS} == {}
    assert hard.keys() == SHORT_TEXTS.keys(), "an entry of SHORT_TEXTS is not needed any more"


def test_every_pattern_is_looked_at() -> None:
    assert len(patterns()) > 250
    assert {*SHORT_TEXTS, *OWN_TEXTS} <= patterns().keys()
