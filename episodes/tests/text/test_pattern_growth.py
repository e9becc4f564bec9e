"""No pattern takes the square of the length of a stranger's text: every one is run on texts that it finds hard
(pattern_growth.py)."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import episodes
from episodes.text.vocabulary import Phrases

from ..pattern_growth import hard_text

ANCHORED = {"match", "fullmatch"}
# Patterns that take the square of their text, and the length of the longest text that they are given.
SHORT_TEXTS = {
    "dates.time_mentions.NO_LENGTH_BEFORE": 60,
    "dates.parse_dates.FEED_REWRITES[0][0]": 200,
    "notes.person_names._introduced_name_pattern": 400,
    "notes.person_names._name_pattern": 400,
    "text.normalize.CUT_MARK": 80,
    "text.timecodes._DURATION": 60,
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
    "text.markup._PRE": "sanitised notes",
    "text.vocabulary._ADDRESS_TOKEN": "the program's vocabulary",
}
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
    elif returns_pattern(value):
        yield from patterns_in(name, value())  # type: ignore[operator]


def returns_pattern(value: object) -> bool:
    result = getattr(value, "__annotations__", {}).get("return")
    return result == re.Pattern[str] and not inspect.signature(value).parameters  # type: ignore[arg-type]


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
