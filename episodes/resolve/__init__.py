"""Evidence and decisions in, catalog out: pure steps, and apply.py which writes the result."""
