"""The forms of dates and times; Django looks for a module for each language."""
