"""Texts that a pattern finds hard, and whether its cost grows with the square of them."""

import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from .patience import cpu_limit

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
