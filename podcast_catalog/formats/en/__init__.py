"""How dates and times are written; Django looks for a module for each language."""
