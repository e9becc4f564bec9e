"""Tools for text, a module each: folding, word stems, times, addresses, names of links, cells of a
spreadsheet; pure."""

from . import (
    addresses,
    faults,
    formatting,
    formulas,
    link_labels,
    markup,
    normalize,
    numbering,
    public_addresses,
    release,
    sentences,
    show_notes,
    speech,
    summaries,
    timecodes,
    urls,
    vocabulary,
    word_forms,
)

__all__ = [
    "addresses",
    "faults",
    "formatting",
    "formulas",
    "link_labels",
    "markup",
    "normalize",
    "numbering",
    "public_addresses",
    "release",
    "sentences",
    "show_notes",
    "speech",
    "summaries",
    "timecodes",
    "urls",
    "vocabulary",
    "word_forms",
]
