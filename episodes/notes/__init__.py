"""What show notes hold: links, topics, people, references, names of code; pure."""
