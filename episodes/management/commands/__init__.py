"""The commands: thin; each parses its arguments, calls one function, and prints its report."""
