"""Names and texts that say what an abbreviation is short for: `automatic mixed precision (AMP)`."""

import re

SHORTEST, LONGEST = 3, 6  # letters; of two, too many words in a row have the initials


def long_and_short(name: str) -> tuple[str, ...]:
    """The long form and the abbreviation; nothing where a name is no such pair."""
    long, _, short = name.removesuffix(")").rpartition(" (")
    return (long, short) if long and name.endswith(")") else ()


def is_short(word: str) -> bool:
    """True if a word may be an abbreviation of initials."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def long_forms_in(text: str, short: str) -> set[str]:
    """The long forms that a text gives of an abbreviation of letters, which are its initials:
    `automatic mixed precision (AMP)`, `AMP (automatic mixed precision)`,
    `AMP, automatic mixed precision,`."""
    long = r"[\s-]+".join(rf"{letter}\w*" for letter in short)
    either = rf"\b({long})\s+\({short}\)|\b{short}(?:,\s+|\s+\()({long})(?=[,.;:)])"
    return {before or after for before, after in re.findall(either, text, re.IGNORECASE)}
