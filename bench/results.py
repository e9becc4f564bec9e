"""Results of a run: lines with all their values, kept as JSON, and the tables that people read."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- the last result -->", "<!-- end of the last result -->"
HELLO = "Django hello"
WAYS = ("cold", "kept", "cold 304", "kept 304")


@dataclass(frozen=True)
class Line:
    """One thing that was measured, with its value in each round; `way` tells lines of one name apart."""

    database: str
    size: int
    part: str  # pages | imports | memory
    name: str
    way: str
    unit: str
    values: list[float]
    ratios: list[float] = field(default_factory=list)  # each to Django hello of the same minute, or to feedparser
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.database} {self.size:,} {self.part}: {self.name} ({self.way})"

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def ratio(self) -> float | None:
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def high(self) -> float:
        return percentile(self.values, 95)


@dataclass(frozen=True)
class Result:
    machine: dict[str, str]
    lines: list[Line]

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Result:
        found = json.loads(path.read_text())
        return cls(found["machine"], [Line(**line) for line in found["lines"]])


def percentile(values: Sequence[float], share: int) -> float:
    """Between the two nearest values where it falls between them."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def tables(result: Result) -> str:
    """Everything as Markdown, one table for each database, size and part."""
    groups: dict[tuple[str, int, str], list[Line]] = {}
    for line in result.lines:
        groups.setdefault((line.database, line.size, line.part), []).append(line)
    about = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    return "\n\n".join([about + ".", *(_table(*key, lines) for key, lines in groups.items())])


def _table(database: str, size: int, part: str, lines: list[Line]) -> str:
    heading = f"### {part.capitalize()}, {size:,} episodes, {database}"
    rows = {"pages": _pages, "imports": _imports, "memory": _memory}[part](lines)
    return f"{heading}\n\n" + "\n".join(rows)


def _pages(lines: list[Line]) -> Iterable[str]:
    """A row for each page: cold, kept, and each asked for again with its ETag."""
    named: dict[str, dict[str, Line]] = {}
    for line in lines:
        named.setdefault(line.name, {})[line.way] = line
    yield "| page | SQL | kB | cold, ms (95 %) | × hello | kept, ms (95 %) | × hello | 304 cold × | 304 kept × |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, ways in named.items():
        facts = next(iter(ways.values())).facts
        note = "" if facts["status"] == 200 or name == "404" else f" (status {facts['status']})"
        size = f"{facts['bytes'] / 1000:.1f}"
        cold, kept, cold_304, kept_304 = (ways.get(way) for way in WAYS)
        cells = [f"{name}{note}", str(facts.get("statements", "")), size]
        cells += [_spread(cold), _times(cold), _spread(kept), _times(kept), _times(cold_304), _times(kept_304)]
        yield f"| {' | '.join(cells)} |"


def _imports(lines: list[Line]) -> Iterable[str]:
    yield "| import | CPU s beyond the start of a process (95 %) | × feedparser's time | items per CPU s | peak MB |"
    yield "|---|--:|--:|--:|--:|"
    for line in lines:
        rate, memory = (line.facts.get(name) for name in ("rate", "peak"))
        cells = (line.name, _spread(line), _times(line), _number(rate), _number(memory))
        yield f"| {' | '.join(cells)} |"


def _memory(lines: list[Line]) -> Iterable[str]:
    yield "| after all pages | MB (PSS) |"
    yield "|---|--:|"
    for line in lines:
        yield f"| {line.name} | {line.median:.0f} |"


def _spread(line: Line | None) -> str:
    return f"{_short(line.median)} ({_short(line.high)})" if line else ""


def _times(line: Line | None) -> str:
    return _short(line.ratio) if line and line.ratio is not None else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _short(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def write_document(path: Path, results: Iterable[Result]) -> None:
    """Put the tables of these results between the two marks of a page."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n\n".join(tables(result) for result in results)
    path.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}")
