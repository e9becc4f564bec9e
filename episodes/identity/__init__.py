"""Decides which entries are one episode, and what it is: identifiers, matching, merging, order, addresses; pure."""
