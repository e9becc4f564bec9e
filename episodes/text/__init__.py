"""Tools for text, a module each: folding, word stems, times, addresses, names of links, cells of a spreadsheet; pure."""

from . import (
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
