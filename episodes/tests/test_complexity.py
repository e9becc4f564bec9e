"""A ratchet on complexity: no function gets more branches than it has, and the list of those that have too many only shrinks.

Branches are counted as a reader meets them: conditions, loops, handlers, comprehensions and every further `and` and `or`.
After a change that lowers them, `python -m episodes.tests.test_complexity` writes the list anew.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).parent / "data" / "complexity.json"
MOST = 10  # branches of a function
BRANCHES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.match_case, ast.Assert,
)  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OURS = ("episodes", "podcast_catalog")


def sources() -> dict[str, str]:
    """Every module of the product by its path, without tests and migrations."""
    paths = sorted(path.relative_to(ROOT) for folder in OURS for path in (ROOT / folder).rglob("*.py"))
    return {str(path): (ROOT / path).read_text() for path in paths if not {"tests", "migrations"} & set(path.parts)}


def branches(node: ast.AST) -> int:
    found = sum(isinstance(child, BRANCHES) for child in ast.walk(node))
    return found + sum(len(child.values) - 1 for child in ast.walk(node) if isinstance(child, ast.BoolOp))


def measured() -> dict[str, dict[str, int]]:
    """Functions with too many branches, class names that stand for several things, and the size of the whole."""
    functions: dict[str, int] = {}
    classes: Counter[str] = Counter()
    total = lines = patterns = 0
    for name, text in sources().items():
        tree = ast.parse(text)
        lines += text.count("\n")
        total += branches(tree)
        patterns += sum(_is_pattern(node) for node in ast.walk(tree))
        classes.update(node.name for node in tree.body if isinstance(node, ast.ClassDef))
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS) and (count := 1 + branches(node)) > MOST:
                functions[f"{name}:{node.name}"] = max(count, functions.get(f"{name}:{node.name}", 0))
    again = {name: count for name, count in classes.items() if count > 1 and name not in ("Command", "Meta")}
    loose = sum(name.startswith("episodes/") and name.count("/") == 1 for name in sources())
    whole = {
        "branches per 1,000 lines": round(1000 * total / lines),
        "regular expressions": patterns,
        "loose modules": loose,
    }
    return {"whole": whole, "class names": again, "functions": functions}


def _is_pattern(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"


def test_nothing_gets_more_complex_than_it_is() -> None:
    now, listed = measured(), json.loads(LIST.read_text())
    worse = {
        f"{kind}: {name}": (listed[kind].get(name), count)
        for kind, counts in now.items()
        for name, count in counts.items()
        if count > listed[kind].get(name, 0)
    }
    assert not worse, "more than the list allows (before, now)"


def test_the_list_of_what_is_too_complex_only_shrinks() -> None:
    now, listed = measured(), json.loads(LIST.read_text())
    stale = {
        kind: {n: c for n, c in listed[kind].items() if now[kind].get(n) != c} for kind in ("functions", "class names")
    }
    assert not any(stale.values()), "better than the list says: write it anew"


if __name__ == "__main__":
    LIST.write_text(json.dumps(measured(), indent=1, sort_keys=True) + "\n")
    sys.stdout.write(f"{LIST.relative_to(ROOT)} written\n")
