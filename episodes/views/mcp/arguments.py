"""Arguments of tools, held to the JSON Schema that clients are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..lists.filters import LONGEST_QUERY, quoted

Schema = Mapping[str, Any]

MOST_VALUES = 10
KINDS = {"string": str, "integer": int, "array": list}
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what no database takes


class BadArguments(ValueError):
    """Arguments that a tool does not take; the reason is for the assistant, which can ask again."""


def text(about: str, **more: Any) -> Schema:
    return {"type": "string", "maxLength": LONGEST_QUERY, "description": about} | more


def texts(about: str) -> Schema:
    each = {"type": "string", "maxLength": LONGEST_QUERY}
    return {"type": "array", "items": each, "maxItems": MOST_VALUES, "description": about}


def whole_number(about: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": about}


def check(arguments: object, known: Mapping[str, Schema], required: str) -> dict[str, Any]:
    """The arguments, if the tool takes all of them.

    Raises:
        BadArguments: it does not, or the required one is missing.
    """
    if not isinstance(arguments, dict):
        raise BadArguments("The arguments have to be an object.")
    if required and required not in arguments:
        raise BadArguments(f"“{required}” is missing: {known[required]['description']}")
    for name, value in arguments.items():
        if name not in known:
            takes = ", ".join(known) or "no arguments"
            raise BadArguments(f"“{quoted(name)}” is no argument of this tool. It takes {takes}.")
        if not _is_taken(value, known[name]):
            raise BadArguments(f"“{name}” does not fit its schema: {json.dumps(known[name])}")
    return arguments


def _is_taken(value: object, rule: Schema) -> bool:
    if type(value) is not KINDS[rule["type"]]:  # True is no number
        return False
    if isinstance(value, int):
        return bool(rule["minimum"] <= value <= rule["maximum"])
    if isinstance(value, list):
        return len(value) <= MOST_VALUES and all(_is_taken(one, rule["items"]) for one in value)
    is_text = len(str(value)) <= rule["maxLength"] and not NO_TEXT.search(str(value))
    return is_text and value in rule.get("enum", [value])
