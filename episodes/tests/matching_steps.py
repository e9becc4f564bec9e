"""Counts the steps that a backtracking matcher takes for a pattern, as Python's takes them: the same number on every
machine, however busy. Numbers of repetitions up to FEW_TIMES are taken as constant, and cut down to two."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

FEW_TIMES = 1_000
CUT_DOWN = 2
ALPHABET = " \n\ta0A_<>&-.:,;/\"'()[]{}|=#@!?%*+~`^$\\–’é中\x01"
NOTHING = "\x01"  # a character that no pattern waits for

Node = tuple[Any, Any]
Nodes = Sequence[Node]


class TooManySteps(Exception):
    """More steps than a pattern of linear growth takes."""


@dataclass
class Matcher:
    """A pattern that counts its steps."""

    pattern: re.Pattern[str] | re.Pattern[bytes]
    most: int = 200_000
    steps: int = 0
    text: str = ""
    groups: dict[int, tuple[int, int]] = field(default_factory=dict)
    _taken: dict[tuple[object, ...], bool] = field(default_factory=dict)

    @cached_property
    def tree(self) -> Nodes:
        source = self.pattern.pattern
        if isinstance(source, bytes):
            source = source.decode("latin-1")
        return list(parser.parse(source, self.pattern.flags & ~re.DEBUG))

    @cached_property
    def characters(self) -> list[str]:
        """Characters that differ for the pattern, one of each kind."""
        singles = list(_singles(self.tree))
        kinds: dict[tuple[bool, ...], str] = {}
        for character in ALPHABET:
            kinds.setdefault(tuple(self.takes(*single, character) for single in singles), character)
        return list(kinds.values())

    def search(self, text: str, *, anchored: bool) -> int:
        """Return the steps of all searches in a text, or of one match at its beginning."""
        self.text, self.steps = text, 0
        start = 0
        while start <= len(text):
            self.groups = {}
            end: int | None = next(self._match(self.tree, 0, start), None)
            if anchored:
                break
            start = start + 1 if end is None else max(end, start + 1)
        return self.steps

    def _match(self, nodes: Nodes, index: int, position: int) -> Iterator[int]:
        """Yield the ends of all ways to match these nodes from a position on, in the order of preference."""
        # Single characters without a choice need no generator each.
        while index < len(nodes):
            operation, argument = nodes[index]
            if operation in SINGLE:
                if not self._fits(operation, argument, position):
                    return
                position += 1
            elif operation is code.AT:
                if not self._is_at(argument, position):
                    return
            elif operation in (code.ASSERT, code.ASSERT_NOT):
                direction, inner = argument
                if self._looks(direction, list(inner), position) is (operation is code.ASSERT_NOT):
                    return
            else:
                for end in self._choices(operation, argument, position):
                    yield from self._match(nodes, index + 1, end)
                return
            index += 1
        yield position

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManySteps

    def _fits(self, operation: Any, argument: Any, position: int) -> bool:
        self._step()
        if position >= len(self.text):
            return False
        character = self.text[position]
        key = id(argument), argument if operation is code.LITERAL else operation, character
        if key not in self._taken:
            self._taken[key] = self.takes(operation, argument, character)
        return self._taken[key]

    def takes(self, operation: Any, argument: Any, character: str) -> bool:
        """Return True if a node of one character takes this one."""
        if operation is code.ANY:
            return character != "\n" or bool(self.pattern.flags & re.DOTALL)
        alike = {ord(character)}
        if self.pattern.flags & re.IGNORECASE:
            alike |= {ord(one) for one in (character.lower(), character.upper()) if len(one) == 1}
        if operation is code.LITERAL:
            return argument in alike
        if operation is code.NOT_LITERAL:
            return argument not in alike
        is_negated = argument[0][0] is code.NEGATE
        members = argument[1:] if is_negated else argument
        is_member = any(_holds(kind, value, number) for kind, value in members for number in alike)
        return is_member is not is_negated

    def _is_at(self, where: Any, position: int) -> bool:
        self._step()
        text = self.text
        before, after = text[position - 1 : position] if position else "", text[position : position + 1]
        is_boundary = _is_word(before) is not _is_word(after)
        lines = bool(self.pattern.flags & re.MULTILINE)
        return {
            code.AT_BEGINNING: not before or (lines and before == "\n"),
            code.AT_BEGINNING_STRING: not before,
            code.AT_END: not after or text[position:] == "\n" or (lines and after == "\n"),
            code.AT_END_STRING: not after,
            code.AT_BOUNDARY: is_boundary,
            code.AT_NON_BOUNDARY: not is_boundary,
        }[where]

    def _looks(self, direction: int, inner: Nodes, position: int) -> bool:
        if direction > 0:
            return next(self._match(inner, 0, position), None) is not None
        least, most = _width(inner)
        starts = range(max(0, position - most), position - least + 1)
        return any(position in self._match(inner, 0, start) for start in starts)

    def _choices(self, operation: Any, argument: Any, position: int) -> Iterator[int]:
        if operation is code.SUBPATTERN:
            group, _, _, inner = argument
            for end in self._match(list(inner), 0, position):
                if group is not None:
                    self.groups[group] = (position, end)
                yield end
        elif operation is code.BRANCH:
            for inner in argument[1]:
                self._step()
                yield from self._match(list(inner), 0, position)
        elif operation in REPEATS:
            least, most, inner = argument
            yield from self._repetitions(operation, min(least, CUT_DOWN), cut(most), list(inner), position)
        elif operation is code.ATOMIC_GROUP:
            yield from islice(self._match(list(argument), 0, position), 1)
        elif operation in (code.GROUPREF, code.GROUPREF_IGNORE):
            first, last = self.groups.get(argument, (0, 0))
            self.steps += last - first
            if self.text.startswith(self.text[first:last], position):
                yield position + last - first
        elif operation is code.GROUPREF_EXISTS:
            group, yes, no = argument
            inner = yes if group in self.groups else no or []
            yield from self._match(list(inner), 0, position)
        else:
            raise NotImplementedError(operation)

    def _repetitions(self, operation: Any, least: int, most: float, inner: Nodes, position: int) -> Iterator[int]:
        if len(inner) == 1 and inner[0][0] in SINGLE:
            ends = self._run(operation, least, most, inner[0], position)
        elif operation is code.MIN_REPEAT:
            ends = self._lazy(least, most, inner, position, 0)
        else:
            ends = self._greedy(least, most, inner, position, 0)
        if operation is code.POSSESSIVE_REPEAT:
            end = next(ends, None)
            ends = iter([] if end is None else [end])
        return ends

    def _run(self, operation: Any, least: int, most: float, node: Node, position: int) -> Iterator[int]:
        """Yield the ends of a run of single characters."""
        end = position
        if operation is code.MIN_REPEAT:
            while end - position < most:
                if end - position >= least:
                    yield end
                if not self._fits(*node, end):
                    return
                end += 1
            yield end
            return
        while end - position < most and self._fits(*node, end):
            end += 1
        while end - position >= least:
            self._step()
            yield end
            end -= 1

    def _greedy(self, least: int, most: float, inner: Nodes, position: int, count: int) -> Iterator[int]:
        if count < most:
            for end in self._match(inner, 0, position):
                if end > position or count < least:
                    yield from self._greedy(least, most, inner, end, count + 1)
        if count >= least:
            yield position

    def _lazy(self, least: int, most: float, inner: Nodes, position: int, count: int) -> Iterator[int]:
        if count >= least:
            yield position
        if count < most:
            for end in self._match(inner, 0, position):
                if end > position or count < least:
                    yield from self._lazy(least, most, inner, end, count + 1)


SINGLE = (code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN)
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


def cut(times: Any) -> Any:
    """Return a small number for any constant one, infinity for the others."""
    if times is code.MAXREPEAT or times > FEW_TIMES:
        return float("inf")
    return min(times, CUT_DOWN)


CATEGORIES: dict[Any, Callable[[str], bool]] = {
    code.CATEGORY_DIGIT: str.isdecimal,
    code.CATEGORY_NOT_DIGIT: lambda character: not character.isdecimal(),
    code.CATEGORY_SPACE: str.isspace,
    code.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    code.CATEGORY_WORD: lambda character: _is_word(character),
    code.CATEGORY_NOT_WORD: lambda character: not _is_word(character),
}


def _holds(kind: Any, value: Any, number: int) -> bool:
    if kind is code.LITERAL:
        return bool(number == value)
    if kind is code.RANGE:
        return bool(value[0] <= number <= value[1])
    return CATEGORIES[value](chr(number))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _width(nodes: Nodes) -> tuple[int, int]:
    return parser.SubPattern(parser.State(), list(nodes)).getwidth()  # type: ignore[no-any-return]


# -- texts that a pattern finds hard ----------------------------------------------------------------


def hard_texts(matcher: Matcher, size: int) -> Iterator[str]:
    """Yield texts of about a size that repeat what the pattern repeats, behind what it asks for before that, and with
    an end at which it fails."""
    seen = set[str]()
    for before, inner in _repeats(matcher, matcher.tree, ""):
        for pump in _pumps(matcher, inner):
            for text in (
                before + pump * size + NOTHING,
                (before + pump) * (size // max(1, len(before + pump) // 4) + 1) + NOTHING,
                pump * size + NOTHING,
            ):
                if text not in seen:
                    seen.add(text)
                    yield text


def _repeats(matcher: Matcher, nodes: Nodes, before: str) -> Iterator[tuple[str, Nodes]]:
    """Yield each repetition without a small limit, with a text that leads to it."""
    for operation, argument in nodes:
        for inner in _inner(operation, argument):
            yield from _repeats(matcher, inner, before)
        if operation in REPEATS and cut(argument[1]) > CUT_DOWN:
            yield before, list(argument[2])
        before += _example(matcher, [(operation, argument)])


def _inner(operation: Any, argument: Any) -> list[Nodes]:
    if operation is code.SUBPATTERN:
        return [list(argument[3])]
    if operation is code.BRANCH:
        return [list(inner) for inner in argument[1]]
    if operation in REPEATS:
        return [list(argument[2])]
    if operation in (code.ASSERT, code.ASSERT_NOT):
        return [list(argument[1])]
    if operation is code.GROUPREF_EXISTS:
        return [list(inner) for inner in argument[1:] if inner]
    return [list(argument)] if operation is code.ATOMIC_GROUP else []


def _example(matcher: Matcher, nodes: Nodes) -> str:
    """Return a short text that the nodes match, if they are as simple as most are."""
    text = ""
    for operation, argument in nodes:
        if operation in SINGLE:
            text += _characters(matcher, operation, argument)[0]
        elif operation in REPEATS:
            text += _example(matcher, list(argument[2])) * min(argument[0], CUT_DOWN)
        elif operation is code.ASSERT and argument[0] < 0 and not text:
            text += _example(matcher, list(argument[1]))
        elif operation in (code.SUBPATTERN, code.BRANCH, code.ATOMIC_GROUP):
            text += _example(matcher, _inner(operation, argument)[0])
    return text


def _pumps(matcher: Matcher, inner: Nodes) -> list[str]:
    if len(inner) == 1 and inner[0][0] in SINGLE:
        return _characters(matcher, *inner[0])
    return [_example(matcher, inner)]


def _characters(matcher: Matcher, operation: Any, argument: Any) -> list[str]:
    """Return characters that a node takes, one for each group that the pattern does not tell apart."""
    if operation is code.LITERAL:
        return [chr(argument)]
    taken = [character for character in matcher.characters if matcher.takes(operation, argument, character)]
    return taken or [_first(argument)]


def _first(argument: Any) -> str:
    """Return a character of a set of rare ones."""
    kind, value = argument[0]
    return chr(value[0] if kind is code.RANGE else value) if kind in (code.LITERAL, code.RANGE) else "a"


def _singles(nodes: Nodes) -> Iterator[Node]:
    for operation, argument in nodes:
        if operation in (code.NOT_LITERAL, code.IN, code.ANY):
            yield operation, argument
        for inner in _inner(operation, argument):
            yield from _singles(inner)


# -- growth ----------------------------------------------------------------------------------------

SIZE = 12
EVERY_TEXT = 1 << 60
MOST_MORE = 1.25  # times as many more steps as there is more text


def hard_text(pattern: re.Pattern[Any], *, anchored: bool, most_steps: int = EVERY_TEXT) -> str:
    """Return a text on which a pattern takes the square of its length or more, "" if none is tried. Texts are tried until
    there were so many steps."""
    matcher, steps = Matcher(pattern), 0
    sizes = (hard_texts(matcher, size) for size in (SIZE, 2 * SIZE, 4 * SIZE))
    texts: tuple[str, ...]
    for texts in zip(*sizes, strict=False):
        try:
            small, middle, large = (matcher.search(text, anchored=anchored) for text in texts)
        except TooManySteps:
            return texts[0]
        lengths = [len(text) for text in texts]
        more_steps = (large - middle) / max(1, middle - small)
        more_text = (lengths[2] - lengths[1]) / max(1, lengths[1] - lengths[0])
        if more_steps > MOST_MORE * more_text and large > 4 * lengths[2]:
            return texts[0]
        steps += small + middle + large
        if steps > most_steps:
            break
    return ""
