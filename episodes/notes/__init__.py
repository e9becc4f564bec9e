"""The contents of show notes: links, topics, people, references, names of code; pure."""
