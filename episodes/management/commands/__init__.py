"""The commands. Each parses its arguments, calls a function, and prints its report."""
