"""Tools for text, a module each: folding, word stems, times, addresses, names of links, cells of a spreadsheet; pure."""

from . import (
    abbreviations,
    addresses,
    formatting,
    formulas,
    link_labels,
    markup,
    normalize,
    numbering,
    public_addresses,
    sentences,
    show_notes,
    stems,
    timecodes,
    timestamps,
    urls,
    vocabulary,
)

__all__ = [
    "abbreviations",
    "addresses",
    "formatting",
    "formulas",
    "link_labels",
    "markup",
    "normalize",
    "numbering",
    "public_addresses",
    "sentences",
    "show_notes",
    "stems",
    "timecodes",
    "timestamps",
    "urls",
    "vocabulary",
]
