"""Pure helpers for text: folding, word stems, times, links' names, and what no spreadsheet or network may be given."""
